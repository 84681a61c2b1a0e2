package collect

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// A Progress is one progress report of a recording.
type Progress struct {
	Elapsed time.Duration // since the start
	Total   time.Duration // estimate of the whole; 0 when unknown
	Running []string      // current activities
	// Note is a message to keep: a part that is complete or missing. "" in most reports.
	Note string
}

const progressEvery = 200 * time.Millisecond

// A reporter calls the user's callback, one call at a time.
type reporter struct {
	call  func(Progress)
	start time.Time

	mu      sync.Mutex
	total   time.Duration
	running []string
	done    chan struct{}
	wg      sync.WaitGroup
}

// newReporter starts the ticker; stop ends it. call may be nil.
func newReporter(call func(Progress)) *reporter {
	r := &reporter{call: call, start: time.Now(), done: make(chan struct{})}
	if call == nil {
		return r
	}
	r.wg.Go(func() {
		t := time.NewTicker(progressEvery)
		defer t.Stop()
		for {
			select {
			case <-r.done:
				return
			case <-t.C:
				r.report("")
			}
		}
	})
	return r
}

func (r *reporter) stop() {
	close(r.done)
	r.wg.Wait()
}

// report calls the callback.
func (r *reporter) report(note string) {
	if r.call == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.call(Progress{Elapsed: time.Since(r.start), Total: r.total, Running: slices.Clone(r.running), Note: note})
}

func (r *reporter) note(format string, args ...any) {
	r.report(fmt.Sprintf(format, args...))
}

// expect sets the estimate of the remaining time.
func (r *reporter) expect(left time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.total = time.Since(r.start) + left
}

// run does work under a name that Progress shows meanwhile.
func (r *reporter) run(name string, work func()) {
	r.mu.Lock()
	r.running = append(r.running, name)
	r.mu.Unlock()
	r.report("") // immediately: some work ends before the next tick
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if i := slices.Index(r.running, name); i >= 0 {
			r.running = slices.Delete(r.running, i, i+1)
		}
	}()
	work()
}
