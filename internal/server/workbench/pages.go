package workbench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/loads"
	"github.com/whet-go/whet/internal/report/traces"
	"github.com/whet-go/whet/internal/server"
	"github.com/whet-go/whet/internal/server/saved"
	"github.com/whet-go/whet/internal/trace/profiles"
	"github.com/whet-go/whet/internal/trace/window"
	"github.com/whet-go/whet/trace/timeline"
)

// tracePage leads from where a timeline once was, /trace/FILE/ with an escaped FILE, to its page.
func (s *Server) tracePage(w http.ResponseWriter, r *http.Request) error {
	escaped, rest, ok := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/trace/"), "/")
	name, err := url.PathUnescape(escaped)
	if err != nil || !ok || rest != "" {
		return &diag.Error{
			Op: r.Method, Subject: r.URL.Path, Err: fs.ErrNotExist,
			Hint: "timelines are below " + apiBase + "/timeline/: " + apiBase + "/openapi.json describes them",
		}
	}
	http.Redirect(w, r, "/timeline?"+url.Values{"file": {name}}.Encode(), http.StatusMovedPermanently)
	return nil
}

// timelineOf returns the timeline that a request is about.
func (s *Server) timelineOf(r *http.Request) (*timeline.Timeline, func(), error) {
	t, release, err := s.traces.Open(r.Context(), r.URL.Query().Get("file"))
	if err != nil {
		return nil, nil, err
	}
	return t.Timeline, release, nil
}

// timelineRoutes are the operations of timelines. The first one that a page requests may index the trace.
func (s *Server) timelineRoutes() []route {
	var list []route
	for i, r := range server.Routes(s.timelineOf, fileParam()) {
		one := route{r.Operation, r.Serve}
		if i == 0 {
			one = s.long(one)
		}
		list = append(list, one)
	}
	return list
}

// load answers with the charts of one load, or of two, as data or as a self-contained page.
func (s *Server) load(w http.ResponseWriter, r *http.Request) error {
	given := r.URL.Query()
	p := loads.Page{Title: path.Base(given.Get("file"))}
	for _, name := range []string{given.Get("base"), given.Get("file")} {
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
	switch format := given.Get("format"); format {
	case "", "json":
		return answer(w, loads.NewDocument(p))
	case "html":
		var b bytes.Buffer
		if err := loads.WritePage(&b, p); err != nil {
			return fmt.Errorf("draw load: %w", err)
		}
		savedPage(w, p.Title+".html", b.Bytes())
		return nil
	default:
		return diag.Usagef("format", fmt.Sprintf("unknown format %.40q (want json or html)", format), "")
	}
}

// timelinePage answers with the timeline of a trace, or a window of it, as a self-contained page.
func (s *Server) timelinePage(w http.ResponseWriter, r *http.Request) error {
	name := r.URL.Query().Get("file")
	from, to, err := readWindow(r.URL.Query())
	if err != nil {
		return err
	}
	t, release, err := s.traces.Open(r.Context(), name)
	if err != nil {
		return err
	}
	defer release()
	var b bytes.Buffer
	if err := traces.WriteTimelinePage(r.Context(), &b, t.Timeline, window.Options{From: from, To: to}); err != nil {
		return err
	}
	savedPage(w, path.Base(name)+".html", b.Bytes())
	return nil
}

// readWindow reads a window of a trace, in nanoseconds since its start. to is 0 if it is the end of the trace.
func readWindow(given url.Values) (from, to int64, err error) {
	for end, into := range map[string]*int64{"from": &from, "to": &to} {
		if text := given.Get(end); text != "" {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil || n < 0 {
				return 0, 0, diag.Usagef(end, fmt.Sprintf("%.40q is not a time in the trace", text),
					"give nanoseconds since its start")
			}
			*into = n
		}
	}
	if to > 0 && from >= to {
		return 0, 0, diag.Usagef("from", "the window ends before it begins", "exchange from and to")
	}
	return from, to, nil
}

// traceProfile answers with a profile of a window of a trace, or of one goroutine in it.
func (s *Server) traceProfile(w http.ResponseWriter, r *http.Request) error {
	given := r.URL.Query()
	name, kind := given.Get("file"), profiles.Type(given.Get("kind"))
	if !slices.Contains(profiles.Types(), kind) {
		return diag.Usagef("kind", fmt.Sprintf("unknown profile %.40q (want %v)", kind, profiles.Types()), "")
	}
	var o profiles.Options
	var err error
	if o.From, o.To, err = readWindow(given); err != nil {
		return err
	}
	t, release, err := s.traces.Open(r.Context(), name)
	if err != nil {
		return err
	}
	defer release()
	if text := given.Get("goroutine"); text != "" {
		n, err := strconv.ParseUint(strings.TrimPrefix(text, "g"), 10, 32)
		if err != nil {
			return diag.Usagef("goroutine", fmt.Sprintf("%.40q is not the ID of one", text), "the timeline's rows have them")
		}
		o.Within = &profiles.Parts{}
		o.Within.Add(uint32(n), 0, t.Index.Info.Duration)
	}
	p, err := profiles.New(t.Index, kind, o)
	if err != nil {
		return err
	}
	if len(p.Sample) == 0 {
		return diag.Usagef("kind", fmt.Sprintf("the window has no data of type %s", kind), "choose another type or window")
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		return fmt.Errorf("write profile: %w", err)
	}
	attached(w, fmt.Sprintf("%s.trace-%s.pb.gz", strings.TrimSuffix(path.Base(name), ".whet"), kind))
	_, _ = w.Write(b.Bytes()) // the client may be gone
	return nil
}

// Save writes all views of a recording or profile, by its name in the list of files, as a self-contained page.
func (s *Server) Save(ctx context.Context, w io.Writer, name string) error {
	return saved.Write(ctx, w, s.api, apiBase, name)
}

// saved answers with what Save writes.
func (s *Server) saved(w http.ResponseWriter, r *http.Request) error {
	name := r.URL.Query().Get("file")
	var b bytes.Buffer
	if err := s.Save(r.Context(), &b, name); err != nil {
		return err
	}
	savedPage(w, path.Base(name)+".html", b.Bytes())
	return nil
}

// savedPage answers with a self-contained page, to be saved as a file.
func savedPage(w http.ResponseWriter, name string, page []byte) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="`+headerName(name)+`"`)
	_, _ = w.Write(page) // the client may be gone
}
