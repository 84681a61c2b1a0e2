package scrape

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/whet-go/whet/internal/scrape/config"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
)

// memory is a store that keeps what is written.
type memory struct {
	mu       sync.Mutex
	fail     func(profiles []store.Profile) error
	profiles []store.Profile
	attempts int

	failures   int // of recordings
	recordings []store.Recording
	content    []byte // of the last one
}

// WriteRecording implements store.RecordingWriter. It fails the first time.
func (m *memory) WriteRecording(
	_ context.Context, _ string, r store.Recording, content []byte,
) (store.ID, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failures == 0 {
		m.failures++
		return store.ID{}, errors.New("the store is away")
	}
	if err := (store.Limits{}).CheckRecording(&r, content); err != nil {
		return store.ID{}, err
	}
	r.ID = store.NewRecordingID(&r, content)
	m.recordings, m.content = append(m.recordings, r), content
	return r.ID, nil
}

// Write implements store.Writer.
func (m *memory) Write(_ context.Context, _ string, profiles []store.Profile) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.attempts++
	if m.fail != nil {
		if err := m.fail(profiles); err != nil {
			return err
		}
	}
	if err := (store.Limits{}).Check(profiles); err != nil {
		return err
	}
	m.profiles = append(m.profiles, profiles...)
	return nil
}

// of returns the profiles of a kind in the order in which they were stored.
func (m *memory) of(kind string) []store.Profile {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.profiles), func(p store.Profile) bool { return p.Kind != kind })
}

