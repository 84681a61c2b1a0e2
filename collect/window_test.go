package collect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/exp/trace"

	"github.com/whet-go/whet/internal/collect/handlers"
	"github.com/whet-go/whet/internal/collect/process"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
)

// TestServer records a busy server in another process and checks every part.
func TestServer(t *testing.T) {
	t.Parallel()
	url, cmd := startServer(t, "rates")
	out := filepath.Join(t.TempDir(), "r.whet")
	var notes, sampled []string
	var sum *Summary
	var r *recording.Recording
	// On a busy machine the server may get no CPU time during the window: then it is longer.
	for d := 2 * time.Second; ; d *= 3 {
		var err error
		if sum, err = Run(t.Context(), Options{
			URL: url, Out: out, Duration: d, Trace: d / 2,
			Load: &load.Options{URL: url + "/work", Connections: 1}, Version: "v1",
			Progress: func(p Progress) {
				if p.Note != "" {
					notes = append(notes, p.Note)
				}
			},
		}); err != nil {
			t.Fatal(err)
		}
		r = openRecording(t, out)
		if sampled = sampledProblems(t, sum, r); len(sampled) == 0 || d > 30*time.Second {
			break
		}
	}
	for _, problem := range sampled {
		t.Error(problem)
	}
	if len(sum.Failures) > 0 {
		t.Errorf("failures %v", sum.Failures)
	}
	m := r.Meta()
	if m.Target.PID != cmd.Process.Pid || m.GOMAXPROCS == 0 || m.GoVersion == "" || m.Interrupted || m.Whet != "v1" ||
		m.Build == nil || m.Build.Main.Path != "github.com/whet-go/whet" || m.CommandLine[0] != os.Args[0] {
		t.Errorf("meta: %+v", m)
	}
	for _, name := range []string{
		"cpu", "heap", "heap.live", "allocs", "block", "mutex", "goroutine", "goroutine.start", "threadcreate",
	} {
		p, err := r.Profile(name)
		if err != nil {
			t.Errorf("%s: %v (notes %q)", name, err, notes)
			continue
		}
		if p.NumSamples() == 0 {
			t.Errorf("%s is empty", name)
		}
	}
	if p, err := r.Profile("allocs"); err == nil && p.DefaultSampleType != "alloc_space" {
		t.Errorf("allocs shows %q first", p.DefaultSampleType)
	}
	for _, part := range []string{recording.MemStatsStartPart, recording.MemStatsEndPart} {
		if stats := handlers.MemStats(readPart(t, r, part)); stats.Value("Mallocs") <= 0 || stats.Value("NumGC") < 0 {
			t.Errorf("%s: %s", part, stats)
		}
	}
	var proc process.State
	if err := r.JSON(recording.ProcessPart, &proc); err != nil || proc.End == nil || proc.End.RSS == 0 ||
		proc.End.User <= proc.Start.User || len(proc.End.RSSByName) == 0 {
		t.Errorf("process: %+v, %v", proc, err)
	}
	if !slices.ContainsFunc(r.Sources(), func(s string) bool { return strings.HasSuffix(s, "collect/main_test.go") }) {
		t.Errorf("the hot source is missing: %q", r.Sources())
	}
	if !r.Has(recording.CodePart) {
		t.Error("no machine code")
	}
}

// sampledProblems lists what a recording of the test server lacks because the server got no CPU
// time.
func sampledProblems(t *testing.T, sum *Summary, r *recording.Recording) (problems []string) {
	t.Helper()
	if len(sum.Warnings) > 0 { // of the load
		problems = append(problems, fmt.Sprintf("warnings %v", sum.Warnings))
	}
	if sum.Load == nil || sum.Load.Responses == 0 {
		problems = append(problems, fmt.Sprintf("load: %+v", sum.Load))
	}
	for part, function := range map[string]string{
		"cpu": "collect.spin", "allocs": "collect.allocateInWindow", "mutex": "collect.churn", "block": "collect.churn",
	} {
		p, err := r.Profile(part)
		if err != nil || !slices.ContainsFunc(p.Functions, func(f profile.Function) bool {
			return strings.Contains(f.Name, function)
		}) {
			problems = append(problems, fmt.Sprintf("%s lacks %s: %v", part, function, err))
		}
	}
	if samples := traceSamples(t, bytes.NewReader(readPart(t, r, recording.TracePart))); samples == 0 {
		problems = append(problems, "trace holds no CPU samples")
	}
	return problems
}

