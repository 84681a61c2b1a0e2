package scrape

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/whet-go/whet/agent"
	"github.com/whet-go/whet/internal/leaktest"
	"github.com/whet-go/whet/internal/scrape/buffer"
	"github.com/whet-go/whet/internal/scrape/config"
	"github.com/whet-go/whet/internal/scrape/spool"
	"github.com/whet-go/whet/internal/store/remote"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/local"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// listen returns a listener on loopback.
func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// descriptors returns how many files this process has open; 0 if that is unknown.
func descriptors() int {
	entries, _ := os.ReadDir("/proc/self/fd")
	return len(entries)
}

// TestLoopback scrapes 500 services on loopback into a store on disk: 50 accept connections and send
// nothing, 50 refuse, and 50 send bytes that are not HTTP. The schedule of the rest is checked as it
// was recorded.
func TestLoopback(t *testing.T) {
	t.Parallel()
	const healthy, broken, connections, rounds = 350, 50, 96, 3
	body := encoded(t, config.Heap, 10, 0)
	var open, most atomic.Int64
	server := &http.Server{
		ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(body)
		}),
		ConnState: func(_ net.Conn, s http.ConnState) {
			switch s {
			case http.StateNew:
				now := open.Add(1)
				for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
				}
			case http.StateClosed:
				open.Add(-1)
			default:
			}
		},
	}
	var all sync.WaitGroup
	var names []string
	var listeners []net.Listener
	bad := map[string]bool{}
	for range healthy {
		l := listen(t)
		names = append(names, l.Addr().String())
		all.Go(func() { _ = server.Serve(l) })
	}
	for i := range 3 * broken {
		l := listen(t)
		names, bad[l.Addr().String()] = append(names, l.Addr().String()), true
		switch i % 3 {
		case 0: // the kernel accepts connections
			listeners = append(listeners, l)
		case 1:
			_ = l.Close()
		case 2:
			listeners = append(listeners, l)
			all.Go(func() {
				for {
					c, err := l.Accept()
					if err != nil {
						return
					}
					_, _ = c.Write([]byte(strings.Repeat("\x00\xffgarbage\r\n\r\n", 100)))
					_ = c.Close()
				}
			})
		}
	}
	s, err := local.Open(filepath.Join(t.TempDir(), "profiles"), local.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse("targets.yaml", []byte(`{global: {scrape_interval: 2s, scrape_timeout: 5s, profiles: [heap]},
		scrape_configs: [{job_name: shop, static_configs: [{targets: ["`+strings.Join(names, `", "`)+`"]}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	before, fds := descriptors(), 0
	ctx, stop := context.WithCancel(t.Context())
	events := map[string][]Event{}
	left := healthy
	e := New(Options{Config: c, Writer: s, Connections: connections, Event: func(v Event) {
		address := strings.TrimSuffix(strings.TrimPrefix(v.Target, "http://"), "/debug/pprof")
		events[address] = append(events[address], v)
		fds = max(fds, descriptors()-before)
		if !bad[address] && len(events[address]) == rounds {
			if left--; left == 0 {
				stop()
			}
		}
	}})
	e.Run(ctx)

	attempts := 0
	for address, list := range events {
		var last *Event
		for i := range list {
			v := &list[i]
			if bad[address] != v.failed() {
				t.Errorf("%s: %+v", address, v)
			}
			if bad[address] {
				attempts++
			} else if last != nil {
				// Rounds begin at the same place of each interval, and up to a tenth of it later.
				gap := v.Due.Sub(last.Due)
				places := (gap + 200*time.Millisecond) / (2 * time.Second)
				if off := gap - places*2*time.Second; places < 1 || off < -200*time.Millisecond || off > 200*time.Millisecond {
					t.Errorf("%s was due after %v", address, gap)
				}
				if places > 1 && last.Due.Add(1800*time.Millisecond).After(last.Time.Add(last.Took)) {
					t.Errorf("%s left out a round without need: after %v", address, gap)
				}
			}
			last = v
		}
	}
	status := e.Status()
	if stored := status.Profiles.Stored; stored < healthy*rounds || status.Profiles.Dropped+status.Profiles.Refused > 0 {
		t.Errorf("profiles %+v", status.Profiles)
	}
	if attempts < 3*broken {
		t.Errorf("%d attempts of %d targets that fail", attempts, 3*broken)
	}
	// A connection has two ends in this process, and those of the server are closed a little later.
	if fds > 4*connections || most.Load() > 2*connections {
		t.Errorf("%d descriptors more than before, %d connections", fds, most.Load())
	}
	t.Logf("%d scrapes of %d targets; at most %d descriptors more than before", healthy*rounds+attempts, len(names), fds)
	stats, err := s.Stats(t.Context())
	if err != nil || len(stats.Services) != 1 || int64(stats.Services[0].Profiles) != status.Profiles.Stored {
		t.Errorf("stored %+v, %v", stats, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	_ = server.Close()
	for _, l := range listeners {
		_ = l.Close()
	}
	all.Wait()
}

// sink and sum keep what is computed, so that the compiler does not leave it out.
var (
	sink atomic.Pointer[[]byte]
	sum  atomic.Int64
)

// TestService scrapes this program through net/http/pprof, with TLS, a client certificate and a token,
// and then with another token, which the service refuses.
func TestService(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/internal/pprof/profile", pprof.Profile)
	for _, name := range []string{"heap", "allocs", "goroutine", "mutex"} {
		mux.Handle("/internal/pprof/"+name, pprof.Handler(name))
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer the-right-token" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	defer server.Close()
	dir := t.TempDir()
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	key, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	write("ca.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	write("key.pem", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))
	write("token", []byte("the-right-token\n"))
	write("targets.yaml", []byte(fmt.Sprintf(`scrape_configs:
  - job_name: tests
    scheme: https
    path: /internal/pprof
    scrape_interval: 4s
    profiles: [cpu, heap, allocs, goroutine, mutex]
    cpu_duration: 1s
    budget: 100%%
    delta_duration: 1s
    authorization: {credentials_file: token}
    tls_config: {ca_file: ca.pem, cert_file: ca.pem, key_file: key.pem, server_name: example.com}
    static_configs: [{targets: [%q]}]
`, server.Listener.Addr())))
	c, err := config.Read(filepath.Join(dir, "targets.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	allocating := make(chan struct{})
	go func() {
		defer close(allocating)
		for ctx.Err() == nil {
			b := make([]byte, 64<<10)
			sink.Store(&b)
			sum.Add(int64(spin()))
		}
	}()
	m := &memory{}
	var events []Event
	New(Options{Config: c, Writer: m, Event: func(v Event) {
		events = append(events, v)
		if len(events) == 1 {
			write("token", []byte("the-wrong-token"))
		} else {
			stop()
		}
	}}).Run(ctx)
	<-allocating
	if len(events) != 2 || events[0].Error != "" || events[0].State != Up || len(events[0].Profiles) != 5 {
		t.Fatalf("events %+v", events)
	}
	if got, want := events[1].Error, "cpu: the target answers 401 Unauthorized: who are you?"; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
	for _, v := range events {
		if text := fmt.Sprintf("%+v", v); strings.Contains(text, "-token") {
			t.Errorf("the event has the token: %s", text)
		}
	}
	for kind, duration := range map[string]time.Duration{
		"cpu": time.Second, "heap": 0, "allocs": time.Second, "goroutine": 0,
	} {
		all := m.of(kind)
		if len(all) != 1 {
			t.Errorf("%d profiles %s", len(all), kind)
			continue
		}
		if p := all[0]; p.Duration < duration || p.Duration > duration+5*time.Second || p.Data.NumSamples() == 0 ||
			time.Since(p.Start) > time.Minute || p.Service != "tests" {
			t.Errorf("%s: %+v with %d samples", kind, p, p.Data.NumSamples())
		}
	}
	for _, p := range m.of("allocs") {
		if len(p.Data.SampleTypes) != 2 || p.Data.Sum(p.Data.SampleTypes[1]) < 64<<10 {
			t.Errorf("allocs: %v", p.Data.SampleTypes)
		}
	}
}

// spin uses CPU time.
//
//go:noinline
func spin() (sum int) {
	for i := range 100_000 {
		sum += i * i % 7
	}
	return sum
}

// TestTriggers watches a service with the whet agent, whose goroutines exceed a limit: a recording is made,
// which is stored as a whole although the store fails at first, and its profiles are stored. With a buffer,
// the recording waits there, and its target is watched on.
func TestTriggers(t *testing.T) {
	t.Parallel()
	t.Run("memory", func(t *testing.T) { testTriggers(t, nil) })
	t.Run("buffer", func(t *testing.T) {
		disk, err := buffer.Open(t.TempDir(), buffer.Options{Warn: func(err error) { t.Error(err) }})
		if err != nil {
			t.Fatal(err)
		}
		testTriggers(t, disk)
		if err := disk.Close(); err != nil {
			t.Error(err)
		}
	})
}

func testTriggers(t *testing.T, disk *buffer.Buffer) {
	a, err := agent.Start(agent.Options{Addr: "127.0.0.1:0", Flight: 2 * time.Second, BlockRate: -1, MutexFraction: -1})
	if err != nil {
		t.Skipf("no agent: %v", err)
	}
	defer func() { _ = a.Close() }()
	address := strings.TrimPrefix(a.URL(), "http://")
	host, prefix, _ := strings.Cut(address, "/")
	c := parse(t, fmt.Sprintf(`scrape_configs: [{job_name: shop, scrape_interval: 1h, path: %q, profiles: [heap],
		static_configs: [{targets: [%q], labels: {region: eu}}], triggers: {goroutines: 2}}]`, "/"+prefix, host))
	ctx, stop := context.WithCancel(t.Context())
	m := &memory{}
	var event Event
	New(Options{
		Config: c, Writer: m, Recordings: m, Buffer: disk,
		Warn: func(err error) {
			if disk == nil { // otherwise it says that the store fails, and works again
				t.Error(err)
			}
		},
		Event: func(v Event) {
			if v.Trigger != "" {
				event = v
				stop()
			}
		},
	}).Run(ctx)
	if event.RecordingBuffered != (disk != nil) {
		t.Errorf("buffered: %v", event.RecordingBuffered)
	}
	if disk != nil { // the next process sends it, unless this one has
		ctx, stop := context.WithCancel(t.Context())
		go spool.NewSender(spool.SenderOptions{
			Writer: m, Disk: disk, Recordings: m, Stored: func(int) { stop() },
		}).Run(ctx)
		for disk.Stats().Recordings > 0 && t.Context().Err() == nil {
			runtime.Gosched()
		}
		stop()
	}
	if event.Trigger != "goroutines" || event.Error != "" || event.Stored() == 0 {
		t.Fatalf("event %+v", event)
	}
	for _, kind := range []string{config.Heap, config.Goroutine} {
		all := m.of(kind)
		if len(all) != 1 || all[0].Labels.Get("trigger") != "goroutines" || all[0].Labels.Get("region") != "eu" ||
			all[0].Data.NumSamples() == 0 {
			t.Errorf("%s: %+v", kind, all)
		}
	}
	if len(m.recordings) != 1 || m.failures != 1 || event.Recording != m.recordings[0].ID.String() {
		t.Fatalf("%d recordings after %d failures, event %+v", len(m.recordings), m.failures, event)
	}
	r := m.recordings[0]
	if r.Service != "shop" || r.Labels.Get("trigger") != "goroutines" ||
		r.Labels.Get("region") != "eu" || !strings.HasSuffix(r.About, " goroutines") || r.Duration <= 0 ||
		time.Since(r.Start) > time.Minute {
		t.Errorf("recording %+v", r)
	}
	rec, err := recording.NewReader(bytes.NewReader(m.content), int64(len(m.content)))
	if err != nil || !rec.Has(recording.TracePart) || !slices.Contains(rec.ProfileNames(), "heap") {
		t.Errorf("the recording is not whole: %v", err)
	}
}

// TestRefusals has a server that answers with one status after the other: some mean that a profile is
// never stored, others that it can be sent again.
func TestRefusals(t *testing.T) {
	t.Parallel()
	p, err := decode(config.Heap, encoded(t, config.Heap, 10, 0))
	if err != nil {
		t.Fatal(err)
	}
	for status, want := range map[int]struct {
		refused bool
		wait    time.Duration
	}{
		http.StatusBadRequest: {true, 0}, http.StatusRequestEntityTooLarge: {true, 0},
		http.StatusTooManyRequests: {false, 7 * time.Second}, http.StatusServiceUnavailable: {false, 7 * time.Second},
		http.StatusUnauthorized: {false, 0}, http.StatusInternalServerError: {false, 0},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if want.wait > 0 {
				w.Header().Set("Retry-After", "7")
			}
			w.WriteHeader(status)
			_, _ = w.Write([]byte(`{"detail": "no"}`))
		}))
		err := (&remote.Client{Address: server.URL, HTTP: server.Client()}).Write(t.Context(), "", []store.Profile{
			{Service: "a", Kind: config.Heap, Start: time.Now(), Data: p},
		})
		server.Close()
		if err == nil || spool.Refused(err) != want.refused || spool.RetryAfter(err) != want.wait {
			t.Errorf("%d: %v, refused %v, wait %v", status, err, spool.Refused(err),
				spool.RetryAfter(err))
		}
	}
}
