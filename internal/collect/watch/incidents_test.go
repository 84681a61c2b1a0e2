package watch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/exp/trace"

	"github.com/whet-go/whet/agent"
	"github.com/whet-go/whet/collect"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/trace/requests"
)

// incidentsEnv sets the number of incidents: 40 in `make watch-incidents`.
const incidentsEnv = "WHET_INCIDENTS"

// stall is how long a planted request takes. Planted requests are slow; other requests of the load
// almost never are.
const (
	incidentSlower = 200 * time.Millisecond
	stall          = 350 * time.Millisecond
)

// A running service is a separate process under load.
type running struct {
	started
	client *http.Client
	stop   atomic.Bool
	ids    atomic.Int64

	mu    sync.Mutex
	truth map[string]truth
}

// runService starts the service and loads it until the test ends.
func runService(t *testing.T, kind string) *running {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), serviceEnv+"="+kind)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &running{truth: map[string]truth{}, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}}}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &s.started) != nil {
		t.Fatalf("the service says %q, %v", lines.Text(), lines.Err())
	}
	var all sync.WaitGroup
	all.Go(func() {
		for lines.Scan() {
			var one truth
			if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
				t.Errorf("the service says %q", lines.Text())
			}
			s.mu.Lock()
			s.truth[one.ID] = one
			s.mu.Unlock()
		}
	})
	var load sync.WaitGroup
	for range 8 {
		load.Go(func() {
			for !s.stop.Load() {
				for path := range serviceHandlers() { // in any order
					s.ask(t, path, "load", rand.N(8*time.Millisecond))
				}
			}
		})
	}
	t.Cleanup(func() {
		s.stop.Store(true)
		load.Wait()
		s.client.CloseIdleConnections()
		_ = in.Close()
		all.Wait()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// ask sends a request with its own id.
func (s *running) ask(t *testing.T, path, kind string, d time.Duration) {
	address := fmt.Sprintf("%s/%s/%s%d?for=%v", s.Service, path, kind, s.ids.Add(1), d)
	req, err := http.NewRequest(http.MethodGet, address, nil) //nolint:noctx // the load ends before the test's context
	if err != nil {
		t.Error(err)
		return
	}
	resp, err := s.client.Do(req)
	if err != nil {
		t.Error(err)
		return
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
}

// plant sends requests to some handlers that all take nearly as long, at the same time.
func (s *running) plant(t *testing.T, n int) {
	var paths []string
	for path := range serviceHandlers() {
		paths = append(paths, path)
	}
	rand.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
	var wg sync.WaitGroup
	for _, path := range paths[:n] {
		wg.Go(func() { s.ask(t, path, "planted", stall+rand.N(4*time.Millisecond)) })
	}
	wg.Wait()
}

// incidents watches a service while requests are planted, at random times.
func (s *running) incidents(t *testing.T, address string, n int, planted func() int) []Event {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	var events []Event
	done := make(chan error, 1)
	go func() {
		_, err := Run(t.Context(), Options{
			Target: collect.Options{URL: address}, Dir: t.TempDir(), Slower: incidentSlower, Every: time.Millisecond, Max: n,
			Event: func(e Event) { events = append(events, e) },
			Progress: func(p collect.Progress) {
				if p.Note != "" {
					t.Log(p.Note)
				}
			},
		})
		done <- err
	}()
	for {
		select {
		case err := <-done:
			if err != nil || len(events) != n {
				t.Fatalf("%d events, %v", len(events), err)
			}
			return events
		case <-time.After(rand.N(200 * time.Millisecond)):
			s.plant(t, planted())
		}
	}
}

// judge returns what is wrong with an event; "" if nothing is wrong.
func (s *running) judge(t *testing.T, e Event) string {
	t.Helper()
	r := e.Request
	inside := truthsIn(t, e.File, r.Goroutine, r.From, r.To)
	if len(inside) != 1 {
		return fmt.Sprintf("goroutine %d had requests %v from %v to %v", r.Goroutine, inside, r.From, r.To)
	}
	if r.Name != "" && r.Name[strings.LastIndexByte(r.Name, '/')+1:] != inside[0] {
		return fmt.Sprintf("the trace's is %s", inside[0])
	}
	s.mu.Lock()
	one, ok := s.truth[inside[0]]
	s.mu.Unlock()
	switch {
	case !ok:
		return "the service knows of no request " + inside[0]
	case !strings.HasSuffix(strings.TrimSuffix(r.Handler, "-fm"), "(*service)."+one.Handler):
		return "its handler was " + one.Handler
	case r.Name != "" && (one.Begin.Before(r.Begin) || one.End.After(r.End)):
		return fmt.Sprintf("it was from %v to %v", one.Begin, one.End)
	case strings.HasPrefix(one.ID, "planted") && r.Cause != serviceHandlers()[one.Handler]:
		return "its time went to " + serviceHandlers()[one.Handler]
	}
	return ""
}

// truthsIn returns the ids that handlers logged on a goroutine in a window of time, as
// golang.org/x/exp/trace reads them.
func truthsIn(t *testing.T, file string, goroutine int64, from, to time.Duration) (ids []string) {
	t.Helper()
	rec, err := recording.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rec.Close() }()
	part, err := rec.Part(recording.TracePart)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = part.Close() }()
	r, err := trace.NewReader(bufio.NewReader(part))
	if err != nil {
		t.Fatal(err)
	}
	var first trace.Time
	for n := 0; ; n++ {
		ev, err := r.ReadEvent()
		if errors.Is(err, io.EOF) {
			return ids
		}
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			first = ev.Time()
		}
		at := ev.Time().Sub(first)
		if ev.Kind() != trace.EventLog || int64(ev.Goroutine()) != goroutine || at < from || at > to {
			continue
		}
		if l := ev.Log(); l.Category == truthCategory && !slices.Contains(ids, l.Message) {
			ids = append(ids, l.Message)
		}
	}
}