// traceSamples counts the CPU samples of a trace. It has some if its window lies within that of the
// CPU profile and the program got CPU time.
func traceSamples(t *testing.T, data io.Reader) (samples int) {
	t.Helper()
	r, err := trace.NewReader(data)
	if err != nil {
		t.Fatal(err)
	}
	for {
		ev, err := r.ReadEvent()
		if errors.Is(err, io.EOF) {
			return samples
		}
		if err != nil {
			t.Fatal(err)
		}
		if ev.Kind() == trace.EventStackSample {
			samples++
		}
	}
}

// TestOff checks that disabled profiles are distinguished from empty ones.
func TestOff(t *testing.T) {
	t.Parallel()
	url, _ := startServer(t, "")
	out := filepath.Join(t.TempDir(), "r.whet")
	sum, err := Run(t.Context(), Options{URL: url, Out: out, Duration: time.Second, Trace: -1})
	if err != nil {
		t.Fatal(err)
	}
	for part, cure := range map[string]string{"block": enableBlock, "mutex": enableMutex} {
		if m, ok := missing(sum.Meta, part); !ok || !strings.HasSuffix(m.Reason, "is off") || m.Hint != cure {
			t.Errorf("%s: %+v", part, m)
		}
	}
	if r := openRecording(t, out); r.Has(recording.TracePart) || len(r.ProfileNames()) < 6 {
		t.Errorf("parts: %+v", sum.Meta.Parts)
	}
}

// TestInterrupt ends a long window early, over plain TCP and over TLS: the
// profiles of the time until then arrive.
func TestInterrupt(t *testing.T) {
	// Not parallel: the server is in this process.
	for name, start := range map[string]func(http.Handler) *httptest.Server{
		"plain": httptest.NewServer, "tls": httptest.NewTLSServer,
	} {
		t.Run(name, func(t *testing.T) {
			measuring := make(chan struct{}, 2)
			mux := http.NewServeMux()
			mux.HandleFunc("/debug/pprof/", pprof.Index)
			mux.HandleFunc("/debug/pprof/profile", func(w http.ResponseWriter, r *http.Request) {
				measuring <- struct{}{}
				pprof.Profile(w, r)
			})
			srv := start(mux)
			defer srv.Close()
			opt := Options{URL: srv.URL, Out: filepath.Join(t.TempDir(), "r.whet"), Duration: time.Hour}
			if name == "tls" {
				opt.TLS = srv.Client().Transport.(*http.Transport).TLSClientConfig
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				<-measuring
				cancel()
			}()
			begin := time.Now()
			sum, err := Run(ctx, opt)
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(begin); took > 10*time.Minute { // of an hour
				t.Errorf("took %v", took)
			}
			r := openRecording(t, opt.Out)
			if !sum.Meta.Interrupted || !r.Meta().Interrupted {
				t.Error("not marked as interrupted")
			}
			for _, p := range []string{"cpu", "heap", "heap.live", "goroutine"} {
				if _, err := r.Profile(p); err != nil {
					t.Errorf("%v; missing: %+v", err, sum.Meta.Missing)
				}
			}
			if _, ok := missing(sum.Meta, "trace"); !ok {
				t.Error("the trace, which had not begun, is not listed as missing")
			}
		})
	}
}

