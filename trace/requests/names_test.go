package requests_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime"
	"runtime/trace"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/trace/tracetest"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/requests"
)

// truth is the category of the logs that name the handler of each request. The outermost function
// of a server writes them, so that their own stacks do not show the handler.
const truth = "truth"

// A score counts requests by whether their class agrees with their handler.
type score struct {
	right, unnamed, wrong int
	by                    map[string]int // correct ones by handler
}

// scored compares the classes of all requests with the truth.
func scored(t *testing.T, x *index.Index) score {
	t.Helper()
	type log struct {
		at      int64
		handler string
	}
	logs := map[uint32][]log{}
	if err := x.Records(index.Logs, 0, x.Info.Duration, func(r *index.Record) bool {
		if x.Name(r.Name) == truth {
			logs[r.Goroutine-1] = append(logs[r.Goroutine-1], log{r.To, r.Text})
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	s := score{by: map[string]int{}}
	if _, err := requests.Find(x, requests.Options{Slowest: 1, Each: func(class string, r *requests.Request) {
		var handlers []string
		for _, l := range logs[r.Goroutine] {
			if l.at >= r.From && l.at <= r.To {
				handlers = append(handlers, l.handler)
			}
		}
		switch {
		case len(handlers) != 1:
			t.Errorf("a request of %s has the handlers %q", class, handlers)
		case !requests.HandlerSeen(class):
			s.unnamed++
		case class == handlers[0]:
			s.right++
			s.by[class]++
		default:
			s.wrong++
			t.Errorf("a request for %s is named %s", handlers[0], class)
		}
	}}); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestStoredNames checks that no request of other modules' servers gets a wrong name
// (testdata/README.md).
func TestStoredNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]score{
		"truth-chi":    {right: 24, unnamed: 64},
		"truth-echo":   {right: 18, unnamed: 46},
		"truth-gin":    {right: 16, unnamed: 72},
		"truth-grpcmw": {right: 8, unnamed: 16},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := scored(t, tracetest.Index(t, stored(t, name)))
			if got.right != want.right || got.unnamed != want.unnamed {
				t.Errorf("%d are named and %d are not, want %d and %d", got.right, got.unnamed, want.right, want.unnamed)
			}
		})
	}
}

// light has handlers of which a trace shows little. A function that yields is seen, because it
// leaves its processor.
type light struct {
	met chan struct{}
}

func even(n int) string {
	if n%2 == 0 {
		runtime.Gosched()
	}
	return strconv.Itoa(n)
}

func odd(w io.Writer, text string) {
	if n, _ := strconv.Atoi(text); n%2 == 1 {
		runtime.Gosched()
	}
	_, _ = io.WriteString(w, text)
}

func numberOf(r *http.Request) int {
	n, _ := strconv.Atoi(r.FormValue("n"))
	return n
}

func (l *light) quiet(w http.ResponseWriter, r *http.Request) {
	_, _ = io.WriteString(w, strconv.Itoa(numberOf(r)))
}

func (l *light) half(w http.ResponseWriter, r *http.Request) { odd(w, strconv.Itoa(numberOf(r))) }

func (l *light) region(w http.ResponseWriter, r *http.Request) {
	defer trace.StartRegion(r.Context(), "region").End()
	l.quiet(w, r)
}

func (l *light) task(w http.ResponseWriter, r *http.Request) {
	_, task := trace.NewTask(r.Context(), "task")
	defer task.End()
	l.quiet(w, r)
}

func (l *light) log(w http.ResponseWriter, r *http.Request) {
	trace.Log(r.Context(), "log", "here")
	l.quiet(w, r)
}

// Ping and pong wait for each other: one of them wakes the other.
func (l *light) ping(http.ResponseWriter, *http.Request) { l.met <- struct{}{} }
func (l *light) pong(http.ResponseWriter, *http.Request) { <-l.met }

// yields is a middleware that is seen occasionally.
func yields(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if numberOf(r)%3 == 0 {
			runtime.Gosched()
		}
		next.ServeHTTP(w, r)
	})
}

// A guard has a method that is a middleware.
type guard struct {
	http.Handler
	mu sync.Mutex
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	runtime.Gosched()
	g.mu.Unlock()
	g.Handler.ServeHTTP(w, r)
}

// TestLightNames checks that no request whose handler is hardly seen gets a wrong name, and that
// all with a mark of runtime/trace get the right one.
func TestLightNames(t *testing.T) {
	for name, around := range map[string]func(http.Handler) http.Handler{
		"none":    func(h http.Handler) http.Handler { return h },
		"closure": yields,
		"method":  func(h http.Handler) http.Handler { return &guard{Handler: h} },
		"several": func(h http.Handler) http.Handler { return yields(&guard{Handler: yields(h)}) },
		"timeout": func(h http.Handler) http.Handler {
			return yields(&guard{Handler: http.TimeoutHandler(yields(h), time.Minute, "late")})
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := &light{met: make(chan struct{})}
			handlers := map[string]http.HandlerFunc{
				"/quiet": l.quiet, "/half": l.half, "/region": l.region, "/task": l.task, "/log": l.log, "/ping": l.ping,
				"/pong":    l.pong,
				"/closure": func(w http.ResponseWriter, r *http.Request) { odd(w, even(numberOf(r))) }, // two calls on a line
			}
			mux, names := http.NewServeMux(), map[string]string{}
			for path, h := range handlers {
				mux.Handle(path, h)
				names[path] = strings.TrimSuffix(runtime.FuncForPC(reflect.ValueOf(h).Pointer()).Name(), "-fm")
			}
			inner := around(mux)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				trace.Log(r.Context(), truth, names[r.URL.Path])
				inner.ServeHTTP(w, r)
			}))
			defer server.Close()
			const each = 24
			data := recorded(t, func() {
				var all sync.WaitGroup
				for path := range handlers {
					all.Go(func() {
						for n := range each {
							get(t, server.URL, path+"?n="+strconv.Itoa(n), 1)
						}
					})
				}
				all.Wait()
				server.Close() // so that the last requests have ended, too
			})
			got := scored(t, tracetest.Index(t, data))
			if n := got.right + got.unnamed + got.wrong; n != each*len(handlers) {
				t.Errorf("%d requests, want %d", n, each*len(handlers))
			}
			for _, path := range []string{"/region", "/task", "/log"} {
				if n := got.by[names[path]]; n != each {
					t.Errorf("%d of %d requests of %s are named", n, each, path)
				}
			}
			if half := got.by[names["/half"]]; half < each/2 {
				t.Errorf("%d of %d requests are named that yield", half, each)
			}
		})
	}
}
