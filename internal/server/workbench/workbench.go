package workbench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/lines"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/graphviz"
	"github.com/whet-go/whet/internal/report"
	"github.com/whet-go/whet/internal/scrape"
	"github.com/whet-go/whet/internal/server"
	"github.com/whet-go/whet/internal/server/access"
	"github.com/whet-go/whet/internal/server/answers"
	"github.com/whet-go/whet/internal/server/compiled"
	"github.com/whet-go/whet/internal/server/files"
	"github.com/whet-go/whet/internal/server/inputs"
	"github.com/whet-go/whet/internal/server/jobs"
	"github.com/whet-go/whet/internal/server/openapi"
	"github.com/whet-go/whet/internal/server/problem"
	"github.com/whet-go/whet/internal/server/results"
	"github.com/whet-go/whet/internal/server/slow"
	"github.com/whet-go/whet/internal/server/stored"
	"github.com/whet-go/whet/internal/server/timelines"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/trace/timeline"
)

// apiBase is the path of the API.
const apiBase = server.Base

// A Target is a service that may be recorded from the page.
type Target struct {
	Address string // as collect.Options.URL
	Name    string // without a password
}

// A Load is a load that may be sent while a target is recorded.
type Load struct {
	Name    string
	Options load.Options
}

// Options configure a Server. Files, Guard and Assets are required.
type Options struct {
	Files *files.Set
	Guard *access.Guard
	// Assets are the files of the web pages; index.html is one of them.
	Assets fs.FS

	// Roots are the names that Files was opened with, as far as readers may know them.
	Roots   []string
	Targets []Target
	Loads   []Load
	Own     []string // additional prefixes of own code
	// Dir is a module in which the causes of costs may be looked for; "" means none.
	Dir     string
	Editor  *Editor // of Dir's source; nil means that there are no links
	Version string  // of whet
	// Store answers queries of profiles over time; nil means that there is none. A file named
	// store:KIND{SELECTOR} is then a merged profile, in every view.
	Store store.Reader
	// Recordings are whole recordings in the store; nil means that there are none. The file stored/ID.whet
	// is one of them, in every view.
	Recordings store.RecordingStore
	// Results are documents of measurements in the store; nil means that there are none.
	Results store.ResultStore
	// AllowPartial answers queries of Store without the shards that are down; answers and pages say so.
	AllowPartial bool
	// Scraped returns the state of what is scraped into the store; nil means that nothing is.
	Scraped func() scrape.Status
	// Leases are those of processes that share targets; nil means that there are none.
	Leases store.LeaseStore
	// Tenants are those whose tokens may read their profiles below /api/v1/store; nil means that
	// there is only the tenant "", whose profiles Guard protects.
	Tenants *access.Tenants
	// Mounts are handlers of other packages. Unless they check tokens, they get only requests that
	// may read data.
	Mounts []Mount
	// First is the page that "/" leads to, such as "/overview?file=x.whet"; "" means the list.
	First string
}

// A Server answers requests. Close must be called after its last one.
type Server struct {
	o       Options
	inputs  *inputs.Cache
	stored  *stored.API
	results *results.Reader
	jobs    *jobs.Manager
	graphs  *graphviz.Renderer
	traces  *timelines.Cache
	slow    slow.Answers
	// compiler gets notes on files of Dir's module
	compiler *compiled.Compiler
	mounts   *http.ServeMux // those that check tokens
	lives    *lives
	doc      []byte // the OpenAPI document
	found    findings
	given    *answers.Cache
	api      http.Handler // without checks of access
	http.Handler
}

// New returns a server whose jobs end when ctx does.
func New(ctx context.Context, o Options) (*Server, error) {
	s := &Server{
		o: o, jobs: jobs.New(ctx), graphs: graphviz.New(ctx), traces: timelines.New(o.Files, o.Own),
		lives: &lives{ctx: ctx, own: o.Own, runs: map[string]*liveRun{}},
		found: findings{byFile: map[string]*find.Result{}}, given: answers.New(maxAnswers), mounts: http.NewServeMux(),
	}
	s.slow = slow.Answers{Jobs: s.jobs, Base: apiBase, Plain: o.Files.Plain}
	s.compiler = compiled.New(o.Dir, lines.CacheDir())
	s.inputs, s.results = inputs.New(o.Files, o.Own), results.New(o.Files)
	if o.Recordings != nil {
		err := o.Files.AddFetched(stored.RecordingRoot, stored.MaxFetched, stored.Fetch(ctx, o.Recordings))
		if err != nil {
			return nil, err
		}
	}
	s.stored = &stored.API{
		Store: o.Store, Recordings: o.Recordings, Results: o.Results, Inputs: s.inputs, Base: apiBase,
		Scraped: o.Scraped, Tenants: o.Tenants, Repo: o.Dir,
		AllowPartial: o.AllowPartial, Leases: o.Leases,
	}
	mux := http.NewServeMux()
	routes := s.routes()
	if o.Store != nil {
		for _, r := range s.stored.Routes() {
			routes = append(routes, route{r.Operation, r.Serve})
		}
	}
	routes = append(routes, s.timelineRoutes()...)
	var ops []openapi.Operation
	for _, r := range routes {
		mux.HandleFunc(r.Method+" "+apiBase+r.Path, s.handle(r.serve))
		ops = append(ops, r.Operation)
	}
	for _, m := range o.Mounts {
		if m.Checks {
			s.mounts.Handle(m.Pattern, m.Handler)
		} else {
			mux.Handle(m.Pattern, s.mounted(m.Handler))
		}
	}
	var err error
	described := openapi.Document("whet", "1", apiBase, problem.Problem{}, ops)
	if s.doc, err = json.MarshalIndent(described, "", "  "); err != nil {
		return nil, fmt.Errorf("describe the API: %w", err)
	}
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		s.problem(w, http.StatusNotFound, &diag.Error{
			Op: r.Method, Subject: r.URL.Path, Err: errors.New("not in this API"), Hint: apiBase + "/openapi.json describes it",
		})
	})
	mux.HandleFunc("GET /trace/{rest...}", s.handle(s.tracePage))
	assets, err := newAssets(o.Assets)
	if err != nil {
		return nil, err
	}
	mux.Handle("/", assets)
	s.api, s.Handler = mux, s.guard(mux)
	return s, nil
}

