package collect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/whet-go/whet/internal/collect/handlers"
	"github.com/whet-go/whet/internal/collect/process"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
)

// recordURL records a running server.
func (s *session) recordURL(ctx context.Context) (*Summary, error) {
	c, err := handlers.New(s.opt.Handlers())
	if err != nil {
		return nil, err
	}
	defer c.Close()
	s.report.note("looking for pprof handlers at %s", c.Address())
	begin := time.Now()
	look, cancel := context.WithTimeoutCause(ctx, s.opt.Grace/phases, errOverdue)
	err = c.Discover(look)
	if cut := s.cut(look, err); errors.Is(cut, errOverdue) {
		err = &diag.Error{Op: "find pprof handlers at", Subject: c.Address(), Err: cut, Hint: diag.Hint(cut)}
	}
	cancel()
	if err != nil {
		return nil, err
	}
	s.spent = time.Since(begin)
	c.Limit(s.opt.MaxSize)
	if s.opt.Flight {
		return s.recordFlight(ctx, c)
	}
	if err := s.create(recording.Target{Kind: recording.URL, Address: c.Address()}); err != nil {
		return nil, err
	}
	return s.recordServer(ctx, c, nil)
}

// A serverRecording is the recording of one window of one server.
type serverRecording struct {
	*session
	c      *handlers.Client
	exited func() error

	start, end           map[string]snapshot
	statsStart, statsEnd handlers.MemStats
	info                 *agentInfo      // nil if the target has no agent
	agentStart           json.RawMessage // what it reported at the start
	cpuStart, cpuEnd     time.Time
	cpuDone              bool // the CPU profile arrived, from net/http/pprof
	lost                 bool // the target was gone before the window was over
	restarted            bool
	mutexPeriod          int
	process              *process.State
}

// snapshot is one profile at one time.
type snapshot struct {
	*handlers.Answer // nil if there is an error
	at               time.Time
	err              error
}

// drop deletes the files of snapshots.
func (t *serverRecording) drop() {
	for _, all := range []map[string]snapshot{t.start, t.end} {
		for _, s := range all {
			s.Close()
		}
	}
}

// phases is the number of phases that share the time for answers: before the window, the window,
// and after it. Time that one leaves unused goes to the next.
const phases = 3

// phase calls ask with a context that ends after window and the phase's share of the time.
func (t *serverRecording) phase(number int, window time.Duration, ask func(ctx context.Context)) {
	left := max(t.opt.Grace*time.Duration(number)/phases-t.spent, t.opt.Grace/phases/2)
	if number == phases {
		left = max(t.opt.Grace-t.spent, t.opt.Grace/phases)
	}
	begin := time.Now()
	ctx, cancel := t.within(window + left)
	defer cancel()
	ask(ctx)
	t.spent += max(0, time.Since(begin)-window)
}

// recordServer records the window and finishes the file. exited, if not nil, returns why the target
// has exited.
func (s *session) recordServer(ctx context.Context, c *handlers.Client, exited func() error) (*Summary, error) {
	t := &serverRecording{session: s, c: c, exited: exited, mutexPeriod: -1}
	defer t.drop()
	cpu, _, _ := s.opt.window()
	s.report.expect(cpu + time.Second)

	s.report.run("first snapshots", func() { t.phase(1, 0, t.first) })
	s.meta.Created = time.Now()
	var loadErr error
	t.phase(2, cpu, func(asking context.Context) { loadErr = t.measure(ctx, asking) })
	s.meta.Duration = time.Since(s.meta.Created)
	if loadErr != nil {
		return nil, errors.Join(loadErr, s.w.Abort())
	}
	interrupted := ctx.Err() != nil
	s.report.expect(0)
	s.quiet = true
	s.report.run("last snapshots", func() { t.phase(phases, 0, t.last) })
	if t.lost && !interrupted {
		s.fail(t.gone())
	}
	t.deltas()
	t.describe()
	return s.finish(interrupted)
}

// cumulative lists the profiles that count from the program's start, which are stored as a
// difference.
func cumulative() []string { return []string{"heap", "allocs", "block", "mutex"} }

