package workbench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/loads"
	"github.com/whet-go/whet/internal/report/traces"
	"github.com/whet-go/whet/internal/server"
	"github.com/whet-go/whet/trace/timeline"
)

// maxTimelines is the number of indexes of traces that are kept open.
const maxTimelines = 4

// A pageCache keeps the timelines that were last used.
type pageCache struct {
	mu   sync.Mutex
	kept []*openTimeline // least recently used first
}

type openTimeline struct {
	path    string
	trace   *input.Trace
	handler http.Handler
	users   int
	out     bool
}

func (c *pageCache) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for _, t := range c.kept {
		errs = append(errs, t.trace.Close())
	}
	c.kept = nil
	return errors.Join(errs...)
}

// tracePage serves the timeline of a trace and its data: /trace/FILE/, where FILE is escaped.
func (s *Server) tracePage(w http.ResponseWriter, r *http.Request) error {
	escaped, rest, ok := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/trace/"), "/")
	name, err := url.PathUnescape(escaped)
	if err != nil || !ok {
		return &diag.Error{Op: "trace", Subject: r.URL.Path, Err: errNoTrace, Kind: diag.Usage}
	}
	t, release, err := s.timeline(r.Context(), name)
	if err != nil {
		return err
	}
	defer release()
	inner := r.Clone(r.Context())
	inner.URL.Path, inner.URL.RawPath = "/"+rest, ""
	t.handler.ServeHTTP(w, inner)
	return nil
}

// timeline returns the timeline of a file's trace, which it indexes the first time.
func (s *Server) timeline(ctx context.Context, name string) (t *openTimeline, release func(), err error) {
	place, err := s.o.Files.Path(name)
	if err != nil {
		return nil, nil, err
	}
	c := s.pages
	c.mu.Lock()
	defer c.mu.Unlock()
	release = func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if t.users--; t.out && t.users == 0 {
			_ = t.trace.Close() // was only read
		}
	}
	for i, k := range c.kept {
		if k.path == place {
			c.kept = append(append(c.kept[:i:i], c.kept[i+1:]...), k)
			t = k
			t.users++
			return t, release, nil
		}
	}
	o := s.inputs.opener("trace")
	d, err := o.Document(ctx, place, nil)
	if err != nil {
		return nil, nil, err
	}
	defer d.Close()
	x, err := o.Trace(context.WithoutCancel(ctx), d, "")
	if err != nil {
		return nil, nil, err
	}
	line := timeline.New(x.Index, path.Base(name))
	page, policy, err := traces.TimelineServed(path.Base(name))
	if err != nil {
		return nil, nil, errors.Join(err, x.Close())
	}
	t = &openTimeline{
		path: place, trace: x, handler: server.Answers(line, server.Page{HTML: page, Policy: policy}), users: 1,
	}
	c.kept = append(c.kept, t)
	if len(c.kept) > maxTimelines {
		old := c.kept[0]
		c.kept = c.kept[1:]
		if old.out = true; old.users == 0 {
			_ = old.trace.Close() // was only read
		}
	}
	return t, release, nil
}

// loadPage serves the charts of one load, or of two: /load?file=&base=.
func (s *Server) loadPage(w http.ResponseWriter, r *http.Request) error {
	p := loads.Page{Title: path.Base(r.URL.Query().Get("file"))}
	for _, name := range []string{r.URL.Query().Get("base"), r.URL.Query().Get("file")} {
		if name == "" {
			continue
		}
		l, err := s.loadOf(r.Context(), name)
		if err != nil {
			return err
		}
		p.Runs, p.Names = append(p.Runs, l), append(p.Names, path.Base(name))
	}
	if len(p.Runs) < 2 { //nolint:mnd // one run needs no name
		p.Names = nil
	}
	if len(p.Runs) == 0 {
		return diag.Usagef("file", "no file is named", apiBase+"/files lists them")
	}
	var b bytes.Buffer
	if err := loads.WritePage(&b, p); err != nil {
		return fmt.Errorf("draw load: %w", err)
	}
	w.Header().Set("Content-Security-Policy", ownPolicy(b.Bytes()))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(b.Bytes()) // the client may be gone
	return nil
}

// ownPolicy returns the policy that a self-contained page states: it allows the one script by its hash.
func ownPolicy(page []byte) string {
	_, rest, ok := bytes.Cut(page, []byte(`http-equiv="Content-Security-Policy" content="`))
	found, _, closed := bytes.Cut(rest, []byte(`"`))
	if !ok || !closed {
		return policy
	}
	return string(found)
}
