package agent

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"sync"
	"time"
)

// DefaultTraceWindow is how long [Recorder] traces the program from its start.
const DefaultTraceWindow = time.Second

// maxTrace bounds the trace of a program that is very busy in the window.
const maxTrace = 64 << 20

// Recorder records the program it is part of. [Record] uses the zero value.
type Recorder struct {
	// Trace is the length of the execution trace, which begins immediately and ends early when it
	// exceeds 64 MB; 0 means [DefaultTraceWindow], negative none.
	Trace time.Duration
	// BlockRate and MutexFraction are as in [Options].
	BlockRate     time.Duration
	MutexFraction int
}

// Record starts recording the program, and returns the function that ends the recording and writes
// it to path:
//
//	stop := agent.Record("run.whet")
//	defer func() {
//		if err := stop(); err != nil {
//			log.Print(err)
//		}
//	}()
//
// It is meant for programs that end: a benchmark, a batch job, a command. The recording lists what
// could not be recorded because something else in the program is already profiling. If path cannot
// be written, or is a file that is not a recording, nothing is recorded and stop returns the error;
// an older recording is replaced. stop may be called more than once, and from several goroutines:
// the first call does the work, which includes a garbage collection, and all return its result. A
// program that ends by os.Exit, log.Fatal or a signal without calling stop leaves path.partial,
// with little in it.
func Record(path string) (stop func() error) { return Recorder{}.Start(path) }

// Start is [Record] with the settings in r.
func (r Recorder) Start(path string) (stop func() error) {
	run := &recordingRun{path: path, created: time.Now(), before: map[string]int{}}
	if err := run.begin(r); err != nil {
		err = fmt.Errorf("record %s: %w", path, err)
		return func() error { return err }
	}
	return sync.OnceValue(func() error {
		if err := run.end(); err != nil {
			return fmt.Errorf("record %s: %w", path, err)
		}
		return nil
	})
}

// recordingRun is one recording in progress.
type recordingRun struct {
	path    string
	created time.Time
	out     *archive
	meta    meta
	rates   *rates
	info    *Info
	before  map[string]int // number of stacks in the block and mutex profiles at the start

	cpu      *bytes.Buffer // nil if another profile was running
	trace    *traceWindow  // nil if there is none
	profiles [][]byte      // those that name hot functions
}

// begin writes what is known at the start, and starts measuring.
func (run *recordingRun) begin(r Recorder) error {
	out, err := createArchive(run.path, run.created)
	if err != nil {
		return err
	}
	run.out = out
	run.rates = setRates(r.BlockRate, r.MutexFraction)
	run.info = readInfo(run.rates)
	run.meta = metaOf(run.info, run.created)
	for _, name := range []string{"block", "mutex"} {
		run.before[name] = pprof.Lookup(name).Count()
	}
	if err := errors.Join(
		out.addJSON("start.json", run.meta),
		run.addMemStats("memstats.start.txt"),
		run.addSnapshot("goroutine", "goroutine.start"),
	); err != nil {
		run.rates.restore()
		return errors.Join(err, out.abort())
	}

	cpu := new(bytes.Buffer)
	if err := pprof.StartCPUProfile(cpu); err != nil {
		run.missing("cpu", err.Error(), "stop the other CPU profile")
	} else {
		run.cpu = cpu
	}
	window := r.Trace
	if window == 0 {
		window = DefaultTraceWindow
	}
	if window > 0 {
		if run.trace, err = startTrace(run.path+traceSuffix, window); err != nil {
			run.missing("trace", err.Error(), "stop the other trace")
		}
	}
	return nil
}

// end stops measuring, and writes everything.
func (run *recordingRun) end() error {
	if run.trace != nil {
		run.trace.stop()
	}
	if run.cpu != nil {
		pprof.StopCPUProfile()
	}
	ended := time.Now()
	run.meta.Duration = ended.Sub(run.created)
	info := readInfo(run.rates)
	window := part{Start: run.created, End: ended}

	var errs []error
	// Before the collection below adds to them.
	errs = append(errs, run.addMemStats("memstats.end.txt"))
	for _, name := range []string{"block", "mutex"} {
		p := window
		if n := run.before[name]; n > 0 {
			p.Note = fmt.Sprintf("since the program's start: %d stacks are from before the recording", n)
		}
		errs = append(errs, run.addProfile(name, name, p))
	}
	run.noteRates(info)
	errs = append(errs, run.addSnapshot("goroutine", "goroutine"), run.addSnapshot("threadcreate", "threadcreate"))
	run.rates.restore()

	// Allocations appear in the profiles once a collection has ended.
	runtime.GC()
	sinceStart := part{Start: run.created, End: ended, Note: "since the program's start"}
	errs = append(errs,
		run.addProfile("heap", "heap", sinceStart),
		run.addSnapshot("heap", "heap.live"),
		run.addProfile("allocs", "allocs", sinceStart))
	if run.cpu != nil {
		window.Name = profilePart("cpu")
		errs = append(errs, run.out.add(window, run.cpu.Bytes()))
		run.profiles = append(run.profiles, run.cpu.Bytes())
	}
	if run.trace != nil {
		errs = append(errs, run.addTrace())
	}
	if pprof.Lookup("goroutineleak") != nil {
		errs = append(errs, run.addSnapshot("goroutineleak", "goroutineleak"))
	} else {
		run.missing("goroutineleak", "the program was built without it",
			"build it with Go 1.27, or with Go 1.26 and GOEXPERIMENT=goroutineleakprofile")
	}
	errs = append(errs,
		run.addSources(),
		run.out.addJSON("agent.json", map[string]*Info{"start": run.info, "end": info}),
		run.out.finish(&run.meta))
	return errors.Join(errs...)
}