// want returns those kinds that snapshots are taken of. heap and allocs hold the same samples and
// differ only in the default sample type, so one request serves both.
func (t *serverRecording) want(kinds ...string) []string {
	var out []string
	for _, k := range kinds {
		if t.c.Offers(k) && (k != "allocs" || !t.c.Offers("heap") || t.c.HasPath("allocs")) {
			out = append(out, k)
		}
	}
	return out
}

// forceGC reports whether a garbage collection must precede the last heap profile. The runtime
// counts an allocation in the profile two collections later; a window with fewer would show none of
// its allocations.
func (t *serverRecording) forceGC() bool {
	first, last := t.statsStart.Value("NumGC"), t.statsEnd.Value("NumGC")
	return first >= 0 && last >= first && last-first < 2
}

// snapshots fetches kinds, a few at a time; with gc, those of the heap after a collection.
func (t *serverRecording) snapshots(ctx context.Context, kinds []string, gc bool) map[string]snapshot {
	out := make(map[string]snapshot)
	var mu sync.Mutex
	var g errgroup.Group
	g.SetLimit(4)
	for _, kind := range kinds {
		g.Go(func() error {
			at := time.Now()
			a, err := t.newAnswer()
			if err == nil {
				collect := gc && (kind == "heap" || kind == "allocs")
				if err = t.cut(ctx, t.c.Snapshot(ctx, kind, collect, a)); err != nil {
					a.Close()
					a = nil
				}
			}
			mu.Lock()
			defer mu.Unlock()
			out[kind] = snapshot{a, at, err}
			return nil
		})
	}
	_ = g.Wait() // failures are in the snapshots
	return out
}

func (t *serverRecording) first(ctx context.Context) {
	var wg sync.WaitGroup
	wg.Go(func() { t.start = t.snapshots(ctx, t.want(append(cumulative(), "goroutine")...), false) })
	wg.Go(func() { t.statsStart = t.stats(ctx, recording.MemStatsStartPart) })
	wg.Go(func() { t.agentStart = t.askAgent(ctx) })
	t.find(ctx)
	wg.Wait()
	if g, ok := t.start["goroutine"]; ok && g.err == nil {
		t.addRaw("goroutine.start", g.Answer, recording.Part{Start: g.at, End: g.at})
	}
}

// find looks for the target's process on this machine.
func (t *serverRecording) find(ctx context.Context) {
	args := t.args(ctx)
	if len(args) == 0 {
		return
	}
	t.meta.CommandLine = args
	pid := process.FindPID(t.c.RemoteAddr(), args)
	if pid == 0 {
		return
	}
	t.meta.Target.PID = pid
	t.process = &process.State{PID: pid}
	if sample, err := process.TakeSample(pid); err == nil {
		t.process.Start = sample
	}
	// Now, while the process exists.
	exe := fmt.Sprintf("/proc/%d/exe", pid)
	t.readExecutable(exe)
	if t.meta.Build != nil {
		t.openExecutable(exe)
	}
}

func (t *serverRecording) args(ctx context.Context) []string {
	data, err := t.c.Text(ctx, "cmdline", url.Values{"debug": {"1"}})
	if err != nil || len(data) == 0 {
		return nil
	}
	return strings.Split(string(data), "\x00")
}

func (t *serverRecording) stats(ctx context.Context, part string) handlers.MemStats {
	stats, err := t.c.MemStats(ctx)
	if err != nil {
		if part == recording.MemStatsStartPart {
			t.miss("memstats", t.cut(ctx, err))
		}
		return nil
	}
	now := time.Now()
	if err := t.w.Add(recording.Part{Name: part, Kind: recording.KindText, Start: now, End: now}, stats); err != nil {
		t.fail(err)
	}
	return stats
}

// askAgent returns the report of the target's agent; nil if it has none.
func (t *serverRecording) askAgent(ctx context.Context) json.RawMessage {
	data, err := t.c.Text(ctx, "whet", nil)
	if err != nil {
		return nil
	}
	var info agentInfo
	if json.Unmarshal(data, &info) != nil || info.GoVersion == "" {
		return nil // another handler answers there
	}
	t.info = &info
	return data
}

