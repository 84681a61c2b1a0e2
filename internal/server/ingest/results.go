package ingest

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/whet-go/whet/internal/server/pyroscope/wire"
	"github.com/whet-go/whet/internal/store/measured"
	"github.com/whet-go/whet/store"
)

// resultsPath is where documents of measurements are sent.
const resultsPath = "/api/v1/store/results"

// results stores the document of a measurement:
//
//	POST /api/v1/store/results?service=NAME&kind=load&commit=HASH&time=TIME
//
// Only service is required if the document says when it was measured.
func (h *Handler) results(w http.ResponseWriter, r *http.Request) {
	if h.o.Results == nil {
		h.refuse(w, r, &badRequest{errors.New("this server keeps no results"), http.StatusNotFound})
		return
	}
	document, err := readBody(r)
	var one store.Result
	if err == nil {
		one, err = h.result(r.URL.Query(), document)
	}
	if err == nil {
		err = h.o.Results.WriteResults(r.Context(), tenantOf(r.Context()), []store.Result{one})
		if err != nil && !client(err) && r.Context().Err() == nil {
			h.o.Warn(fmt.Errorf("store a result of tenant %q: %w", tenantOf(r.Context()), err))
			err = &storeError{err}
		}
	}
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (h *Handler) result(q url.Values, document []byte) (r store.Result, err error) {
	for key := range q {
		if !slices.Contains([]string{"service", "kind", "commit", "time"}, key) {
			return r, fmt.Errorf("unknown parameter %q (want service, kind, commit or time)", key)
		}
	}
	about, err := measured.Read(document)
	if err != nil {
		return r, err
	}
	r = store.Result{
		Kind: about.Kind, Service: q.Get("service"), Revision: q.Get("commit"), Time: about.Time, Document: document,
	}
	if kind := q.Get("kind"); kind != "" && kind != r.Kind {
		return r, fmt.Errorf("the document is of kind %s, not %.40q", r.Kind, kind)
	}
	if text := q.Get("time"); text != "" {
		if r.Time, err = wire.ParseTime(text, h.o.Now()); err != nil {
			return r, fmt.Errorf("time: %w", err)
		}
	}
	if r.Service == "" {
		r.Service = about.Module
	}
	return r, nil
}
