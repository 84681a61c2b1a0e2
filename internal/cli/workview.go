package cli

import (
	"fmt"
	"sync"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/collect"
	"github.com/whet-go/whet/internal/report/layout"
)

// workEvery is how often a workView looks at the clock: one step may take minutes.
const workEvery = time.Second

// A workView shows what a command of many steps is at: on a terminal as a line that changes, elsewhere
// as a line every few seconds. What it is told may come from any goroutine.
type workView struct {
	line  *liveLine
	begin time.Time

	mu     sync.Mutex
	step   string
	detail string    // how far measuring has come
	paused int       // others show their own progress
	since  time.Time // begin of the first of the attempts
	ended  time.Time // estimate; zero when unknown
	done   chan struct{}
	wg     sync.WaitGroup
}

// newWorkView returns a view that shows the time until its end is called, which must be.
func (a *app) newWorkView() *workView {
	v := &workView{line: a.newLine(), begin: time.Now(), done: make(chan struct{})}
	v.wg.Go(func() {
		tick := time.NewTicker(workEvery)
		defer tick.Stop()
		for {
			select {
			case <-v.done:
				return
			case <-tick.C:
				v.show()
			}
		}
	})
	return v
}

// show shows the step that is done now.
func (v *workView) show() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.paused > 0 || v.step == "" {
		return
	}
	p := collect.Progress{Elapsed: time.Since(v.begin), Running: []string{v.step}}
	if v.detail != "" {
		p.Running = append(p.Running, v.detail)
	}
	if left := time.Until(v.ended); !v.ended.IsZero() && left > 0 {
		p.Total = p.Elapsed + left
	}
	v.line.progress(p)
}

// begins names the step that is done from now on.
func (v *workView) begins(step string) {
	v.mu.Lock()
	v.step, v.detail = step, ""
	v.mu.Unlock()
	v.show()
}

// tried says how many of several attempts are done: those that are left are taken to last as long on
// average. With none done they begin.
func (v *workView) tried(done, of int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := time.Now()
	switch {
	case done == 0:
		v.since, v.ended = now, time.Time{}
	case done >= of:
		v.ended = time.Time{} // what comes then is not known
	default:
		v.ended = now.Add(now.Sub(v.since) / time.Duration(done) * time.Duration(of-done))
	}
}

// measures shows how far a comparison is.
func (v *workView) measures(p ab.Progress) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case p.Trying:
		v.detail = "measure the noise: A against A"
	case p.Done == p.Of:
		v.detail = ""
	default:
		v.detail = fmt.Sprintf("%d of %d benchmarks, %s: %d pairs", p.Done, p.Of, layout.Clean(p.Subject), p.Pairs)
		if p.Left > 0 {
			v.detail += fmt.Sprintf(", about %v left", p.Left.Round(time.Second))
		}
	}
}

// pause leaves the line to others until the returned function is called.
func (v *workView) pause() (resume func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.paused++
	v.line.clear()
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.paused--
	}
}

// end takes the line away.
func (v *workView) end() {
	close(v.done)
	v.wg.Wait()
	v.line.clear()
}
