package contention_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"runtime/trace"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/trace/contention"
	"github.com/whet-go/whet/internal/trace/tracetest"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/stacks"
)

const pause = 2 * time.Millisecond

// A store holds its lock while it waits for something slow.
type store struct {
	mu sync.Mutex
	n  int
}

func (s *store) slowUpdate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fetch()
}

func (s *store) fetch() {
	s.n++
	time.Sleep(pause) // simulates I/O
}

func (s *store) update() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
}

func consumeSlowly(in <-chan int, done func()) {
	defer done()
	for range in {
		time.Sleep(pause)
	}
}

func produce(out chan<- int, n int) {
	for i := range n {
		out <- i
	}
	close(out)
}

// poolWorker is a worker of a pool that mostly waits for work.
func poolWorker(jobs <-chan func(), done func()) {
	defer done()
	for job := range jobs {
		job()
	}
}

func submit(jobs chan<- func(), n int) {
	for range n {
		time.Sleep(pause)
		answer := make(chan int, 1)
		jobs <- func() { answer <- 1 }
		<-answer
	}
}

func ticking(stop <-chan struct{}, done func()) {
	defer done()
	t := time.NewTicker(pause)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-stop:
			return
		}
	}
}

// fanOut waits for goroutines that it starts.
func fanOut(n int) {
	results := make(chan int)
	for range n {
		go func() {
			time.Sleep(pause)
			results <- 1
		}()
	}
	for range n {
		gather(results)
	}
}

func gather(results <-chan int) { <-results }

// contended returns a trace of all of these.
func contended(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	var wg, pool sync.WaitGroup
	const rounds = 20

	var s store
	wg.Go(func() {
		for range rounds {
			s.slowUpdate()
		}
	})
	for range 2 {
		wg.Go(func() {
			for range rounds {
				s.update()
				time.Sleep(pause / 4)
			}
		})
	}

	items := make(chan int)
	wg.Add(1)
	go consumeSlowly(items, wg.Done)
	wg.Go(func() { produce(items, rounds) })

	jobs := make(chan func())
	stop := make(chan struct{})
	pool.Add(5)
	for range 2 {
		go poolWorker(jobs, pool.Done)
		go func() { poolWorker(jobs, pool.Done) }()
	}
	go ticking(stop, pool.Done)
	wg.Go(func() { submit(jobs, 3*rounds) })
	wg.Go(func() {
		for range rounds {
			fanOut(3)
		}
	})

	wg.Wait()
	close(jobs)
	close(stop)
	pool.Wait()
	trace.Stop()
	return out.Bytes()
}