// TestAbort has a server that does not notice half-closed connections: the second cancellation ends
// the recording immediately and keeps what has arrived.
func TestAbort(t *testing.T) {
	release := make(chan struct{})
	measuring := make(chan struct{}, 2)
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", func(http.ResponseWriter, *http.Request) {
		measuring <- struct{}{}
		<-release
	})
	srv := httptest.NewServer(mux)
	defer srv.Close()
	defer close(release)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	abort := make(chan struct{})
	go func() {
		<-measuring
		cancel()
		close(abort)
	}()
	opt := Options{URL: srv.URL, Out: filepath.Join(t.TempDir(), "r.whet"), Duration: time.Hour, Abort: abort}
	begin := time.Now()
	sum, err := Run(ctx, opt)
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > 10*time.Minute { // of an hour
		t.Errorf("took %v", took)
	}
	for _, part := range []string{"cpu", "heap", "goroutine"} {
		if m, ok := missing(sum.Meta, part); !ok || !strings.Contains(m.Reason, errAborted.Error()) {
			t.Errorf("%s: %+v", part, m)
		}
	}
	if _, err := openRecording(t, opt.Out).Profile("goroutine.start"); err != nil {
		t.Error(err)
	}
}

// TestBusy has another CPU profile running; everything else is recorded.
func TestBusy(t *testing.T) {
	t.Parallel()
	url, _ := startServer(t, "rates profiled")
	out := filepath.Join(t.TempDir(), "r.whet")
	sum, err := Run(t.Context(), Options{URL: url, Out: out, Duration: time.Second, Trace: -1})
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := missing(sum.Meta, "cpu"); !ok ||
		!strings.Contains(m.Reason, "in use") || !strings.Contains(m.Hint, "wait") {
		t.Errorf("cpu: %+v", m)
	}
	if p, err := openRecording(t, out).Profile("mutex"); err != nil || p.Duration < time.Second {
		t.Errorf("the others' window did not stand: %v", err)
	}
}

// TestLoadFails sends requests that are all refused.
func TestLoadFails(t *testing.T) {
	t.Parallel()
	url, _ := startServer(t, "")
	out := filepath.Join(t.TempDir(), "r.whet")
	var sum *Summary
	// A busy machine may answer no request in a second: then the time is longer.
	for d := time.Second; d < 2*time.Minute; d *= 4 {
		var err error
		if sum, err = Run(t.Context(), Options{
			URL: url, Out: out, Duration: d, Trace: -1,
			Load: &load.Options{URL: url + "/no-such-page", Connections: 1},
		}); err != nil {
			t.Fatal(err)
		}
		if sum.Load.Responses > 0 {
			break
		}
	}
	if len(sum.Failures) != 1 || !strings.Contains(sum.Failures[0].Error(), "no request succeeded (404: ") {
		t.Errorf("failures %v", sum.Failures)
	}
}

// TestLoadMostlyFails sends requests most of which are refused: the profiles do not show the
// intended work.
func TestLoadMostlyFails(t *testing.T) {
	t.Parallel()
	url, _ := startServer(t, "")
	for _, tc := range []struct {
		good, bad int
		warns     bool
	}{{1, 20, true}, {20, 1, false}} {
		var sum *Summary
		// A busy machine answers few requests in a second: then the time is longer.
		for d := time.Second; ; d *= 4 {
			var err error
			if sum, err = Run(t.Context(), Options{
				URL: url, Out: filepath.Join(t.TempDir(), "r.whet"), Duration: d, Trace: -1,
				Load: &load.Options{Connections: 1, Targets: []load.Target{
					{URL: url + "/work", Weight: tc.good}, {URL: url + "/no-such-page", Weight: tc.bad},
				}},
			}); err != nil {
				t.Fatal(err)
			}
			if sum.Load.Requests >= 42 {
				break
			}
			if d > time.Minute {
				t.Fatalf("only %d requests in %v", sum.Load.Requests, d)
			}
		}
		warned := slices.ContainsFunc(sum.Warnings, func(w recording.Warning) bool {
			return strings.Contains(w.Text, "the profiles show the error path")
		})
		if warned != tc.warns || len(sum.Failures) > 0 {
			t.Errorf("%d good to %d bad: %s; warnings %v, failures %v",
				tc.good, tc.bad, sum.Load.Failures(), sum.Warnings, sum.Failures)
		}
	}
}