// measure runs the CPU profile, the trace and the load, and returns when the window is over. asking
// bounds the time for the target's answers. The error is that of a load that could not be sent at
// all.
func (t *serverRecording) measure(ctx, asking context.Context) error {
	window, traceLen, traceAt := t.opt.window()
	t.report.expect(window)
	stop := make(chan struct{}) // closed when the window has to end early
	var stopOnce sync.Once
	end := func() { stopOnce.Do(func() { close(stop) }) }
	detach := context.AfterFunc(ctx, end)
	defer detach()

	var loadErr error
	loadCtx, endLoad := context.WithCancel(ctx)
	defer endLoad()
	var loading, wg sync.WaitGroup
	if t.opt.Load != nil {
		loading.Go(func() {
			t.report.run("load", func() {
				if loadErr = t.sendLoad(loadCtx, window); loadErr != nil {
					end()
				}
			})
		})
	}
	wg.Go(func() {
		t.report.run(fmt.Sprintf("cpu %v", window), func() {
			if t.lost = t.cpu(ctx, asking, stop, window); t.lost {
				end() // nothing else will arrive either
			}
		})
	})
	if traceLen > 0 {
		wg.Go(func() {
			if !wait(traceAt, stop) {
				t.miss("trace", errors.New("the window ended before the trace began"))
				return
			}
			t.report.run(fmt.Sprintf("trace %v", traceLen), func() { t.trace(asking, stop, traceLen) })
		})
	}
	wg.Wait()
	endLoad()
	loading.Wait()
	return loadErr
}

// wait reports whether d elapsed before stop was closed.
func wait(d time.Duration, stop <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-stop:
		return false
	case <-timer.C:
		return true
	}
}

// cpu records the CPU profile, and reports whether the target is gone.
func (t *serverRecording) cpu(ctx, asking context.Context, stop <-chan struct{}, d time.Duration) (gone bool) {
	t.cpuStart = time.Now()
	err := t.c.MustOffer("cpu")
	var a *handlers.Answer
	if err == nil {
		a, err = t.newAnswer()
	}
	if err == nil {
		defer a.Close()
		err = t.cut(asking, t.c.CPUProfile(asking, stop, d, a))
	}
	t.cpuEnd = time.Now()
	if err != nil {
		t.miss("cpu", t.died(err))
		if isGone(err) {
			return true
		}
		// The window continues for the other profiles.
		left := d - time.Since(t.cpuStart)
		if left > 0 {
			t.report.run("waiting", func() { wait(left, stop) })
		}
		return false
	}
	// Sampling ends after the requested time; the profile is written after that.
	part := recording.Part{Start: t.cpuStart, End: t.cpuEnd}
	if asked := t.cpuStart.Add(d); asked.Before(part.End) {
		part.End = asked
	}
	if ctx.Err() != nil {
		part.Note = fmt.Sprintf("ended early, after %v of %v", t.cpuEnd.Sub(t.cpuStart).Round(time.Millisecond), d)
	}
	t.cpuDone = ctx.Err() == nil
	t.addRaw("cpu", a, part)
	t.report.note("cpu: recorded %v", t.cpuEnd.Sub(t.cpuStart).Round(time.Millisecond))
	return false
}

func (t *serverRecording) trace(ctx context.Context, stop <-chan struct{}, d time.Duration) {
	begin := time.Now()
	err := t.c.MustOffer("trace")
	if err == nil {
		err = t.cut(ctx, t.c.Trace(ctx, stop, d, func(r io.Reader) error {
			part := recording.Part{Name: recording.TracePart, Kind: recording.KindTrace, Start: begin, End: begin.Add(d)}
			return t.w.AddReader(part, r, handlers.MaxTrace)
		}))
	}
	if err != nil {
		t.miss("trace", t.died(err))
		return
	}
	t.report.note("trace: recorded %v", time.Since(begin).Round(time.Millisecond))
}

// isGone reports whether err means that the target is gone.
func isGone(err error) bool { return handlers.Gone(err) && !errors.Is(err, errOverdue) }

