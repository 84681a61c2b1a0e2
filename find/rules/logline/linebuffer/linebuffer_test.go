package linebuffer

import (
	"errors"
	"fmt"
	"log"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// writes records every write, and returns err.
type writes struct {
	mu  sync.Mutex
	all []string
	err error
}

func (w *writes) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, string(p))
	return len(p), w.err
}

func (w *writes) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.all)
}

// TestEveryLine runs on a fake clock, so that the timer does not fire before the buffer is full.
func TestEveryLine(t *testing.T) { synctest.Test(t, everyLine) }

func everyLine(t *testing.T) {
	var w writes
	b := newLineBuffer(&w)
	const loggers, lines = 4, 2000
	var wg sync.WaitGroup
	for i := range loggers {
		l := log.New(b, "", 0) // a separate logger with its own lock
		wg.Go(func() {
			for j := range lines {
				l.Printf("%d %d %0*d", i, j, j%100, 0)
			}
		})
	}
	wg.Wait()
	if err := b.close(); err != nil {
		t.Fatal(err)
	}
	for _, p := range w.all {
		if !strings.HasSuffix(p, "\n") {
			t.Errorf("a write ends within a line: …%q", p[len(p)-20:])
		}
	}
	next := make([]int, loggers)
	for line := range strings.Lines(strings.Join(w.all, "")) {
		var i, j, zeros int
		if _, err := fmt.Sscanf(line, "%d %d %d", &i, &j, &zeros); err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		if j != next[i] {
			t.Fatalf("logger %d: line %d where %d was to come", i, j, next[i])
		}
		next[i]++
	}
	if !slices.Equal(next, []int{lines, lines, lines, lines}) {
		t.Errorf("lines of each logger: %d", next)
	}
	if len(w.all) > loggers*lines/20 {
		t.Errorf("%d writes for %d lines", len(w.all), loggers*lines)
	}
}

func TestOrder(t *testing.T) {
	var w writes
	b := newLineBuffer(&w)
	long := strings.Repeat("x", 5<<10) + "\n"
	for _, line := range []string{"before\n", long, "after\n"} {
		if n, err := b.Write([]byte(line)); n != len(line) || err != nil {
			t.Errorf("%d bytes, %v", n, err)
		}
	}
	if err := errors.Join(b.close(), b.close()); err != nil {
		t.Error(err)
	}
	_, _ = b.Write([]byte("late\n"))
	if want := []string{"before\n", long, "after\n", "late\n"}; !slices.Equal(w.all, want) {
		t.Errorf("%d writes: %.60q", len(w.all), w.all)
	}
}

func TestASecondAtTheLatest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w writes
		b := newLineBuffer(&w)
		for turn := range 3 {
			_, _ = b.Write([]byte("line\n"))
			time.Sleep(time.Second / 2)
			_, _ = b.Write([]byte("line\n"))
			if n := w.count(); n != turn {
				t.Errorf("%d writes before a second has passed, want %d", n, turn)
			}
			time.Sleep(time.Second)
			synctest.Wait()
			if n := w.count(); n != turn+1 {
				t.Errorf("%d writes after a second, want %d", n, turn+1)
			}
		}
		if err := b.close(); err != nil {
			t.Error(err)
		}
	})
}

func TestFirstError(t *testing.T) {
	w := writes{err: errors.New("disk full")}
	first := w.err
	b := newLineBuffer(&w)
	_, _ = b.Write([]byte("line\n"))
	b.late()
	w.err = errors.New("another")
	_, _ = b.Write([]byte("line\n"))
	if err := b.close(); !errors.Is(err, first) {
		t.Errorf("error %v, want %v", err, first)
	}
	if _, err := b.Write([]byte("late\n")); !errors.Is(err, w.err) {
		t.Errorf("late: error %v, want %v", err, w.err)
	}
}