func find(t *testing.T, x *index.Index, o contention.Options) *contention.Result {
	t.Helper()
	r, err := contention.Find(x, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// has reports whether a stack has a function of this package whose name contains the given text.
func has(x *index.Index, stack uint32, function string) bool {
	for _, f := range x.Stack(stack) {
		if strings.Contains(f.Func, "contention_test."+function) {
			return true
		}
	}
	return false
}

// sum adds up pairs of a wait and a waker.
func sum(x *index.Index, pairs []*contention.Pair, waiting, waking string) (all contention.Pair) {
	for _, p := range pairs {
		if has(x, p.Waiting, waiting) && has(x, p.Waking, waking) {
			if all.Total < p.Total {
				all.Kind, all.Meanwhile, all.Waiting, all.Waking = p.Kind, p.Meanwhile, p.Waiting, p.Waking
			}
			all.Count += p.Count
			all.Total += p.Total
			all.Max = max(all.Max, p.Max)
		}
	}
	return all
}

// show prints pairs.
func show(t *testing.T, x *index.Index, all *contention.Result) {
	t.Helper()
	for _, p := range all.Pairs {
		a, _ := contention.Place(x.Stack(p.Waiting), nil)
		b, _ := contention.Place(x.Stack(p.Waking), nil)
		t.Logf("%v %v: %s:%d by %s:%d, %d waits of %v; %s, %s", p.Idle, p.Kind, a.Func, a.Line, b.Func, b.Line, p.Count,
			p.Total, p.Waiter, p.Waker)
	}
}

// TestOf finds who waited for whom in a known program, and leaves out idle waits.
func TestOf(t *testing.T) {
	var x *index.Index
	var r, all *contention.Result
	var problems []string
	// A goroutine that gets a processor too late does not have to wait, so the test has several
	// attempts.
	for range 5 {
		x = tracetest.Index(t, contended(t))
		r, all = find(t, x, contention.Options{}), find(t, x, contention.Options{Idle: true})
		if problems = waitProblems(x, r, all); len(problems) == 0 {
			break
		}
	}
	for _, p := range problems {
		t.Error(p)
	}
	for _, place := range []string{"poolWorker", "ticking"} {
		if got := sum(x, r.Pairs, place, ""); got.Count > 0 {
			t.Errorf("%s is idle, and has %d waits of %v", place, got.Count, got.Total)
		}
	}
	if all.Count != r.Count+r.LeftCount || all.Total != r.Total+r.LeftTotal || len(all.Left) > 0 {
		t.Errorf("%d waits of %v are %d of %v and %d of %v that are idle", all.Count, all.Total, r.Count, r.Total,
			r.LeftCount, r.LeftTotal)
	}

	last := time.Duration(1 << 62)
	for _, p := range all.Pairs {
		if p.Total > last || p.P50 > p.P99 || p.P99 > p.Max || p.Max > p.Total || p.Count < 1 || p.P50 <= 0 {
			t.Errorf("%+v after one of %v", p, last)
		}
		last = p.Total
		shares := 0.0
		for _, d := range p.Meanwhile {
			shares += d.Share
		}
		if shares > 1.0001 {
			t.Errorf("%v of the waits at %v are known", shares, p.Waiting)
		}
	}
	if t.Failed() {
		show(t, x, all)
	}
}

// waitProblems returns the waits of the program in contended that are not reported correctly.
func waitProblems(x *index.Index, r, all *contention.Result) (problems []string) {
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	for _, want := range []struct {
		kind            contention.Kind
		waiting, waking string
		least           time.Duration
		count           int64
	}{
		{contention.Lock, "(*store).update", "(*store).slowUpdate", 5 * pause, 5},
		{contention.Send, "produce", "consumeSlowly", 10 * pause, 10},
		{contention.Receive, "gather", "fanOut.func1", 10 * pause, 15},
	} {
		got := sum(x, r.Pairs, want.waiting, want.waking)
		if got.Kind != want.kind || got.Total < want.least || got.Count < want.count {
			wrong("%s by %s: %v, %d waits of %v", want.waiting, want.waking, got.Kind, got.Count, got.Total)
		}
	}
	group := contention.Pair{}
	for _, p := range r.Pairs {
		if p.Kind == contention.WaitGroup {
			group = *p
			break
		}
	}
	if !has(x, group.Waiting, "contended") || group.Total < 10*pause {
		wrong("the WaitGroup is waited for %v", group.Total)
	}
	// The holder of the lock sleeps, and the report contains where.
	slow := sum(x, r.Pairs, "(*store).update", "(*store).slowUpdate")
	slept := 0.0
	for _, doing := range slow.Meanwhile {
		if x.Code(doing.Code) == "sleep" && has(x, doing.Stack, "(*store).fetch") {
			slept = doing.Share
		}
	}
	if slept < 0.2 { // on a busy machine, it may wait longer for a processor
		wrong("meanwhile the holder did %+v", slow.Meanwhile)
	}
	if got := sum(x, r.Left, "poolWorker", "submit"); got.Count < 10 {
		wrong("%d waits of idle workers are left out", got.Count)
	}
	if got := sum(x, all.Pairs, "poolWorker", "submit"); got.Count < 10 {
		wrong("%d waits of idle workers when they are included", got.Count)
	}
	return problems
}

// TestAgainstSpans compares the sums of all waits with those of the index's spans.
func TestAgainstSpans(t *testing.T) {
	x := tracetest.Index(t, contended(t))
	from, to := x.Info.Duration/4, x.Info.Duration/2
	want := time.Duration(0)
	kinds, of := x.Kinds(), map[uint32]string{}
	if err := x.Goroutines(func(g *index.Goroutine) bool {
		of[g.Index] = kinds[g.Kind].Name
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if err := x.Spans(from, to, func(s index.Span) bool {
		name := x.Code(s.Code)
		for _, counts := range []string{"chan", "select", "sync", "network"} {
			if strings.Contains(name, counts) && (!strings.HasPrefix(of[s.Goroutine], "runtime.") ||
				of[s.Goroutine] == "runtime.main") {
				want += time.Duration(max(min(s.To, to)-max(s.From, from), 0))
				break
			}
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	all := find(t, x, contention.Options{From: from, To: to, Idle: true, Network: true})
	if all.Total != want {
		t.Errorf("waits of %v, spans of %v", all.Total, want)
	}
	// The sums of single kinds of goroutines add up to those of all.
	parts := time.Duration(0)
	for _, k := range kinds {
		re := regexp.MustCompile("^" + regexp.QuoteMeta(k.Name) + "$")
		parts += find(t, x, contention.Options{From: from, To: to, Idle: true, Network: true, Goroutines: re}).Total
	}
	if parts != want {
		t.Errorf("waits by kind are %v, all are %v", parts, want)
	}
}

func TestOptions(t *testing.T) {
	x := tracetest.Index(t, contended(t))
	for _, o := range []contention.Options{{From: -1}, {From: 2, To: 1}, {Most: -1}} {
		if _, err := contention.Find(x, o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	none := find(t, x, contention.Options{Goroutines: regexp.MustCompile("no such goroutine")})
	if len(none.Pairs) != 0 || none.Total != 0 {
		t.Errorf("%+v", none)
	}
	few := find(t, x, contention.Options{Most: 1})
	if few.Pairs[0].P99 == 0 || few.Pairs[1].P99 != 0 {
		t.Error("quantiles of more than Most pairs, or of none")
	}
}

func TestPlace(t *testing.T) {
	stack := func(names ...string) (frames []stacks.Frame) {
		for _, n := range names {
			frames = append(frames, stacks.Frame{Func: n})
		}
		return frames
	}
	own := func(f stacks.Frame) bool { return strings.HasPrefix(f.Func, "example.com/shop.") }
	for _, test := range []struct {
		stack []stacks.Frame
		own   func(stacks.Frame) bool
		want  string
	}{
		{
			stack("sync.(*Mutex).Lock", "example.org/log.Print", "example.com/shop.buy", "net/http.(*conn).serve"), own,
			"example.com/shop.buy",
		},
		{stack("sync.(*Mutex).Lock", "example.org/log.Print", "example.com/shop.buy"), nil, "example.org/log.Print"},
		{stack("sync.(*Mutex).Lock", "main.buy"), own, "main.buy"},
		{stack("runtime.chanrecv1", "net/http.(*persistConn).writeLoop"), own, "net/http.(*persistConn).writeLoop"},
		{stack("runtime.chanrecv1", "runtime.unique_runtime_registerUniqueMapCleanup.func2"), nil, "runtime.chanrecv1"},
		{nil, own, ""},
	} {
		got, ok := contention.Place(test.stack, test.own)
		if got.Func != test.want || ok != (test.want != "") {
			t.Errorf("%v: %v, want %s", test.stack, got, test.want)
		}
	}
}

// TestRuntime recognizes the runtime's own semaphores.
func TestRuntime(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4)) // with one CPU, collections hardly ever coincide
	seen := false
	// They coincide by chance, which is rare with one core.
	for try := 0; !seen && try < 100; try++ {
		seen = runtimeWaits(t)
	}
	if !seen {
		t.Error("no goroutine waited for another one's collection")
	}
}

// runtimeWaits reports whether a goroutine waited for another one's collection.
func runtimeWaits(t *testing.T) (seen bool) {
	t.Helper()
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				runtime.GC() // one at a time
			}
		})
	}
	wg.Wait()
	trace.Stop()
	x := tracetest.Index(t, out.Bytes())
	r := find(t, x, contention.Options{Idle: true})
	for _, p := range r.Pairs {
		frames := x.Stack(p.Waiting)
		if p.Kind == contention.Runtime {
			seen = true
			if !p.Idle || !strings.HasPrefix(frames[0].Func, "runtime.") {
				t.Errorf("%v, idle is %v", frames, p.Idle)
			}
		}
		if p.Kind == contention.Lock {
			for _, f := range frames {
				if f.Func == "runtime.GC" {
					t.Errorf("a lock: %v", frames)
				}
			}
		}
	}
	return seen
}

// TestServer reports what handlers wait for, but not what net/http waits for between requests.
func TestServer(t *testing.T) {
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	jobs, stopped := make(chan func()), make(chan struct{})
	go poolWorker(jobs, func() { close(stopped) })
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { answerSlowly(jobs) }))
	for range 30 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := server.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		if err := resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
	}
	server.Close()
	close(jobs)
	<-stopped
	trace.Stop()
	x := tracetest.Index(t, out.Bytes())
	r := find(t, x, contention.Options{})
	got := sum(x, r.Pairs, "answerSlowly", "poolWorker")
	if got.Kind != contention.Receive || got.Count < 15 || got.Total < 15*pause { // of 30
		t.Errorf("%v, %d waits of %v", got.Kind, got.Count, got.Total)
	}
	for _, p := range r.Pairs {
		for _, f := range x.Stack(p.Waiting) {
			if f.Func == "net/http.(*connReader).abortPendingRead" && p.Kind == contention.Cond ||
				f.Func == "net/http.(*persistConn).roundTrip" {
				t.Errorf("%v in %s", p.Kind, f.Func)
			}
		}
	}
	if t.Failed() {
		show(t, x, find(t, x, contention.Options{Idle: true}))
	}
	network := find(t, x, contention.Options{Network: true})
	for _, p := range network.Pairs {
		if p.Kind == contention.Network {
			return
		}
	}
	t.Error("no goroutine waits for the network")
}