// encoded returns a profile of a kind as a service sends it. Counters have the value n in one stack
// and 1 in another.
func encoded(tb testing.TB, kind string, n int64, d time.Duration) []byte {
	tb.Helper()
	types := map[string][]profile.ValueType{
		"cpu":       {{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		"mutex":     {{Type: "contentions", Unit: "count"}, {Type: "delay", Unit: "nanoseconds"}},
		"goroutine": {{Type: "goroutine", Unit: "count"}},
		"heap": {
			{Type: "alloc_objects", Unit: "count"},
			{Type: "alloc_space", Unit: "bytes"},
			{Type: "inuse_objects", Unit: "count"},
			{Type: "inuse_space", Unit: "bytes"},
		},
	}
	types["block"], types["allocs"] = types["mutex"], types["heap"]
	b := profile.NewBuilder(types[kind]...)
	m := b.Mapping(profile.Mapping{Start: 0x400000, Limit: 0x500000, File: "/bin/shop", BuildID: "1", HasFunctions: true})
	for name, v := range map[string]int64{"main.hot": n, "main.cold": 1} {
		fn := b.Function(profile.Function{Name: name, SystemName: name, File: "main.go"})
		loc := b.Location(0x400000+uint64(len(name)), m, false, profile.Line{Function: fn, Line: 3})
		values := make([]int64, len(types[kind]))
		for i := range values {
			values[i] = v
			if strings.HasPrefix(types[kind][i].Type, "inuse_") {
				values[i] = 100 - v
			}
		}
		if err := b.Sample([]uint32{loc}, nil, values...); err != nil {
			tb.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := b.Profile(&profile.Profile{Duration: d, Time: time.Unix(4e9, 0)}).Write(&out); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// A network has services whose connections are pipes, so that it works with the time of synctest.
type network struct {
	tb     testing.TB
	answer func(address string) behavior
	// old services ignore ?seconds= for profiles that count.
	old bool
	// agent returns the build settings of a service that has whet's agent; nil: none has.
	agent func(address string) string
	// cpu, if set, returns the CPU profile of a service.
	cpu func(address string) []byte

	mu       sync.Mutex
	requests map[string][]request
	active   map[string]int
	most     int // connections at once
	open     int
	twice    []string // addresses with two requests at once
	counter  map[string]int64
	conns    chan net.Conn
	server   *http.Server
}

type request struct {
	at   time.Time
	kind string
}

// A behavior is how a service answers.
type behavior int

const (
	well behavior = iota
	hangs
	refuses
	garbage    // an answer that is not a profile
	noise      // bytes that are not HTTP
	endless    // a body without an end
	halfBroken // all but CPU profiles
)

func newNetwork(tb testing.TB, answer func(address string) behavior) *network {
	tb.Helper()
	n := &network{
		tb: tb, answer: answer, requests: map[string][]request{}, active: map[string]int{}, conns: make(chan net.Conn),
		counter: map[string]int64{},
	}
	n.server = &http.Server{Handler: n, ReadHeaderTimeout: time.Hour}
	return n
}

type addressed struct {
	net.Conn
	address string
	n       *network
	once    sync.Once
}

func (a *addressed) Close() error {
	a.once.Do(func() {
		a.n.mu.Lock()
		a.n.open--
		a.n.mu.Unlock()
	})
	return a.Conn.Close()
}

// dial connects to a service.
func (n *network) dial(ctx context.Context, _, address string) (net.Conn, error) {
	does := n.answer(address)
	n.mu.Lock()
	if does == hangs || does == refuses || does == noise {
		n.requests[address] = append(n.requests[address], request{time.Now(), ""})
	}
	if does == refuses {
		n.mu.Unlock()
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	n.open++
	n.most = max(n.most, n.open)
	n.mu.Unlock()
	client, server := net.Pipe()
	switch does {
	case hangs:
	case noise:
		go func() {
			_, _ = server.Read(make([]byte, 1))
			for range 1000 {
				if _, err := server.Write([]byte("\x00\xff\n\r garbage")); err != nil {
					break
				}
			}
			_ = server.Close()
		}()
	default:
		select {
		case n.conns <- &addressed{server, address, &network{}, sync.Once{}}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return &addressed{Conn: client, address: address, n: n}, nil
}

// ServeHTTP answers as net/http/pprof does.
func (n *network) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kind, address := path.Base(r.URL.Path), r.Host
	if kind == "profile" {
		kind = "cpu"
	}
	if kind == "whet" {
		if n.agent == nil {
			http.NotFound(w, r)
			return
		}
		_, _ = fmt.Fprintf(w, `{"go_version": "go1.26", "build": {"settings": %s}}`, n.agent(address))
		return
	}
	n.mu.Lock()
	n.requests[address] = append(n.requests[address], request{time.Now(), kind})
	if n.active[address]++; n.active[address] > 1 {
		n.twice = append(n.twice, address)
	}
	n.counter[address+kind] += 10
	count := n.counter[address+kind]
	n.mu.Unlock()
	defer func() {
		n.mu.Lock()
		n.active[address]--
		n.mu.Unlock()
	}()
	switch n.answer(address) {
	case garbage:
		_, _ = w.Write([]byte("<html>not a profile"))
		return
	case endless:
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	case halfBroken:
		if kind == "cpu" {
			http.Error(w, "Could not enable CPU profiling: cpu profiling already in use", http.StatusInternalServerError)
			return
		}
	default:
	}
	seconds, _ := strconv.Atoi(r.URL.Query().Get("seconds"))
	d := time.Duration(seconds) * time.Second
	if config.Counts(kind) && n.old {
		d = 0
	}
	select {
	case <-time.After(d):
	case <-r.Context().Done():
		return
	}
	if config.Counts(kind) && d > 0 {
		count = 10
	}
	if kind == config.CPU && n.cpu != nil {
		_, _ = w.Write(n.cpu(address))
		return
	}
	_, _ = w.Write(encoded(n.tb, kind, count, d))
}

// of returns the requests to an address for a kind; "" means all.
func (n *network) of(address, kind string) []request {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(n.requests[address]), func(r request) bool {
		return kind != "" && r.kind != kind
	})
}

// Accept implements net.Listener.
func (n *network) Accept() (net.Conn, error) {
	c, ok := <-n.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

// Close implements net.Listener.
func (n *network) Close() error { return nil }

// Addr implements net.Listener.
func (n *network) Addr() net.Addr { return &net.TCPAddr{} }

// parse reads a configuration.
func parse(tb testing.TB, text string) *config.Config {
	tb.Helper()
	c, err := config.Parse("targets.yaml", []byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// scraping runs an engine on a network for a while of synctest's time.
func scraping(tb testing.TB, n *network, o Options, d time.Duration, during func(*Engine)) *Engine {
	tb.Helper()
	ctx, stop := context.WithCancel(tb.Context())
	o.Dial = n.dial
	e := New(o)
	var all sync.WaitGroup
	all.Go(func() { _ = n.server.Serve(n) })
	all.Go(func() { e.Run(ctx) })
	time.Sleep(d)
	synctest.Wait()
	if during != nil {
		during(e)
	}
	stop()
	close(n.conns)
	_ = n.server.Close()
	all.Wait()
	return e
}

// addresses returns a list of n addresses in YAML.
func addresses(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("10.0.%d.%d:6060", i/250, i%250+1))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// TestIntervals runs 500 targets for a quarter of an hour, of which 50 hang, 50 refuse and 100 send garbage of
// several kinds. The rest must be scraped in each minute, at its place in it.
func TestIntervals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t, func(address string) behavior {
			host, _, _ := net.SplitHostPort(address)
			ip := net.ParseIP(host).To4()
			switch i := int(ip[2])*250 + int(ip[3]) - 1; i % 10 {
			case 0:
				return hangs
			case 1:
				return refuses
			case 2:
				return garbage
			case 3:
				return noise
			}
			return well
		})
		m := &memory{}
		var mu sync.Mutex
		events := map[string][]Event{}
		scraping(t, n, Options{
			Config: parse(t, `{global: {profiles: [cpu, heap]}, scrape_configs: [{job_name: shop, static_configs: [{targets: `+
				addresses(500)+`}]}]}`),
			Writer: m, Connections: 200,
			Event: func(e Event) {
				mu.Lock()
				defer mu.Unlock()
				events[e.Target] = append(events[e.Target], e)
			},
		}, 16*time.Minute, func(e *Engine) {
			s := e.Status()
			counts := map[string]int{}
			for _, target := range s.Targets {
				address := strings.TrimSuffix(strings.TrimPrefix(target.Target, "http://"), "/debug/pprof")
				counts[target.State]++
				if n.answer(address) != well {
					if target.State != Down || target.Error == "" || target.Failures < 4 || target.Scrapes > 10 {
						t.Errorf("%s fails: %+v", address, target)
					}
					continue
				}
				if target.State != Up || target.Scrapes < 15 || target.Missed != 0 || !target.Next.After(target.Last) {
					t.Errorf("%s: %+v", address, target)
				}
				var last time.Time
				for _, v := range events[target.Target] {
					if late := v.Time.Sub(v.Due); late > 0 {
						t.Errorf("%s began %v late", address, late)
					}
					gap := v.Due.Sub(last)
					if !last.IsZero() && (gap < 54*time.Second || gap > 66*time.Second) {
						t.Errorf("%s was due after %v", address, gap)
					}
					last = v.Due
				}
			}
			if counts[Up] != 300 || counts[Down] != 200 {
				t.Errorf("targets: %v", counts)
			}
		})
		if len(n.twice) > 0 {
			t.Errorf("scraped twice at once: %v", n.twice)
		}
		if n.most > 200 || n.open != 0 {
			t.Errorf("%d connections at once, %d still open", n.most, n.open)
		}
		cpu := m.of("cpu")
		if len(cpu) < 300*15 || len(m.of("heap")) < 300*15 {
			t.Errorf("%d CPU and %d heap profiles", len(cpu), len(m.of("heap")))
		}
		p := cpu[0]
		if p.Service != "shop" || p.Labels.Get("job") != "shop" || p.Labels.Get("instance") == "" ||
			p.Duration != 10*time.Second || p.Start.Year() != 2000 {
			t.Errorf("stored %+v", p)
		}
	})
}

// TestClockSetBack begins a schedule and uses a budget after the clock was set back by an hour, as a process does
// that is started again: the next round comes within an interval, and the budget fills from then on.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 3, 0, 10, 0, time.UTC)
	for _, now := range []time.Time{now, now.Add(-time.Hour), now.Add(-time.Hour).Add(-25 * time.Second)} {
		s := newSchedule(now, time.Minute, 20*time.Second)
		for range 3 {
			due := s.due(s.round)
			if wait := due.Sub(now); wait <= 0 || wait > time.Minute || due.Second() != 20 {
				t.Errorf("at %v, the next round is at %v", now, due)
			}
			now = due.Add(time.Second)
			if missed := s.next(now, 0); missed != 0 {
				t.Errorf("%d rounds are missed", missed)
			}
		}
	}
	var b budget
	take := func() bool { return b.take(now, 10*time.Second, time.Minute, 0.2) }
	if !take() || take() {
		t.Fatal("a budget does not begin with one scrape")
	}
	now = now.Add(-time.Hour)
	if take() {
		t.Error("a clock that was set back fills the budget")
	}
	if now = now.Add(time.Minute); !take() {
		t.Error("a budget is not filled after the clock was set back")
	}
}

// TestBudgetWindows counts windows of kinds that count, and recordings of triggers: in a quarter of the time,
// 25 s of windows fit into each 100 s.
func TestBudgetWindows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t, func(string) behavior { return well })
		c := parse(t, `scrape_configs: [{job_name: a, budget: 25%, static_configs: [{targets: ["10.0.0.1:6060"]}]}]`)
		const address = "10.0.0.1:6060"
		count := func(kind string) int { return len(n.of(address, kind)) }
		scraping(t, n, Options{Config: c, Writer: &memory{}}, time.Hour, func(e *Engine) {
			for _, kind := range []string{"cpu", "allocs", "mutex", "block"} {
				if got := count(kind); got < 30 || got > 37 {
					t.Errorf("%d profiles %s in an hour, want at most 37", got, kind)
				}
			}
			if got := count("heap"); got < 59 {
				t.Errorf("%d snapshots of the heap in an hour, want 60", got)
			}
			before := count("cpu")
			e.mu.Lock()
			host := e.hosts["http://"+address+"/debug/pprof"]
			e.mu.Unlock()
			host.budget.spend(15 * time.Minute) // as recordings of triggers do: all of the next hour
			time.Sleep(time.Hour)
			synctest.Wait()
			if got := count("cpu") - before; got > 2 {
				t.Errorf("%d CPU profiles in an hour whose budget was recorded", got)
			}
			before = count("cpu")
			time.Sleep(time.Hour)
			synctest.Wait()
			if got := count("cpu") - before; got < 30 || got > 37 {
				t.Errorf("%d CPU profiles in the hour after it", got)
			}
		})
	})
}