// Close ends the jobs and releases what was opened.
func (s *Server) Close() error {
	s.jobs.Wait()
	s.slow.Wait()
	s.lives.wait.Wait()
	s.inputs.Close()
	return errors.Join(s.graphs.Close(), s.traces.Close())
}

// policy is the content security policy of the pages: only this server's scripts and styles.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guard checks requests and sets the headers of all answers.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if err := s.o.Guard.Check(r); err != nil {
			s.problem(w, http.StatusForbidden, &diag.Error{
				Op: "refused", Err: err, Hint: "open the address that whet printed, or name the server's host with --host",
			})
			return
		}
		if _, pattern := s.mounts.Handler(r); pattern != "" {
			s.mounts.ServeHTTP(w, r)
			return
		}
		// The script and the style are the same for everybody; data is not.
		api := strings.HasPrefix(r.URL.Path, "/api/") && r.URL.Path != apiBase+"/session"
		data := api || strings.HasPrefix(r.URL.Path, "/trace/")
		if data && !s.stored.IsTenant(r) && !s.allowed(w, r) {
			return
		}
		next.ServeHTTP(w, r)
	})
}

// allowed reports whether a request may read data; otherwise it answers.
func (s *Server) allowed(w http.ResponseWriter, r *http.Request) bool {
	if s.o.Guard.Allowed(r) {
		return true
	}
	w.Header().Set("WWW-Authenticate", "Bearer")
	s.problem(w, http.StatusUnauthorized, &diag.Error{
		Op: "refused", Err: access.ErrToken, Hint: "send it as Authorization: Bearer TOKEN, or log in on the page",
	})
	return false
}

// problem answers with an error.
func (s *Server) problem(w http.ResponseWriter, code int, err error) {
	problem.Write(w, code, s.o.Files.Plain(err.Error()), s.o.Files.Plain(diag.Hint(err)))
}

// A handler answers a request, or returns an error before it has written anything.
type handler func(w http.ResponseWriter, r *http.Request) error

// handle turns a handler into one of package http.
func (s *Server) handle(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r = s.stored.Allow(w, r)
		err := h(w, r)
		if err != nil {
			err = stored.Incomplete(r.Context(), err)
		}
		switch {
		case err == nil:
		case r.Context().Err() != nil:
			s.problem(w, http.StatusServiceUnavailable, err) // the client no longer waits
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, store.ErrNotFound):
			s.problem(w, http.StatusNotFound, err)
		case errors.Is(err, access.ErrToken):
			s.problem(w, http.StatusUnauthorized, err)
		case diag.ExitCode(err) == diag.Usage.ExitCode(), errors.Is(err, timeline.ErrQuery):
			s.problem(w, http.StatusBadRequest, err)
		case errors.Is(err, store.ErrUnavailable):
			s.problem(w, http.StatusServiceUnavailable, err)
		default:
			s.problem(w, http.StatusUnprocessableEntity, err)
		}
	}
}

// maxAnswers is the size of the answers about files that are kept, in bytes.
const maxAnswers = 64 << 20

// kept keeps the answers of h, which depend on the request's files and what was found in them. The text of a line that
// is edited later stays as it was: the costs are those of that text.
func (s *Server) kept(h handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		key, ok := s.answerKey(r)
		if !ok {
			return h(w, r)
		}
		return s.given.Serve(w, key, func(w http.ResponseWriter) error { return h(w, r) })
	}
}

// answerKey identifies the answer to a request, which depends on files as they are now. It is false if there is one
// whose state is not known, such as a query of a store.
func (s *Server) answerKey(r *http.Request) (key string, ok bool) {
	q := r.URL.Query()
	s.found.mu.Lock()
	key = fmt.Sprintf("%s?%s\n%d", r.URL.Path, q.Encode(), s.found.count)
	s.found.mu.Unlock()
	for _, name := range []string{q.Get("file"), q.Get("diff_base"), q.Get("base")} {
		if name == "" {
			continue
		}
		state := s.stateOf(name)
		if state == "" {
			return key, false
		}
		key += "\n" + state
	}
	return key, true
}

// answer writes a document as --json does.
func answer(w http.ResponseWriter, doc any) error {
	w.Header().Set("Content-Type", "application/json")
	_ = report.JSON(w, doc) // the client may be gone
	return nil
}

// maxBody is the size of the largest request in JSON, in bytes.
const maxBody = 64 << 10

// body decodes the JSON of a request.
func body(r *http.Request, into any) error {
	d := json.NewDecoder(io.LimitReader(r.Body, maxBody))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return &diag.Error{Op: "read the request", Err: err, Kind: diag.Usage, Hint: apiBase + "/openapi.json describes it"}
	}
	return nil
}

// A route is an operation and its handler.
type route struct {
	openapi.Operation
	serve handler
}

// longRead lets a client send a large body, as long as some of it arrives now and then.
func longRead(w http.ResponseWriter, d time.Duration) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(d)) // else the usual time
}