// answerSlowly gives the worker a job that takes a while.
func answerSlowly(jobs chan<- func()) {
	answer := make(chan int, 1)
	jobs <- func() {
		time.Sleep(pause)
		answer <- 1
	}
	<-answer
}

// TestForever reports goroutines that can never continue, as long as the trace lasts.
func TestForever(t *testing.T) {
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	before := forever()
	for _, block := range []func(){receiveForever, sendForever, selectForever} {
		go block()
	}
	for deadline := time.Now().Add(2 * time.Minute); forever() < before+3; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d of 3 goroutines wait", forever()-before)
		}
	}
	trace.Stop()
	x := tracetest.Index(t, out.Bytes())
	r := find(t, x, contention.Options{})
	seen := int64(0)
	for _, p := range r.Pairs {
		if p.Kind == contention.Forever {
			seen += p.Count
			if !p.Open || p.Waking != 0 || p.Max == 0 {
				t.Errorf("%+v", p)
			}
		}
	}
	if seen != 3 {
		t.Errorf("%d goroutines wait forever: %+v", seen, r.Pairs)
	}
	if err := x.Goroutines(func(g *index.Goroutine) bool {
		for _, s := range g.Times {
			if x.Code(s.Code) == "forever" && (g.Ended || g.To != x.Info.Duration || s.Time == 0) {
				t.Errorf("a goroutine that waits forever: %+v", g)
			}
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
}

// forever returns how many goroutines wait forever.
func forever() int {
	buf := make([]byte, 1<<20)
	stacks := string(buf[:runtime.Stack(buf, true)])
	return strings.Count(stacks, " [chan receive (nil chan)") + strings.Count(stacks, " [chan send (nil chan)") +
		strings.Count(stacks, " [select (no cases)")
}

func receiveForever() { <-(chan int)(nil) }
func sendForever()    { (chan int)(nil) <- 1 }
func selectForever()  { select {} }