// gone returns the error of a recording whose target is gone.
func (t *serverRecording) gone() error {
	err, hint := errLost, "did it exit or restart? See its log"
	if t.exited != nil {
		if exit := t.exited(); exit != nil {
			err, hint = exit, diedHint
		}
	}
	return &diag.Error{
		Op: "record", Subject: t.meta.Target.String(), Hint: hint,
		Err: fmt.Errorf("%w, after %v of the window", err, t.meta.Duration.Round(10*time.Millisecond)),
	}
}

var errLost = errors.New("the target went away")

const diedHint = "see its output for the reason; if it is meant to exit, give a shorter window with -d"

// late returns why a snapshot at the end failed. A cause that all of them share is reported once,
// by gone.
func (t *serverRecording) late(err error) error {
	if t.lost && isGone(err) && !errors.Is(err, errAborted) {
		return errLost
	}
	return t.died(err)
}

// died adds to err that the target, which whet started, has exited.
func (t *serverRecording) died(err error) error {
	if t.exited == nil {
		return err
	}
	if exit := t.exited(); exit != nil {
		return &diag.Error{Err: fmt.Errorf("%w during the window", exit), Hint: diedHint}
	}
	return err
}

func (t *serverRecording) sendLoad(ctx context.Context, d time.Duration) error {
	o := *t.opt.Load
	o.Duration = d + time.Second // the end of the window ends it
	o.Requests, o.Warmup, o.Progress = 0, 0, nil
	res, err := load.Run(ctx, o)
	if res == nil {
		if err == nil {
			err = errors.New("no result")
		}
		return err
	}
	if err != nil {
		t.fail(err)
	}
	if err == nil {
		t.judgeLoad(res)
	}
	res.Interrupted = false // a load is meant to end this way
	t.load = res
	if err := t.w.AddJSON(recording.LoadPart, res); err != nil {
		t.fail(err)
	}
	return nil
}

// judgeLoad warns about what the profiles show if most requests failed or none was answered.
func (t *serverRecording) judgeLoad(res *load.Result) {
	failed := res.Failed() + res.Errors.Total()
	switch {
	case failed == 0 && res.Responses == 0:
		t.warn(&diag.Error{
			Op: "load", Subject: strings.Join(res.Targets, ", "),
			Err:  errors.New("no request was answered during the recording"),
			Hint: "record for longer than a request takes with -d",
		})
	case failed == 0 || 2*failed < res.Requests:
	case failed == res.Requests:
		t.fail(&diag.Error{
			Op: "load", Subject: strings.Join(res.Targets, ", "), Err: fmt.Errorf("no request succeeded (%s)", res.Failures()),
			Hint: "the profiles show only how the target rejects such requests: send requests that it accepts with --method, " +
				"--body, --load-header or --targets",
		})
	default:
		t.warn(fmt.Errorf("%d of the %d requests of the load failed (%s): the profiles show the error path; send requests "+
			"that the target accepts with --method, --body, --load-header or --targets",
			failed, res.Requests, res.Failures()))
	}
}

func (t *serverRecording) last(ctx context.Context) {
	if t.process != nil {
		if sample, err := process.TakeSample(t.process.PID); err == nil {
			t.process.End = sample
		}
		if err := t.w.AddJSON(recording.ProcessPart, t.process); err != nil {
			t.fail(err)
		}
	}
	// Before the snapshots, which may collect garbage.
	t.statsEnd = t.stats(ctx, recording.MemStatsEndPart)
	var agentEnd json.RawMessage
	var wg sync.WaitGroup
	wg.Go(func() {
		t.end = t.snapshots(ctx, t.want(append(cumulative(), "goroutine", "threadcreate")...), t.forceGC())
	})
	wg.Go(func() { agentEnd = t.askAgent(ctx) })
	if t.c.Offers("mutex") {
		wg.Go(func() {
			if n, err := t.c.MutexPeriod(ctx); err == nil {
				t.mutexPeriod = n
			}
		})
	}
	wg.Wait()
	if t.agentStart != nil && agentEnd != nil {
		if err := t.w.AddJSON(recording.AgentPart, map[string]json.RawMessage{
			"start": t.agentStart,
			"end":   agentEnd,
		}); err != nil {
			t.fail(err)
		}
	}
	// Looking for leaks collects garbage, so it comes last.
	if t.c.Offers("goroutineleak") {
		for k, s := range t.snapshots(ctx, []string{"goroutineleak"}, false) {
			t.end[k] = s
		}
	}
	t.lost = t.lost || len(t.end) > 0 && t.abort.Err() == nil && !slices.ContainsFunc(slices.Collect(maps.Values(t.end)),
		func(s snapshot) bool { return s.err == nil || !isGone(s.err) })
	t.restarted = t.statsEnd.Value("Mallocs") >= 0 && t.statsEnd.Value("Mallocs") < t.statsStart.Value("Mallocs")
	for _, kind := range []string{"goroutine", "threadcreate", "goroutineleak"} {
		s, asked := t.end[kind]
		switch {
		case !asked:
			t.miss(kind, t.c.MustOffer(kind))
		case s.err != nil:
			t.miss(kind, t.late(s.err))
		default:
			t.addRaw(kind, s.Answer, recording.Part{Start: s.at, End: s.at})
		}
	}
}

