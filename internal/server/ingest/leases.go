package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/store"
)

// leasesPath is where processes that share targets keep their leases.
const leasesPath = "/api/v1/store/leases"

const (
	// maxLease is the longest time of a lease.
	maxLease = time.Hour
	// smallLease is the size of a request that does not wait for memory, in bytes: one without a document.
	smallLease = 4 << 10
)

// leases begins, extends or ends a lease, or publishes with it.
func (h *Handler) leases(w http.ResponseWriter, r *http.Request) {
	if h.o.Leases == nil {
		h.refuse(w, r, &badRequest{errors.New("this server has no leases"), http.StatusNotFound})
		return
	}
	data, err := readBody(r)
	var q documents.LeaseRequest
	if err == nil {
		err = json.Unmarshal(data, &q)
	}
	if err == nil && (q.TTL < 0 || q.TTL > maxLease) {
		err = fmt.Errorf("ttl_ns is %v (want at most %v)", q.TTL, maxLease)
	}
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	all, err := h.lease(r, &q)
	switch {
	case err == nil && q.TTL > 0:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(documents.NewLeases(all)) // the client may be gone
	case err == nil:
		w.WriteHeader(http.StatusNoContent)
	case client(err) || r.Context().Err() != nil:
		h.refuse(w, r, err)
	default:
		h.o.Warn(fmt.Errorf("lease of %s: %w", q.Member, err))
		if errors.Is(err, store.ErrDown) {
			w.Header().Set(documents.DownHeader, "true")
		}
		h.refuse(w, r, &storeError{err})
	}
}

func (h *Handler) lease(r *http.Request, q *documents.LeaseRequest) (all []store.Lease, err error) {
	ctx, tenant, to := r.Context(), tenantOf(r.Context()), h.o.Leases
	if q.TTL > 0 {
		all, err = to.Renew(ctx, tenant, q.Group, q.Member, q.TTL)
	}
	if err == nil && len(q.Document) > 0 {
		err = to.Publish(ctx, tenant, q.Group, q.Member, q.Document)
	}
	if err == nil && q.Release {
		err = to.Release(ctx, tenant, q.Group, q.Member)
	}
	return all, err
}