// TestBudget allows CPU profiles in a tenth of the time, which is less than each minute needs; two
// jobs share the target, and do not scrape it at once.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t, func(string) behavior { return well })
		const job = `{job_name: %s, budget: 10%%, profiles: [cpu, heap], static_configs: [{targets: ["10.0.0.1:6060"]}]}`
		scraping(t, n, Options{
			Config: parse(t, "scrape_configs: ["+fmt.Sprintf(job, "a")+", "+fmt.Sprintf(job, "b")+"]"), Writer: &memory{},
		}, time.Hour, nil)
		cpu, heap := len(n.of("10.0.0.1:6060", "cpu")), len(n.of("10.0.0.1:6060", "heap"))
		if cpu < 30 || cpu > 37 || heap < 118 {
			t.Errorf("%d CPU profiles of 10s and %d heap profiles in an hour, want at most 37 and 120", cpu, heap)
		}
		if len(n.twice) > 0 {
			t.Errorf("scraped twice at once: %v", n.twice)
		}
	})
}

// TestDeltas compares what is stored of counters: those that the target measures, and those that are
// subtracted, by choice or because the target ignores ?seconds=.
func TestDeltas(t *testing.T) {
	for _, test := range []struct {
		name, deltas string
		old          bool
		want         time.Duration
	}{
		{"measured by the target", "window", false, 5 * time.Second},
		{"subtracted", "subtract", false, time.Minute},
		{"subtracted because seconds are ignored", "window", true, time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t, func(string) behavior { return well })
				n.old = test.old
				m := &memory{}
				e := scraping(t, n, Options{
					Config: parse(t, `scrape_configs: [{job_name: a, deltas: `+test.deltas+
						`, profiles: [allocs, block], static_configs: [{targets: ["10.0.0.1:6060"]}]}]`),
					Writer: m,
				}, 10*time.Minute, func(e *Engine) {
					if used := e.bases.used(); (used > 0) != (test.want == time.Minute) {
						t.Errorf("%d bytes are kept for subtracting", used)
					}
				})
				if used := e.bases.used() + e.answers.used() + e.queue.room.used(); used != 0 {
					t.Errorf("%d bytes are not given back", used)
				}
				for _, kind := range []string{"allocs", "block"} {
					all := m.of(kind)
					if len(all) < 8 {
						t.Fatalf("%d profiles %s", len(all), kind)
					}
					for _, p := range all {
						for i := range p.Data.SampleTypes {
							// main.cold has not changed when it is subtracted.
							var sum int64
							for k := range p.Data.NumSamples() {
								sum += p.Data.Value(k, i)
							}
							want := int64(10)
							if test.want != time.Minute {
								want = 11
							}
							if sum != want {
								t.Errorf("%s: %v is %d, want %d", kind, p.Data.SampleTypes[i], sum, want)
							}
						}
						if kind == "allocs" && len(p.Data.SampleTypes) != 2 {
							t.Errorf("allocs has the types %v", p.Data.SampleTypes)
						}
						if d := p.Duration - test.want; d < -6*time.Second || d > 6*time.Second {
							t.Errorf("%s covers %v, want %v", kind, p.Duration, test.want)
						}
					}
				}
			})
		})
	}
}

