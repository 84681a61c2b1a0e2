package workbench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/server/access"
	storedocs "github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/internal/store/remote"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
)

// sharded is a store one of whose shards is down: what another has is answered only where partial
// answers are allowed.
type sharded struct {
	store.Reader
	down *store.PartialError // nil: all are up
}

func (s *sharded) check(ctx context.Context) error {
	if s.down == nil {
		return nil
	}
	if report := store.PartialAllowed(ctx); report != nil {
		report(s.down)
		return nil
	}
	return fmt.Errorf("query: %w: %w", s.down, store.ErrUnavailable)
}

func (s *sharded) Merge(ctx context.Context, q store.Query) (*profile.Profile, store.Stats, error) {
	if err := s.check(ctx); err != nil {
		return nil, store.Stats{}, err
	}
	return s.Reader.Merge(ctx, q)
}

func (s *sharded) Series(ctx context.Context, q store.Query) ([]store.Series, error) {
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	return s.Reader.Series(ctx, q)
}

func (s *sharded) LabelNames(ctx context.Context, q store.Query) ([]string, error) {
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	return s.Reader.LabelNames(ctx, q)
}

func (s *sharded) LabelValues(ctx context.Context, q store.Query, name string) ([]string, error) {
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	return s.Reader.LabelValues(ctx, q, name)
}

func (s *sharded) Types(ctx context.Context, q store.Query) ([]store.Type, error) {
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	return s.Reader.Types(ctx, q)
}

func (s *sharded) Profiles(ctx context.Context, q store.Query, limit int) ([]store.Meta, error) {
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	return s.Reader.Profiles(ctx, q, limit)
}

func (s *sharded) Get(ctx context.Context, tenant string, id store.ID) (store.Profile, error) {
	if err := s.check(ctx); err != nil {
		return store.Profile{}, err
	}
	return s.Reader.Get(ctx, tenant, id)
}

// TestPartial asks for everything while a shard is down: answers are errors that name it, or say that
// they lack it.
func TestPartial(t *testing.T) {
	stored := newStore(t)
	both := []store.Profile{storedAt(0, "v1"), storedAt(1, "v2")}
	if err := stored.Write(t.Context(), "", both); err != nil {
		t.Fatal(err)
	}
	const shard = "shard 2 (10.0.0.2:9000)"
	s := &sharded{Reader: stored}
	serve := func(allowed bool) *Server {
		h, _ := serveDir(t, t.TempDir(), access.Options{}, func(o *Options) { o.Store, o.AllowPartial = s, allowed })
		return h
	}
	strict, partial := serve(false), serve(true)
	file, base := url.QueryEscape(`store:cpu{version="v1"}`), url.QueryEscape(`store:cpu{version="v2"}`)
	id := store.NewID(&both[0])
	pages := []string{
		"store/series", "store/labels", "store/labels?name=version", "store/profiles", "store/merge?kind=cpu",
		"store/profile?id=" + id.String(),
		"store/timeline?step=1m&from=2026-05-04T03:00:00Z&to=2026-05-04T03:02:00Z", "store/regressions?step=1m",
		"top?file=" + file, "top?file=" + file + "&diff_base=" + base, "tags?file=" + file, "flame?file=" + file,
		"flame?format=packed&file=" + file, "graph?file=" + file, "graph?format=svg&file=" + file, "overview?file=" + file,
		"diff?file=" + file + "&diff_base=" + base, "file?file=" + file, "list?match=.&file=" + file,
	}
	for _, page := range pages {
		s.down = nil
		whole := ask(partial, http.MethodGet, "/api/v1/"+page, "")
		if whole.Code != http.StatusOK || whole.Header().Get(storedocs.PartialHeader) != "" ||
			strings.Contains(whole.Body.String(), "missing_shards") {
			t.Errorf("%s of all shards: %d %.300s", page, whole.Code, whole.Body)
		}
		s.down = &store.PartialError{Cluster: "main", Missing: []string{shard}}
		w := ask(strict, http.MethodGet, "/api/v1/"+page, "")
		if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), shard) {
			t.Errorf("%s: %d %.300s, want 503 and the shard", page, w.Code, w.Body)
		}
		w = ask(partial, http.MethodGet, "/api/v1/"+page, "")
		lacks := storedocs.PartialOf(w.Header())
		if w.Code != http.StatusOK || lacks == nil || lacks.Cluster != "main" ||
			!slices.Equal(lacks.Missing, s.down.Missing) {
			t.Errorf("%s: %d, lacks %+v: %.300s", page, w.Code, lacks, w.Body)
		}
		text := w.Body.String()
		isJSON := strings.HasPrefix(w.Header().Get("Content-Type"), "application/json")
		document := strings.HasPrefix(page, "store/") && isJSON
		if document && !strings.Contains(text, `"missing_shards"`) {
			t.Errorf("%s has no field that says so: %.300s", page, text)
		}
		warned := `"kind": "` + storedocs.PartialKind + `"`
		if isJSON && !strings.HasPrefix(page, "flame") && strings.Count(text, warned) != 1 {
			t.Errorf("%s warns %d times of it: %.500s", page, strings.Count(text, warned), text)
		}
	}
	// What is not found may be on the shard.
	w := ask(partial, http.MethodGet, "/api/v1/store/merge?query=version%3Dv3", "")
	if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), shard) ||
		storedocs.PartialOf(w.Header()) == nil {
		t.Errorf("not found: %d %s", w.Code, w.Body)
	}
	clientOfPartial(t, partial, s, id)
}