// TestLoadUnanswered loads a handler that outlasts the recording.
func TestLoadUnanswered(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.Handle("/", pprofMux("/debug/pprof/", allowAll))
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	srv := httptest.NewServer(mux)
	defer srv.Close()
	sum, err := Run(t.Context(), Options{
		URL: srv.URL, Out: filepath.Join(t.TempDir(), "r.whet"), Duration: time.Second, Trace: -1,
		Load: &load.Options{Connections: 1, URL: srv.URL + "/slow", Timeout: time.Hour},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(sum.Warnings, func(w recording.Warning) bool {
		return strings.Contains(w.Text, "no request was answered during the recording")
	}) {
		t.Errorf("warnings %v, failures %v, load %+v", sum.Warnings, sum.Failures, sum.Load)
	}
}

// TestNoSecondTry breaks the connection of the CPU profile: it must not be
// started again.
func TestNoSecondTry(t *testing.T) {
	var asked atomic.Int32
	mux := http.NewServeMux()
	mux.Handle("/", pprofMux("/debug/pprof/", allowAll))
	mux.HandleFunc("/debug/pprof/profile", func(http.ResponseWriter, *http.Request) {
		asked.Add(1)
		panic(http.ErrAbortHandler)
	})
	srv := httptest.NewServer(mux)
	defer srv.Close()
	sum, err := Run(t.Context(), Options{
		URL: srv.URL, Out: filepath.Join(t.TempDir(), "r.whet"), Duration: time.Second, Trace: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := missing(sum.Meta, "cpu"); !ok || !strings.Contains(m.Hint, "closed the connection") || asked.Load() != 1 {
		t.Errorf("asked %d times, cpu: %+v", asked.Load(), m)
	}
}

// TestServerDies has the target exit in the middle of the window.
func TestServerDies(t *testing.T) {
	t.Parallel()
	url, _ := startServer(t, "quits")
	out := filepath.Join(t.TempDir(), "r.whet")
	begin := time.Now()
	sum, err := Run(t.Context(), Options{
		URL: url, Out: out, Duration: time.Hour, Trace: 59 * time.Minute,
		Paths: map[string]string{"cpu": "/debug/pprof/trace"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > 10*time.Minute { // of an hour
		t.Errorf("took %v", took)
	}
	for _, part := range []string{"cpu", "heap", "goroutine"} {
		if m, ok := missing(sum.Meta, part); !ok || m.Reason == "" {
			t.Errorf("%s: %+v", part, m)
		}
	}
	if len(sum.Failures) != 1 || !errors.Is(sum.Failures[0], errLost) || diag.Hint(sum.Failures[0]) == "" {
		t.Errorf("failures %v", sum.Failures)
	}
	r := openRecording(t, out)
	for _, part := range []string{"goroutine.start", "heap.start"} {
		if _, err := r.Profile(part); err != nil {
			t.Error(err)
		}
	}
}

// TestKilled kills the recorder; what it has received is salvaged.
func TestKilled(t *testing.T) {
	t.Parallel()
	url, _ := startServer(t, "")
	out := filepath.Join(t.TempDir(), "r.whet")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVar+"=recorder "+url+" "+out)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	partial := out + recording.PartialSuffix
	deadline := time.Now().Add(5 * time.Minute)
	for {
		data, err := os.ReadFile(partial)
		if err == nil && bytes.Contains(data, []byte("goroutine.start")) &&
			bytes.Contains(data, []byte(recording.MemStatsStartPart)) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the recorder does not write")
		}
		time.Sleep(time.Millisecond) // poll: there is no notification
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	r, err := recording.Open(partial)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if len(r.Warnings) == 0 || !r.Meta().Interrupted || r.Meta().Target.Address != url+"/debug/pprof/" {
		t.Errorf("warnings %v, meta %+v", r.Warnings, r.Meta())
	}
	if p, err := r.Profile("goroutine.start"); err != nil || p.NumSamples() == 0 {
		t.Error(err)
	}
}

// pprofMux has the handlers at a prefix, for requests that pass check.
func pprofMux(prefix string, check func(*http.Request) int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if code := check(r); code != http.StatusOK {
			http.Error(w, "no", code)
			return
		}
		rest, ok := strings.CutPrefix(r.URL.Path, prefix)
		switch {
		case !ok:
			http.NotFound(w, r)
		case rest == "profile":
			pprof.Profile(w, r)
		case rest == "trace":
			pprof.Trace(w, r)
		case rest == "cmdline":
			pprof.Cmdline(w, r)
		default:
			r.URL.Path = "/debug/pprof/" + rest
			pprof.Index(w, r)
		}
	})
}

func allowAll(*http.Request) int { return http.StatusOK }

// TestErrors checks the messages and hints of errors that occur before anything is measured.
func TestErrors(t *testing.T) {
	html := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html>please log in")
	}))
	defer html.Close()
	text := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "hello")
	}))
	defer text.Close()
	status := func(code int) *httptest.Server {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "because", code)
		}))
		t.Cleanup(s.Close)
		return s
	}
	var leaked atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { leaked.Add(1) }))
	defer elsewhere.Close()
	redirect := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusFound))
	defer redirect.Close()
	tlsServer := httptest.NewTLSServer(pprofMux("/debug/pprof/", allowAll))
	defer tlsServer.Close()

	for name, tc := range map[string]struct{ url, reason, hint string }{
		"html": {html.URL, "HTML page", "--pprof-path"},
		"text": {text.URL, "not that of net/http/pprof", "--pprof-path"},
		"401":  {status(401).URL, "401 Unauthorized: because", "--token-file"},
		"403":  {status(403).URL, "403", "--token-file"},
		"404":  {status(404).URL, "404", "net/http/pprof"},
		"502":  {status(502).URL, "502", "proxy"},
		// A port that was just released may already belong to another test, so this one is fixed.
		"refused":      {"http://127.0.0.1:1", "refused", "running"},
		"redirect":     {redirect.URL, "another host", "record the other address"},
		"unknown ca":   {tlsServer.URL, "unknown authority", "--ca"},
		"http to tls":  {strings.Replace(tlsServer.URL, "https", "http", 1), "400", "https://"},
		"tls to http":  {strings.Replace(text.URL, "http", "https", 1), "HTTP response to HTTPS", "http://"},
		"not a scheme": {"ftp://127.0.0.1/", "not an http", "http://127.0.0.1:6060"},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "r.whet")
			u := strings.Replace(tc.url, "://", "://user:hunter2@", 1) + "/?key=hunter2"
			_, err := Run(t.Context(), Options{URL: u, Out: out, Token: "hunter2", Header: http.Header{"X-Key": {"hunter2"}}})
			if err == nil || !strings.Contains(err.Error(), tc.reason) || !strings.Contains(diag.Hint(err), tc.hint) {
				t.Errorf("error %v\nhint %s", err, diag.Hint(err))
			}
			if err != nil && strings.Contains(err.Error()+diag.Hint(err), "hunter2") {
				t.Errorf("error shows a secret: %v", err)
			}
			if left, _ := filepath.Glob(out + "*"); len(left) > 0 {
				t.Errorf("files left: %q", left)
			}
		})
	}
	if leaked.Load() > 0 {
		t.Error("a redirect to another host was followed")
	}
}