// TestRestart starts a program again between two scrapes: nothing is stored of counters that went
// down.
func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t, func(string) behavior { return well })
		m := &memory{}
		var notes []string
		go func() {
			time.Sleep(5*time.Minute + 30*time.Second)
			n.mu.Lock()
			n.counter = map[string]int64{}
			n.mu.Unlock()
		}()
		scraping(t, n, Options{
			Config: parse(t, `scrape_configs: [{job_name: a, deltas: subtract, profiles: [mutex], static_configs: [{targets: `+
				`["10.0.0.1:6060"]}]}]`),
			Writer: m, Event: func(e Event) { notes = append(notes, e.Profiles[0].Note) },
		}, 10*time.Minute, nil)
		want := []string{"the first one, which later ones are subtracted from", "the program was started again"}
		if got := slices.DeleteFunc(notes, func(s string) bool { return s == "" }); !slices.Equal(got, want) {
			t.Errorf("notes %q, want %q", got, want)
		}
		if len(m.of("mutex")) != len(notes)-len(want) || len(notes) < 9 {
			t.Errorf("%d profiles of %d scrapes", len(m.of("mutex")), len(notes))
		}
	})
}

// TestPartial has a target whose CPU profiler is in use: the rest is stored, and it is not scraped less
// often.
func TestPartial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t, func(string) behavior { return halfBroken })
		m := &memory{}
		scraping(t, n, Options{
			Config: parse(t, `scrape_configs: [{job_name: a, profiles: [cpu, heap, goroutine], static_configs: [{targets: `+
				`["10.0.0.1:6060"]}]}]`),
			Writer: m,
		}, 20*time.Minute, func(e *Engine) {
			s := e.Status().Targets[0]
			want := "cpu: the target answers 500 Internal Server Error: Could not enable CPU profiling: cpu profiling already " +
				"in use"
			if s.State != Up || s.Error != want || s.Failures != 0 {
				t.Errorf("state %+v", s)
			}
		})
		if g, h := len(m.of("goroutine")), len(m.of("heap")); g < 19 || h != g {
			t.Errorf("%d goroutine and %d heap profiles", g, h)
		}
	})
}

