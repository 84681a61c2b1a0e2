package support

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// Environment variables of a program with a Recorder. Without DirEnv it copies nothing.
const (
	DirEnv    = "WHET_CAPTURE_DIR"    // where each process writes its document
	RedactEnv = "WHET_CAPTURE_REDACT" // regular expression of further names of secrets, or - for no rules at all
	ShareEnv  = "WHET_CAPTURE_SHARE"  // time for copying, as a fraction of the process's CPU time; DefaultShare
)

// AllShare is the value of ShareEnv for programs of which nothing is measured and that may end soon, such as tests: the
// first calls of each function are copied without pauses.
const AllShare = 1

// DefaultShare is the fraction of the process's CPU time that is spent on copying and writing, without the collection
// of garbage for it.
const DefaultShare = 0.01

// Limits of what a process keeps.
const (
	maxCalls   = 64           // of a function
	maxKept    = 2 << 20      // bytes of all functions, by keptSize
	maxCounted = 1 << 10      // calls before the one that is copied
	maxEager   = 4 * maxCalls // copies of a function without pauses
	tick       = 20 * time.Millisecond
	slowTick   = 10 // ticks without the call that was waited for, after which it is the next one
	firstFlush = 50 * time.Millisecond
	lastFlush  = time.Second
	countTime  = 20 // nanoseconds that counting a call takes while others count, too
)

// A Gate is what each call of a function goes through. It is in the memory of the package, next to nothing that is
// written often.
type Gate struct {
	_    [64]byte
	left atomic.Int32 // calls until the one that is copied, and 1; 0: none is
	_    [60]byte
}

// Open reports whether the call is copied.
func (g *Gate) Open() bool { return g.left.Load() != 0 && g.last() }

// last counts a call, and reports whether it is the one to copy.
//
//go:noinline
func (g *Gate) last() bool {
	n := g.left.Add(-1)
	if n < 0 {
		g.left.CompareAndSwap(n, 0) // several calls at once
	}
	return n == 0
}

// A Recorder copies calls of functions.
type Recorder struct {
	redactor *Redactor
	share    float64
	dir      string
	cpu      func() time.Duration // that the process has used
	copying  atomic.Int32         // 1 while a call is copied
	spent    atomic.Int64         // nanoseconds
	writing  sync.Mutex           // a document

	mu        sync.Mutex
	functions []*function
	kept      int  // bytes
	changed   bool // since the last document
}

type function struct {
	about   Function // without Calls
	gate    *Gate
	plans   []*Plan
	cases   []Case
	calls   []*kept
	waiting int       // ticks
	count   int32     // calls that are counted before one is copied
	armed   time.Time // when the gate was opened
	ofCalls int64     // calls that were counted in a time
	ofTime  time.Duration
}

// A kept call is encoded by the goroutine that writes documents, and only if it is still kept then.
type kept struct {
	size int
	call *Call           // nil when it is encoded; only the goroutine that holds Recorder.writing reads it and data
	data json.RawMessage // nil until then
}

// keptSize estimates how long a call is in JSON.
func keptSize(c *copier) int { return 64*c.nodes + c.bytes }

// Start returns a recorder that runs until the process ends, or nil if the environment asks for none.
func Start(functions []Function, gates []*Gate, plans [][]*Plan, cases [][]Case) *Recorder {
	dir := os.Getenv(DirEnv)
	if dir == "" {
		return nil
	}
	var names *regexp.Regexp
	text := os.Getenv(RedactEnv)
	if text != "" && text != "-" {
		names = regexp.MustCompile(text) // checked before
	}
	share, err := strconv.ParseFloat(os.Getenv(ShareEnv), 64)
	if err != nil {
		share = DefaultShare
	}
	r := newRecorder(dir, NewRedactor(names, text == "-"), share, functions, gates, plans)
	for i, f := range r.functions { // before the program runs, which may end soon
		f.cases = cases[i]
		r.arm(f)
	}
	go r.run(nil)
	return r
}

func newRecorder(
	dir string, redactor *Redactor, share float64, functions []Function, gates []*Gate, plans [][]*Plan,
) *Recorder {
	r := &Recorder{redactor: redactor, share: share, dir: dir, cpu: processCPU}
	for i := range functions {
		f := &function{about: functions[i], gate: gates[i], plans: plans[i], count: 1}
		r.functions = append(r.functions, f)
	}
	return r
}