// TestSecrets records with every sort of credential and looks for them in the
// file.
func TestSecrets(t *testing.T) {
	secrets := []string{"hunter-password", "hunter-token", "hunter-header", "hunter-query"}
	srv := httptest.NewServer(pprofMux("/debug/pprof/", func(r *http.Request) int {
		_, password, _ := r.BasicAuth()
		if r.Header.Get("X-Key") != secrets[2] || r.URL.Query().Get("key") != secrets[3] ||
			password != secrets[0] && r.Header.Get("Authorization") != "Bearer "+secrets[1] {
			return http.StatusUnauthorized
		}
		return http.StatusOK
	}))
	defer srv.Close()
	for _, token := range []string{"", secrets[1]} {
		out := filepath.Join(t.TempDir(), "r.whet")
		u := strings.Replace(srv.URL, "://", "://u:"+secrets[0]+"@", 1) + "/?key=" + secrets[3]
		sum, err := Run(t.Context(), Options{
			URL: u, Out: out, Duration: time.Second, Token: token, Header: http.Header{"X-Key": {secrets[2]}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := missing(sum.Meta, "cpu"); ok {
			t.Errorf("credentials were not sent with each request: %+v", sum.Meta.Missing)
		}
		r := openRecording(t, out)
		for _, p := range append(r.Meta().Parts, recording.Part{Name: recording.MetaPart}) {
			if p.Kind == recording.KindSource {
				continue // this file
			}
			data := readPart(t, r, p.Name)
			for _, s := range secrets {
				if bytes.Contains(data, []byte(s)) {
					t.Errorf("%s holds %s", p.Name, s)
				}
			}
		}
	}
}

// TestOwnPaths records through single handlers at custom paths.
func TestOwnPaths(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/a/cpuprof", pprof.Profile)
	mux.Handle("/b/memory", pprof.Handler("heap"))
	srv := httptest.NewServer(mux)
	defer srv.Close()
	prefix, paths, err := handlers.ParsePaths([]string{"cpu=/a/cpuprof", "heap=/b/memory"})
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "r.whet")
	sum, err := Run(t.Context(), Options{URL: srv.URL, Out: out, Duration: time.Second, PprofPath: prefix, Paths: paths})
	if err != nil {
		t.Fatal(err)
	}
	r := openRecording(t, out)
	if got, want := r.ProfileNames(), []string{"cpu", "heap", "heap.live", "allocs"}; !slices.Equal(got, want) {
		t.Errorf("profiles %q, want %q; missing %+v", got, want, sum.Meta.Missing)
	}
	if m, ok := missing(sum.Meta, "goroutine"); !ok || !strings.Contains(m.Hint, `pprof.Handler("goroutine")`) {
		t.Errorf("goroutine: %+v", m)
	}
}

func TestWindow(t *testing.T) {
	for _, tc := range []struct{ d, tr, cpu, trace, at time.Duration }{
		{0, 0, 10 * time.Second, 2 * time.Second, 4 * time.Second},
		{time.Millisecond, 0, time.Second, time.Second / 2, time.Second / 4},
		{3 * time.Second, -1, 3 * time.Second, 0, 1500 * time.Millisecond},
		{4 * time.Second, time.Hour, 4 * time.Second, 2 * time.Second, time.Second},
	} {
		cpu, tr, at := (&Options{Duration: tc.d, Trace: tc.tr}).window()
		if cpu != tc.cpu || tr != tc.trace || at != tc.at || at+tr > cpu {
			t.Errorf("%v, %v: %v, %v at %v", tc.d, tc.tr, cpu, tr, at)
		}
	}
}

func TestOptions(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "main.go")
	if err := os.WriteFile(text, []byte("package main"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, opt := range map[string]Options{
		"no target":   {Out: "x"},
		"two targets": {URL: "http://x", Command: []string{"y"}, Out: "x"},
		"no file":     {URL: "http://x"},
		"negative":    {URL: "http://x", Out: "x", Duration: -1},
		"overwrites":  {URL: "http://x", Out: text},
	} {
		if _, err := Run(t.Context(), opt); diag.ExitCode(err) != 2 || diag.Hint(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