// TestEndless has a target that sends without an end: the answer is cut off, and its memory given
// back.
func TestEndless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t, func(string) behavior { return endless })
		e := scraping(t, n, Options{
			Config: parse(t, `scrape_configs: [{job_name: a, profiles: [heap], static_configs: [{targets: `+addresses(1)+`}]}]`),
			Writer: &memory{},
		}, 2*time.Minute, func(e *Engine) {
			if s := e.Status().Targets[0]; s.State != Down || !strings.Contains(s.Error, "more than 16 MiB") {
				t.Errorf("state %+v", s)
			}
		})
		if used := e.answers.used(); used != 0 {
			t.Errorf("%d bytes are not given back", used)
		}
	})
}

// TestStoreFails has a store that is down for twenty minutes: profiles wait within the limit of memory, the
// rest is dropped and counted, and all that waited is stored afterwards. One that the store refuses does
// not hold up the others.
func TestStoreFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t, func(string) behavior { return well })
		down := time.Now().Add(20 * time.Minute)
		m := &memory{fail: func(all []store.Profile) error {
			if time.Now().Before(down) {
				return errors.New("the disk is full")
			}
			for i := range all {
				if all[i].Labels.Get("instance") == "10.0.0.3:6060" {
					return &store.InvalidError{Index: i, Err: errors.New("this one is not wanted")}
				}
			}
			return nil
		}}
		var warnings []string
		var most int64
		e := scraping(t, n, Options{
			Config: parse(t, `scrape_configs: [{job_name: a, profiles: [heap], static_configs: [{targets: `+
				addresses(20)+`}]}]`),
			Writer: m, Memory: 2 << 20, Warn: func(err error) { warnings = append(warnings, err.Error()) },
			Event: func(Event) {},
		}, 30*time.Minute, func(e *Engine) {
			s := e.Status()
			if s.Profiles.Dropped == 0 || s.Profiles.Refused == 0 || s.Profiles.Stored == 0 || s.Profiles.Waiting != 0 {
				t.Errorf("counts %+v", s.Profiles)
			}
			if got := int64(len(m.of("heap"))); got != s.Profiles.Stored {
				t.Errorf("%d stored, %d counted", got, s.Profiles.Stored)
			}
			most = e.queue.room.all
		})
		if used := e.queue.room.used(); used != 0 || most != 1<<20 {
			t.Errorf("%d of %d bytes are not given back", used, most)
		}
		all := strings.Join(warnings, "\n")
		for _, want := range []string{
			"the store fails: the disk is full", "the store does not keep up: 1 profiles were dropped so far",
			"the store works again",
			"the store refuses a profile heap of a: profile 1 of the batch: this one is not wanted (1 so far)",
		} {
			if !strings.Contains(all, want) {
				t.Errorf("no warning %q in\n%s", want, all)
			}
		}
		if m.attempts > 2000 {
			t.Errorf("%d attempts to write", m.attempts)
		}
	})
}