// clientOfPartial asks the server as whet query does.
func clientOfPartial(t *testing.T, h http.Handler, s *sharded, id store.ID) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = "127.0.0.1:1"
		h.ServeHTTP(w, r)
	}))
	defer server.Close()
	var warned []error
	strict := &remote.Client{Address: server.URL}
	lenient := &remote.Client{
		Address: server.URL, AllowPartial: true, Warn: func(err error) { warned = append(warned, err) },
	}
	ctx := t.Context()
	q := store.Query{Kind: "cpu"}
	for what, work := range map[string]func(context.Context, store.Reader) error{
		"merge":    func(ctx context.Context, r store.Reader) error { _, _, err := r.Merge(ctx, q); return err },
		"series":   func(ctx context.Context, r store.Reader) error { _, err := r.Series(ctx, q); return err },
		"types":    func(ctx context.Context, r store.Reader) error { _, err := r.Types(ctx, q); return err },
		"labels":   func(ctx context.Context, r store.Reader) error { _, err := r.LabelNames(ctx, q); return err },
		"values":   func(ctx context.Context, r store.Reader) error { _, err := r.LabelValues(ctx, q, "a"); return err },
		"profiles": func(ctx context.Context, r store.Reader) error { _, err := r.Profiles(ctx, q, 9); return err },
		"get":      func(ctx context.Context, r store.Reader) error { _, err := r.Get(ctx, "", id); return err },
	} {
		name := s.down.Missing[0]
		err := work(ctx, strict)
		if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), name) ||
			!strings.Contains(diag.Hint(err), "--allow-partial") {
			t.Errorf("%s: %v, hint %q", what, err, diag.Hint(err))
		}
		warned = nil
		lacks := (*store.PartialError)(nil)
		if err := work(ctx, lenient); err != nil || len(warned) != 1 || !errors.As(warned[0], &lacks) ||
			!slices.Equal(lacks.Missing, s.down.Missing) {
			t.Errorf("%s: %v, warned of %v", what, err, warned)
		}
		var reported []string
		allowed := store.AllowPartial(ctx, func(e *store.PartialError) { reported = append(reported, e.Missing...) })
		if err := work(allowed, strict); err != nil || !slices.Equal(reported, s.down.Missing) {
			t.Errorf("%s where it is allowed: %v, %q", what, err, reported)
		}
	}
	none := store.Query{Kind: "cpu", From: storedAt(60, "").Start}
	if _, _, err := strict.Merge(ctx, none); !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrNotFound) {
		t.Errorf("nothing found, which may be on the shard: %v", err)
	}
	if _, _, err := lenient.Merge(ctx, none); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("nothing found: %v", err)
	}
	s.down = nil
	if _, _, err := strict.Merge(ctx, q); err != nil {
		t.Errorf("all shards are up: %v", err)
	}
}