// noteRates records which of the profiles that are off by default remained off.
func (run *recordingRun) noteRates(info *Info) {
	if info.MutexFraction == 0 {
		run.missing("mutex", "mutex profiling is off", "runtime.SetMutexProfileFraction(100)")
	}
	if run.rates.block == 0 && pprof.Lookup("block").Count() == 0 {
		run.missing("block", "block profiling is off, or nothing was blocked", "runtime.SetBlockProfileRate(10000)")
	}
	if info.MemProfileRate == 0 {
		run.missing("allocs", "memory profiling is off", "remove the assignment to runtime.MemProfileRate")
	}
}

func (run *recordingRun) missing(part, reason, hint string) {
	run.meta.Missing = append(run.meta.Missing, missing{Part: part, Reason: reason, Hint: hint})
}

func profilePart(name string) string { return "profiles/" + name + ".pb.gz" }

// addProfile adds the runtime's profile called name under the name as.
func (run *recordingRun) addProfile(name, as string, p part) error {
	var buf bytes.Buffer
	if err := pprof.Lookup(name).WriteTo(&buf, 0); err != nil {
		return fmt.Errorf("take profile %s: %w", name, err)
	}
	p.Name = profilePart(as)
	run.profiles = append(run.profiles, buf.Bytes())
	return run.out.add(p, buf.Bytes())
}

// addSnapshot adds a profile of one moment.
func (run *recordingRun) addSnapshot(name, as string) error {
	now := time.Now()
	return run.addProfile(name, as, part{Start: now, End: now})
}

// addMemStats adds the lines about runtime.MemStats from the end of the heap profile's text form.
func (run *recordingRun) addMemStats(name string) error {
	var buf bytes.Buffer
	if err := pprof.Lookup("heap").WriteTo(&buf, 1); err != nil {
		return fmt.Errorf("read memory statistics: %w", err)
	}
	_, stats, _ := strings.Cut(buf.String(), "\n# runtime.MemStats\n")
	var lines strings.Builder
	for line := range strings.Lines(stats) {
		if strings.HasPrefix(line, "# ") && strings.Contains(line, " = ") {
			lines.WriteString(line)
		}
	}
	now := time.Now()
	return run.out.add(part{Name: name, Start: now, End: now}, []byte(lines.String()))
}

func (run *recordingRun) addTrace() error {
	w := run.trace
	p := part{Name: "trace.out", Start: w.started, End: w.ended}
	if w.full() {
		p.Note = fmt.Sprintf("ended early, at %d bytes", w.written)
	}
	data, err := os.ReadFile(w.file.Name())
	if err == nil {
		err = run.out.add(p, data)
	}
	return errors.Join(w.err, err, os.Remove(w.file.Name()))
}

// traceWindow is an execution trace of the program's start. It is written to a separate file, so
// that it does not show in the program's heap.
type traceWindow struct {
	file     *os.File
	started  time.Time
	quit     chan struct{} // closed to end the window early
	tooLarge chan struct{} // closed by Write when the trace is too large
	done     chan struct{} // closed when the trace is complete

	// Owned by the tracer's goroutine until done is closed.
	written int64
	ended   time.Time
	err     error
}

func startTrace(path string, d time.Duration) (*traceWindow, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	w := &traceWindow{
		file: f, started: time.Now(), quit: make(chan struct{}), tooLarge: make(chan struct{}),
		done: make(chan struct{}),
	}
	if err := trace.Start(w); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	go func() {
		defer close(w.done)
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-w.tooLarge:
		case <-w.quit:
		}
		trace.Stop() // returns after the last Write
		w.ended = time.Now()
		w.err = errors.Join(w.err, f.Close())
	}()
	return w, nil
}

// Write receives the trace from the runtime. It cannot tell the runtime to stop.
func (w *traceWindow) Write(p []byte) (int, error) {
	n, err := w.file.Write(p)
	w.written += int64(n)
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("write trace: %w", err)
	}
	if w.written > maxTrace && !w.full() {
		close(w.tooLarge)
	}
	return n, err
}

func (w *traceWindow) full() bool {
	select {
	case <-w.tooLarge:
		return true
	default:
		return false
	}
}

// stop ends the window if it has not ended yet.
func (w *traceWindow) stop() {
	close(w.quit)
	<-w.done
}
