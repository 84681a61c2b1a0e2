package progress

import (
	"fmt"
	"sync"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/report/layout"
)

// stepsInterval is the time between two updates during a step, which may take minutes.
const stepsInterval = time.Second

// Steps shows the current step of a command that has many, and how long the rest takes where that can be estimated.
// Its methods may be called by several goroutines.
type Steps struct {
	line  *Line
	begin time.Time

	mu     sync.Mutex
	step   string
	detail string    // how far a measurement is
	paused int       // the line belongs to others
	since  time.Time // begin of the first attempt
	ended  time.Time // estimate; zero if unknown
	done   chan struct{}
	wg     sync.WaitGroup
}

// NewSteps returns a view that updates line until End, which must be called.
func NewSteps(line *Line) *Steps {
	v := &Steps{line: line, begin: time.Now(), done: make(chan struct{})}
	v.wg.Go(func() {
		tick := time.NewTicker(stepsInterval)
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

// show updates the line.
func (v *Steps) show() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.paused > 0 || v.step == "" {
		return
	}
	p := Status{Elapsed: time.Since(v.begin), Running: []string{v.step}}
	if v.detail != "" {
		p.Running = append(p.Running, v.detail)
	}
	if left := time.Until(v.ended); !v.ended.IsZero() && left > 0 {
		p.Total = p.Elapsed + left
	}
	v.line.Show(p)
}

// Begin shows a step that begins.
func (v *Steps) Begin(step string) {
	v.mu.Lock()
	v.step, v.detail = step, ""
	v.mu.Unlock()
	v.show()
}

// Tried reports how many of several attempts are done; the rest are estimated to take as long on average. With
// done = 0 the first begins.
func (v *Steps) Tried(done, of int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := time.Now()
	switch {
	case done == 0:
		v.since, v.ended = now, time.Time{}
	case done >= of:
		v.ended = time.Time{} // what follows cannot be estimated
	default:
		v.ended = now.Add(now.Sub(v.since) / time.Duration(done) * time.Duration(of-done))
	}
}

// Measure shows how far the comparison of the current step is.
func (v *Steps) Measure(p ab.Progress) {
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

// Pause leaves the line to others until resume is called.
func (v *Steps) Pause() (resume func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.paused++
	v.line.Clear()
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.paused--
	}
}

// End stops the updates and erases the line.
func (v *Steps) End() {
	close(v.done)
	v.wg.Wait()
	v.line.Clear()
}