// run opens gates as often as the time for copying allows, and writes documents, until stop is closed.
func (r *Recorder) run(stop <-chan struct{}) {
	flushed, wait := time.Now(), firstFlush
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		var now time.Time
		select {
		case now = <-ticker.C:
		case <-stop:
			return
		}
		if now.Sub(flushed) >= wait {
			flushed = now
			took := r.flush()
			wait = max(min(2*wait, lastFlush), time.Duration(float64(took)/r.share))
		}
		budget := time.Duration(float64(r.cpu())*r.share) - time.Duration(r.spent.Load())
		for _, i := range rand.Perm(len(r.functions)) {
			r.next(r.functions[i], budget > 0)
		}
	}
}

// next opens a function's gate if it is closed and there is time.
func (r *Recorder) next(f *function, may bool) {
	if f.gate.left.Load() == 0 {
		if f.waiting <= 1 {
			f.count = min(2*f.count, maxCounted)
		}
		if may {
			r.arm(f)
		}
		return
	}
	if f.waiting++; f.waiting > slowTick && f.count > 1 {
		f.count = max(f.count/4, 1)
		r.arm(f)
	}
}

// arm has one of the next calls copied. Which one is by chance: calls that come after a pause are not like others.
func (r *Recorder) arm(f *function) {
	f.waiting = 0
	n := 1 + rand.Int32N(f.count)
	r.mu.Lock()
	f.armed = time.Now()
	r.mu.Unlock()
	f.gate.left.Store(n)
	r.spent.Add(int64(n) * countTime)
	if n > 1 {
		r.mu.Lock()
		f.ofCalls += int64(n)
		r.mu.Unlock()
	}
}

// A Copy is a call that is being copied. nil, which copies nothing, is valid.
type Copy struct {
	r     *Recorder
	f     *function
	at    int // where it is to be kept
	plans []*Plan
	c     copier
	out   Call
	drop  bool
	since moment
}

// A moment is when something began.
type moment struct {
	at  time.Time
	cpu time.Duration // that the process had used
}

func (r *Recorder) now() moment { return moment{time.Now(), r.cpu()} }

// spend adds the time since a moment to that for copying: what elapsed, or the CPU time of the whole process if that is
// less, since then it had to wait for other processes. It returns the time.
func (r *Recorder) spend(since moment) time.Duration {
	took := max(0, min(time.Since(since.at), r.cpu()-since.cpu))
	r.spent.Add(int64(took))
	return took
}

// Begin begins the copy of a call. It returns nil if another one is being copied, or this one would not be kept.
func (r *Recorder) Begin(id int) *Copy {
	if r == nil || !r.copying.CompareAndSwap(0, 1) {
		return nil
	}
	since := r.now()
	f := r.functions[id]
	r.mu.Lock()
	if f.armed.Before(since.at) {
		f.ofTime += since.at.Sub(f.armed)
	}
	at := len(f.calls)
	if at == maxCalls || r.kept >= maxKept {
		if at = r.replaced(f, f.about.Taken+1); at < 0 {
			r.taken(f)
		}
	}
	r.mu.Unlock()
	if at < 0 {
		r.spend(since)
		r.copying.Store(0)
		return nil
	}
	return &Copy{r: r, f: f, at: at, plans: f.plans, c: copier{redactor: r.redactor}, since: since}
}

// replaced returns the place of a call that the last one of n replaces, so that each is kept with the same probability;
// -1 if it is not kept. The caller holds mu.
func (*Recorder) replaced(f *function, n int64) int {
	if at := rand.Int64N(n); at < int64(len(f.calls)) {
		return int(at)
	}
	return -1
}

// taken counts a call from which those that are kept are drawn. The caller holds mu.
func (r *Recorder) taken(f *function) {
	f.about.Taken++
	r.changed = true
	if r.share >= AllShare && f.about.Taken < maxEager {
		f.armed = time.Now()
		f.gate.left.Store(1 + int32(f.about.Taken/maxCalls))
	}
}

// Is chooses the plans of the arguments by the dynamic type of one of them.
func (c *Copy) Is(argument int, v any) {
	if c == nil || v == nil {
		return
	}
	name := typeName(reflect.TypeOf(*(*any)(hide(unsafe.Pointer(&v)))))
	for i := range c.f.cases {
		if one := &c.f.cases[i]; one.Argument == argument && one.Type == name {
			c.plans = one.Plans
			return
		}
	}
}

// hide hides a pointer from the compiler's escape analysis, so that arguments stay on the caller's stack.
func hide(p unsafe.Pointer) unsafe.Pointer {
	x := uintptr(p)
	return *(*unsafe.Pointer)(unsafe.Pointer(&x))
}

// In copies an argument, or the receiver, which stays on the caller's stack.
func (c *Copy) In(v any) {
	if c != nil {
		c.in(*(*any)(hide(unsafe.Pointer(&v))))
	}
}

