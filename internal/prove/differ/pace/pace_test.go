package pace_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/whet-go/whet/internal/prove/differ/pace"
)

// TestPace checks that many functions share the time, that what some do not need is the others', and that a
// comparison ends.
func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pace.Until(5*time.Second, 40*time.Second)
		if d := p.For(2); d != 5*time.Second {
			t.Errorf("two functions get %v each, want 5s", d)
		}
		if d := p.For(10); d != 2*time.Second {
			t.Errorf("ten functions get %v each, want 2s", d)
		}
		time.Sleep(time.Second) // the first one ended soon
		if d := p.For(9); d <= 2*time.Second {
			t.Errorf("nine functions get %v of the 39s that are left, want more than 2s", d)
		}
		if h := p.Half(); h.For(9) >= p.For(9) {
			t.Errorf("half of the time has %v for each, all of it %v", h.For(9), p.For(9))
		}
		time.Sleep(38 * time.Second)
		if d := p.For(4); d != 500*time.Millisecond || p.Over() {
			t.Errorf("at the end, a function gets %v, and the time is up: %v", d, p.Over())
		}
		if time.Sleep(12 * time.Second); !p.Over() {
			t.Error("a comparison goes on for a quarter of its time after its end")
		}
	})
}

// TestTook checks that functions get less time if those before took much more than theirs.
func TestTook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pace.Until(5*time.Second, 40*time.Second)
		p.Took(2*time.Second, 10*time.Second)
		if d := p.For(4); d != 2*time.Second {
			t.Errorf("after a function that took five times its time, four get %v each, want 2s", d)
		}
		p.Took(8*time.Second, 8*time.Second)
		if d := p.For(4); d != 5*time.Second {
			t.Errorf("after functions that took hardly longer, four get %v each, want 5s", d)
		}
	})
}

// TestLonger checks that a slow function gets only time that the others do not need.
func TestLonger(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pace.Until(2*time.Second, 40*time.Second)
		if d, ok := p.Longer(2*time.Second, 1); !ok || d != 8*time.Second {
			t.Errorf("with one function left: %v, %v; want 8s, true", d, ok)
		}
		if d, ok := p.Longer(2*time.Second, 9); ok {
			t.Errorf("with nine functions left: %v, which these need", d)
		}
	})
}

// TestNoLimit checks that the zero end limits nothing.
func TestNoLimit(t *testing.T) {
	t.Parallel()
	p := pace.Until(5*time.Second, 0)
	if d := p.Half().For(100); d != 5*time.Second || p.Over() {
		t.Errorf("a function gets %v, and the time is up: %v", d, p.Over())
	}
	if d, ok := p.Longer(5*time.Second, 100); !ok || d != 20*time.Second {
		t.Errorf("a slow function gets %v, %v; want 20s, true", d, ok)
	}
}