// number returns the number of incidents.
func number(t *testing.T, otherwise int) int {
	t.Helper()
	text := os.Getenv(incidentsEnv)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%s: want a number", incidentsEnv, text)
	}
	return n
}

// TestIncidents checks that the slow request is named in every incident: of five handlers under
// load, three become slow at the same time, for nearly the same time.
func TestIncidents(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	s := runService(t, "watched")
	n, right := number(t, 12), 0
	if requests.MarkCategory != agent.MarkCategory {
		t.Errorf("marks are looked for in %s", requests.MarkCategory)
	}
	for _, e := range s.incidents(t, s.Agent, n, func() int { return 3 }) {
		wrong := s.judge(t, e)
		if e.Request.Found != ByMark {
			wrong = "not found by its mark: " + e.Request.Missing
		}
		if wrong != "" {
			t.Errorf("%s: %+v", wrong, e.Request)
			continue
		}
		right++
	}
	t.Logf("right in %d of %d incidents", right, n)
}

// TestIncidentsPlain has no handler wrapped by Agent.Watch: requests are found in the trace.
func TestIncidentsPlain(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	s := runService(t, "plain")
	n, right, missing := number(t, 2), 0, 0
	// On a busy machine the trace may not reach back to a request.
	for attempt := 0; right == 0 && attempt < 5; attempt++ {
		for _, e := range s.incidents(t, s.Agent, n, func() int { return 3 }) {
			switch wrong := s.judge(t, e); {
			case e.Request.Missing != "":
				missing++
			case wrong != "" || e.Request.Found != ByGoroutine:
				t.Errorf("%s: %+v", wrong, e.Request)
			default:
				right++
			}
		}
	}
	t.Logf("right in %d of %d incidents, in %d not in the trace", right, right+missing, missing)
	if right == 0 {
		t.Error("no request was found")
	}
}

// TestIncidentsOld has an agent that does not mark requests: a request is named only if it is the
// only one at its time.
func TestIncidentsOld(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	s := runService(t, "watched")
	to, err := url.Parse(s.Agent)
	if err != nil {
		t.Fatal(err)
	}
	old := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: to.Scheme, Host: to.Host}) },
		ModifyResponse: func(r *http.Response) error {
			if !strings.HasSuffix(r.Request.URL.Path, "/slow") || r.StatusCode != http.StatusOK {
				return nil
			}
			var answer agent.Slow
			if err := json.NewDecoder(r.Body).Decode(&answer); err != nil {
				return err
			}
			for i := range answer.Requests {
				answer.Requests[i].Mark, answer.Requests[i].Begin = "", time.Time{}
			}
			data, err := json.Marshal(answer)
			data = bytes.ReplaceAll(data, []byte(`"begin":"0001-01-01T00:00:00Z",`), nil)
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
			r.Header.Set("Content-Length", strconv.Itoa(len(data)))
			return err
		},
	}
	front := httptest.NewServer(old)
	defer front.Close()
	n, right, missing := number(t, 4), 0, 0
	planted := 0
	for _, e := range s.incidents(t, front.URL+"/debug/pprof/", n, func() int { planted++; return 1 + planted%2*2 }) {
		switch wrong := s.judge(t, e); {
		case e.Request.Missing != "":
			missing++
		case wrong != "" || e.Request.Found != ByTime:
			t.Errorf("%s: %+v", wrong, e.Request)
		default:
			right++
		}
	}
	t.Logf("right in %d of %d incidents, in %d not identified", right, n, missing)
}