// InMap is In for an argument with a map that is iterated over: reflection keeps the map while it does that, so it must
// be on the heap.
func (c *Copy) InMap(v any) {
	if c != nil {
		c.in(v)
	}
}

func (c *Copy) in(v any) {
	defer c.recovered()
	i := len(c.out.Arguments)
	name, plan := "", (*Plan)(nil)
	if at := i; at < len(c.plans) {
		plan = c.plans[at]
	}
	if c.f.about.Receiver {
		i--
	}
	if i >= 0 && i < len(c.f.about.Parameters) {
		name = c.f.about.Parameters[i]
	}
	c.out.Arguments = append(c.out.Arguments, c.c.top(name, reflect.ValueOf(v), plan))
}

// recovered drops the call if copying panicked.
func (c *Copy) recovered() {
	if recover() != nil {
		c.drop = true
	}
}

// Called ends the time for copying arguments: the function is called now.
func (c *Copy) Called() {
	if c != nil {
		c.r.spend(c.since)
		c.r.copying.Store(0)
	}
}

// Returned begins the time for copying results.
func (c *Copy) Returned() {
	if c != nil {
		c.since = c.r.now()
	}
}

// Out copies a result.
func (c *Copy) Out(v any) {
	if c != nil {
		c.result(*(*any)(hide(unsafe.Pointer(&v))))
	}
}

func (c *Copy) result(v any) {
	defer c.recovered()
	name := ""
	if i := len(c.out.Results); i < len(c.f.about.Results) {
		name = c.f.about.Results[i]
	}
	c.out.Results = append(c.out.Results, c.c.top(name, reflect.ValueOf(v), nil))
}

// End keeps the call, maybe instead of another one: each call that was taken is kept with the same probability.
func (c *Copy) End() {
	if c == nil {
		return
	}
	defer c.r.spend(c.since)
	if c.drop {
		return
	}
	out := c.out // not the copier
	one := &kept{size: keptSize(&c.c), call: &out}
	r, f := c.r, c.f
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken(f)
	at := c.at
	if at >= len(f.calls) {
		if len(f.calls) < maxCalls && r.kept+one.size <= maxKept {
			f.calls = append(f.calls, one)
			r.kept += one.size
			return
		}
		at = r.replaced(f, f.about.Taken) // others have ended before
	}
	if at < 0 || r.kept+one.size-f.calls[at].size > maxKept {
		return
	}
	r.kept += one.size - f.calls[at].size
	f.calls[at] = one
}

// Flush writes the document. nil, which has none, is valid.
func (r *Recorder) Flush() {
	if r != nil {
		r.flush()
	}
}

// flush writes the document, if it has changed, and returns how long that took.
func (r *Recorder) flush() time.Duration {
	r.writing.Lock()
	defer r.writing.Unlock()
	since := r.now()
	data := r.document()
	if data == nil {
		return 0
	}
	name := filepath.Join(r.dir, strconv.Itoa(os.Getpid())+".json")
	if os.WriteFile(name+".new", data, 0o600) == nil {
		_ = os.Rename(name+".new", name) // the next one may succeed
	}
	return r.spend(since)
}

// document returns the document; nil if it has not changed. Calls do not wait for it. The caller holds writing.
func (r *Recorder) document() []byte {
	functions := r.snapshot()
	if functions == nil {
		return nil
	}
	out := []byte(`{"schema":"` + Schema + `","functions":[`)
	for i := range functions {
		f := &functions[i]
		head, err := json.Marshal(f.about)
		if err != nil {
			return nil
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, head[:len(head)-1]...)
		out = append(out, `,"calls":[`...)
		first := true
		for _, k := range f.calls {
			if k.call != nil {
				if k.data, err = json.Marshal(k.call); err != nil {
					k.data = nil
				}
				k.call = nil
			}
			if k.data == nil {
				continue
			}
			if !first {
				out = append(out, ',')
			}
			first = false
			out = append(out, k.data...)
		}
		out = append(out, "]}"...)
	}
	return append(out, "]}"...)
}

// snapshot returns the functions with their calls; nil if nothing has changed.
func (r *Recorder) snapshot() []function {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.changed {
		return nil
	}
	r.changed = false
	all := make([]function, len(r.functions))
	for i, f := range r.functions {
		all[i] = function{about: f.about, calls: append([]*kept(nil), f.calls...)}
		if f.ofTime > 0 && f.ofCalls > 0 {
			all[i].about.Rate = float64(f.ofCalls) / f.ofTime.Seconds()
		}
	}
	return all
}
