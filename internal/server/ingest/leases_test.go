package ingest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/internal/store/leasefile"
	"github.com/whet-go/whet/internal/store/remote"
	"github.com/whet-go/whet/store"
)

// downLeases are on a store that fails.
type downLeases struct {
	store.LeaseWriter
	err error
}

func (d *downLeases) Renew(context.Context, string, string, string, time.Duration) ([]store.Lease, error) {
	return nil, d.err
}

// TestLeases keeps leases over HTTP, as whet watch does at an address.
func TestLeases(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	file := leasefile.New(t.TempDir(), nil)
	defer func() { _ = file.Close() }()
	allow := func(*http.Request) (string, error) { return "red", nil }
	s := serve(t, New(Options{Writer: &memory{}, Leases: file, Allow: allow}))
	c := &remote.Client{Address: s.URL}
	all, err := c.Renew(ctx, "ignored", "shop", "a", time.Hour)
	if err != nil || len(all) != 1 || all[0].Member != "a" || all[0].Left < time.Minute {
		t.Errorf("%d leases, %v", len(all), err)
	}
	if all, err = c.Renew(ctx, "", "shop", "b", time.Hour); err != nil || len(all) != 2 {
		t.Errorf("%d leases, %v", len(all), err)
	}
	if err := c.Publish(ctx, "", "shop", "b", []byte("a document")); err != nil {
		t.Error(err)
	}
	if err := c.Release(ctx, "", "shop", "a"); err != nil {
		t.Error(err)
	}
	kept, err := file.Leases(ctx, "red")
	if err != nil || len(kept) != 1 || kept[0].Member != "b" || string(kept[0].Document) != "a document" {
		t.Errorf("%d leases are kept, %v", len(kept), err)
	}
	for body, want := range map[string]string{
		`{"group":"","member":"a","ttl_ns":1000}`:                  "printable ASCII",
		`{"group":"shop","member":"a","ttl_ns":-1}`:                "ttl_ns is -1ns",
		`{"group":"shop","member":"a","ttl_ns":99999999999999999}`: "want at most 1h",
		`{`: "unexpected end",
	} {
		r, text := post(t, s.URL+leasesPath, nil, []byte(body))
		if r.StatusCode != http.StatusBadRequest || !strings.Contains(text, want) {
			t.Errorf("%s: %s %s, want %s", body, r.Status, text, want)
		}
	}
	none := serve(t, New(Options{Writer: &memory{}}))
	if r, text := post(t, none.URL+leasesPath, nil, []byte(`{}`)); r.StatusCode != http.StatusNotFound {
		t.Errorf("without leases: %s %s", r.Status, text)
	}
	down := &downLeases{}
	fails := serve(t, New(Options{Writer: &memory{}, Leases: down}))
	c.Address = fails.URL
	for _, err := range []error{store.ErrUnavailable, fmt.Errorf("shard 1 of /secret: %w", store.ErrDown)} {
		down.err = err
		_, got := c.Renew(ctx, "", "shop", "a", time.Hour)
		if got == nil || errors.Is(got, store.ErrDown) != errors.Is(err, store.ErrDown) ||
			strings.Contains(got.Error(), "secret") {
			t.Errorf("%v becomes %v", err, got)
		}
		r, _ := post(t, fails.URL+leasesPath, nil, []byte(`{"group":"shop","member":"a","ttl_ns":1000}`))
		if r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" ||
			(r.Header.Get(documents.DownHeader) != "") != errors.Is(err, store.ErrDown) {
			t.Errorf("%v: %s %v", err, r.Status, r.Header)
		}
	}
	fails.Close()
	if _, err := c.Renew(ctx, "", "shop", "a", time.Hour); !errors.Is(err, store.ErrDown) {
		t.Errorf("the server has ended: %v", err)
	}
}