// deltas stores the differences of the cumulative profiles over the window.
func (t *serverRecording) deltas() {
	if t.restarted {
		t.warn(errors.New("the target restarted during the window: heap, allocs, block and mutex count from its restart"))
	}
	for _, kind := range cumulative() {
		from, to := t.start[kind], t.end[kind]
		if _, asked := t.end[kind]; !asked {
			if kind == "allocs" && t.c.Offers("heap") {
				continue // derived from heap
			}
			t.miss(kind, t.c.MustOffer(kind))
			continue
		}
		err := from.err
		if err == nil {
			err = to.err
		}
		if err != nil {
			t.miss(kind, t.late(err))
			if from.err == nil && to.err != nil {
				t.addRaw(kind+".start", from.Answer, recording.Part{
					Start: from.at, End: from.at,
					Note: "since the program's start",
				})
			}
			continue
		}
		if err := t.delta(kind, from, to); err != nil {
			t.miss(kind, err)
		}
	}
}

func (t *serverRecording) delta(kind string, from, to snapshot) error {
	before, err := t.decode(from.Answer)
	if err != nil {
		return err
	}
	after, err := t.decode(to.Answer)
	if err != nil {
		return err
	}
	part := recording.Part{Start: from.at, End: to.at}
	diff := after
	if t.restarted {
		part.Note = "the target restarted; since then"
	} else if diff, err = profile.Subtract(after, before, false); err != nil {
		return err
	}
	diff.Time, diff.Duration = from.at, to.at.Sub(from.at)

	switch kind {
	case "block":
		if diff.NumSamples() == 0 {
			return t.blockOff(after)
		}
	case "mutex":
		if t.mutexPeriod == 0 {
			return &diag.Error{Err: errors.New("mutex profiling is off"), Hint: enableMutex}
		}
	case "heap":
		live := recording.Part{Start: to.at, End: to.at, Note: "what is live at the end of the window"}
		t.addRaw("heap.live", to.Answer, live)
		if !t.has("allocs") {
			allocs := *diff
			allocs.DefaultSampleType = "alloc_space"
			t.add("allocs", &allocs, part)
		}
	}
	t.add(kind, diff, part)
	return nil
}

// has reports whether snapshots are taken of kind itself.
func (t *serverRecording) has(kind string) bool {
	s, ok := t.end[kind]
	return ok && s.err == nil
}

const (
	enableBlock = "runtime.SetBlockProfileRate(10000)"
	enableMutex = "runtime.SetMutexProfileFraction(100)"
)

// blockOff returns why a block profile has nothing new. The runtime does not report its rate. But
// net/http/pprof's CPU profile handler waits in a select, which an active block profile always
// records.
func (t *serverRecording) blockOff(after *profile.Profile) error {
	err := errors.New("nothing blocked during the window, or block profiling is off")
	switch {
	case t.info != nil && t.info.BlockRate > 0:
		err = errors.New("nothing blocked during the window")
		return &diag.Error{Err: err}
	case t.cpuDone && after.NumSamples() > 0:
		err = errors.New("block profiling is off (it was on before the window)")
	case t.cpuDone:
		err = errors.New("block profiling is off")
	}
	return &diag.Error{Err: err, Hint: enableBlock}
}
