package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"

	"github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/store"
)

// lease sends a request about a lease, and decodes the answer unless into is nil.
func (c *Client) lease(ctx context.Context, q documents.LeaseRequest, into any) error {
	body, err := json.Marshal(q)
	if err != nil {
		return err
	}
	answer, err := c.request(ctx, http.MethodPost, "/api/v1/store/leases", nil, bytes.NewReader(body))
	var refusal *Refusal
	switch {
	case err == nil:
	case errors.As(err, &refusal) && refusal.down, refusal == nil && c.refuses(ctx):
		return fmt.Errorf("%w: %w", err, store.ErrDown)
	default:
		return err
	}
	defer func() { _ = answer.Body.Close() }() // only read
	if into == nil {
		return nil
	}
	return json.NewDecoder(http.MaxBytesReader(nil, answer.Body, maxAnswer)).Decode(into)
}

// refuses reports whether the server refuses connections, as it does for others, too. A connection that
// was open when the server ended fails in another way.
func (c *Client) refuses(ctx context.Context) bool {
	u, err := url.Parse(c.Address)
	if err != nil {
		return false
	}
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), u.Scheme)
	}
	conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", host)
	if err == nil {
		_ = conn.Close() // nothing was sent
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}

// Renew implements store.LeaseWriter. The tenant is that of the token.
func (c *Client) Renew(ctx context.Context, _, group, member string, ttl time.Duration) ([]store.Lease, error) {
	var d documents.Leases
	if err := c.lease(ctx, documents.LeaseRequest{Group: group, Member: member, TTL: ttl}, &d); err != nil {
		return nil, err
	}
	all := make([]store.Lease, len(d.Leases))
	for i, l := range d.Leases {
		all[i] = store.Lease{Group: group, Member: l.Member, Left: l.Left}
	}
	return all, nil
}

// Release implements store.LeaseWriter.
func (c *Client) Release(ctx context.Context, _, group, member string) error {
	return c.lease(ctx, documents.LeaseRequest{Group: group, Member: member, Release: true}, nil)
}

// Publish implements store.LeaseWriter.
func (c *Client) Publish(ctx context.Context, _, group, member string, document []byte) error {
	return c.lease(ctx, documents.LeaseRequest{Group: group, Member: member, Document: document}, nil)
}
