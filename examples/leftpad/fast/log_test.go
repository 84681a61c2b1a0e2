package fast

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// writes stores what is written, and returns err.
type writes struct {
	all []string
	err error
}

func (w *writes) Write(p []byte) (int, error) {
	w.all = append(w.all, string(p))
	return len(p), w.err
}

// TestLogKeepsEveryLine runs on a fake clock, so that the timer does not write before the buffer is
// full.
func TestLogKeepsEveryLine(t *testing.T) { synctest.Test(t, logKeepsEveryLine) }

func logKeepsEveryLine(t *testing.T) {
	var w writes
	l, closeLog := NewLog(&w)
	l.SetFlags(0)
	var want []string
	var loggers sync.WaitGroup
	for i := range 4 {
		for j := range 1000 {
			want = append(want, fmt.Sprintf("%d %d %0*d", i, j, j%100, 0))
		}
		lines := want[i*1000:]
		loggers.Go(func() {
			for _, line := range lines {
				l.Print(line)
			}
		})
	}
	loggers.Wait()
	if err := closeLog(); err != nil {
		t.Fatal(err)
	}
	for _, p := range w.all {
		if !strings.HasSuffix(p, "\n") {
			t.Errorf("a write ends within a line: …%q", p[len(p)-20:])
		}
	}
	got := strings.Split(strings.TrimSuffix(strings.Join(w.all, ""), "\n"), "\n")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%d lines, want %d", len(got), len(want))
	}
	if len(w.all) >= len(got)/100 {
		t.Errorf("%d writes for %d lines", len(w.all), len(got))
	}
}

func TestLogOrder(t *testing.T) {
	var w writes
	l, closeLog := NewLog(&w)
	l.SetFlags(0)
	long := strings.Repeat("x", logSize+1)
	l.Print("before")
	l.Print(long)
	l.Print("after")
	if err := closeLog(); err != nil {
		t.Fatal(err)
	}
	l.Print("late")
	want := []string{"before\n", long + "\n", "after\n", "late\n"}
	if !slices.Equal(w.all, want) {
		t.Errorf("%d writes: %.60q", len(w.all), w.all)
	}
}

func TestLogLineWaitsASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w writes
		l, closeLog := NewLog(&w)
		l.Print("line")
		time.Sleep(logWait)
		synctest.Wait()
		if len(w.all) != 1 {
			t.Errorf("after %v: %d writes, want 1", logWait, len(w.all))
		}
		if err := closeLog(); err != nil {
			t.Error(err)
		}
	})
}

func TestLogTellsWhatIsLost(t *testing.T) {
	w := writes{err: errors.New("disk full")}
	l, closeLog := NewLog(&w)
	l.Print("line")
	if err := closeLog(); !errors.Is(err, w.err) {
		t.Errorf("error %v, want %v", err, w.err)
	}
}
