//go:build unix

package gotest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/procgroup"
)

// TestWatch has a process killed, and says why; a watch that does nothing ends with the process.
func TestWatch(t *testing.T) {
	b := binary(t, "bad")
	watched := 0
	b.Source.Watch = func(pid int, ended <-chan struct{}) string {
		watched++
		procgroup.Signal(pid, procgroup.Kill)
		<-ended
		return "it wrote too much"
	}
	o := twoProcs()
	o.Timeout = 20 * time.Second
	_, failures, err := b.Benchmarks(t.Context(), "^BenchmarkHang$", o)
	if err != nil || watched == 0 || len(failures) == 0 ||
		!strings.Contains(failures[0].Err.Error(), "killed: it wrote too much") {
		t.Errorf("%d processes watched, failures %v, %v", watched, failures, err)
	}
	b.Source.Watch = func(_ int, ended <-chan struct{}) string {
		<-ended
		return ""
	}
	names, failures, err := b.Benchmarks(t.Context(), "^BenchmarkGarbage$", o)
	if err != nil || len(failures) > 0 || len(names) != 1 {
		t.Errorf("names %q, failures %v, %v", names, failures, err)
	}
}