// TestSourceChanges changes the targets of a source: rules apply, and those that remain are not
// started again.
func TestSourceChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t, func(string) behavior { return well })
		c := parse(t, `scrape_configs: [{job_name: a, profiles: [heap], relabel_configs: [
			{source_labels: [__meta_zone], regex: "x", action: drop}, {source_labels: [__meta_app], target_label: service},
			{source_labels: [__meta_port, __address__], regex: "(.+);(.*)", target_label: __address__, replacement: "$2:$1"},
			{source_labels: [__meta_path], regex: "(.+)", target_label: __pprof_path__}],
			static_configs: [{targets: ["10.0.0.1:6060"]}]}]`)
		e := New(Options{Config: c, Writer: &memory{}, Dial: n.dial})
		j := e.jobs[0]
		ctx, stop := context.WithCancel(t.Context())
		j.ctx = ctx
		names := func(sets ...map[string]string) []string {
			j.sets[0] = sets
			j.update()
			var all []string
			for _, s := range e.Status().Targets {
				all = append(all, s.Service+" "+s.Target+" "+s.Labels.String())
			}
			return all
		}
		one := map[string]string{"__address__": "10.0.0.1", "__meta_port": "80", "__meta_app": "shop", "zone": "b"}
		got := names(one, map[string]string{"__address__": "10.0.0.2", "__meta_zone": "x"},
			map[string]string{"__address__": "10.0.0.3:1", "__meta_path": "/x/"}, map[string]string{"__address__": "u:p@h"})
		want := []string{
			`a http://10.0.0.3:1/x {instance="10.0.0.3:1",job="a"}`,
			`shop http://10.0.0.1:80/debug/pprof {instance="10.0.0.1:80",job="a",zone="b"}`,
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if w := e.Status().Warnings.Texts(); len(w) != 1 || strings.Contains(w[0], "u:p") {
			t.Errorf("warnings %q", w)
		}
		first := j.targets["http://10.0.0.1:80/debug/pprof shop"+`{instance="10.0.0.1:80",job="a",zone="b"}`]
		if got := names(one); len(got) != 1 || first == nil || j.targets[first.key] != first {
			t.Errorf("got %q; a target that remains must not be started again", got)
		}
		if got := names(); len(got) != 0 {
			t.Errorf("got %q", got)
		}
		stop()
		e.work.Wait()
		if len(e.hosts) != 0 || e.count != 0 {
			t.Errorf("%d hosts and %d targets are left", len(e.hosts), e.count)
		}
	})
}
