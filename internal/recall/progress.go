package main

import (
	"fmt"
	"time"
)

// A queued case waits to be measured.
type queued struct {
	*testCase

	key string // of its change
}

// progress says how far a run is, and how long it will take.
type progress struct {
	total, begun int
	usual        time.Duration // of a case, from earlier runs; 0 if unknown
	most         time.Duration // after which no case begins; 0 for no limit
	began        time.Time
	now          func() time.Time
}

func newProgress(total int, usual, most time.Duration) *progress {
	p := &progress{total: total, usual: usual, most: most, now: time.Now}
	p.began = p.now()
	return p
}

// next begins another case, and reports whether there is time for it.
func (p *progress) next() bool {
	if p.most > 0 && p.now().Sub(p.began) >= p.most {
		return false
	}
	p.begun++
	return true
}

// prefix describes the progress when a case begins.
func (p *progress) prefix() string {
	took, done := p.now().Sub(p.began), p.begun-1
	each := p.usual
	if done > 0 {
		each = took / time.Duration(done)
	}
	left := "the time left is unknown"
	if each > 0 {
		left = fmt.Sprintf("about %v left", (each * time.Duration(p.total-done)).Round(time.Minute))
	}
	return fmt.Sprintf("[%d of %d, %v, %s]", p.begun, p.total, took.Round(time.Second), left)
}

// end describes a run that ended.
func (p *progress) end() string {
	text := fmt.Sprintf("%d of %d cases in %v", p.begun, p.total, p.now().Sub(p.began).Round(time.Second))
	if p.begun < p.total {
		text += "; the same command continues with the others"
	}
	return text
}
