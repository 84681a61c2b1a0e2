package procfs

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       Stat
	}{
		{
			"full", "42 (a) R 1 (x) S 7 40 40 0 -1 4194560 100 200 0 0 150 50 30 20 20 0 1 0 5000",
			Stat{
				Parent: 7, Group: 40, User: 1500 * time.Millisecond, System: 500 * time.Millisecond,
				ChildrenUser: 300 * time.Millisecond, ChildrenSystem: 200 * time.Millisecond,
			},
		},
		{"cut", "42 (x) S 7 40", Stat{Parent: 7, Group: 40}},
		{"no number", "42 (x) S p g", Stat{}},
		{"empty", "", Stat{}},
	} {
		if got := parseStat([]byte(tt.text)); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestSelf reads what is known about this process.
func TestSelf(t *testing.T) {
	pid := os.Getpid()
	used, err := CPU(pid)
	if runtime.GOOS != "linux" {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%v, want ErrUnsupported", err)
		}
		return
	}
	if err != nil || used <= 0 {
		t.Errorf("%v, %v", used, err)
	}
	s, err := ReadStat(pid)
	if err != nil || s.Parent != os.Getppid() {
		t.Errorf("%+v, %v; the parent is %d", s, err, os.Getppid())
	}
	if later, err := CPU(pid); err != nil || later+ClockTick < s.User+s.System {
		t.Errorf("the clock shows %v, /proc %v, %v", later, s.User+s.System, err)
	}
	if !slices.Contains(PIDs(), pid) {
		t.Errorf("%d is not in the list", pid)
	}
}

func TestGone(t *testing.T) {
	const none = 1 << 22 // the kernel's limit (PID_MAX_LIMIT), which no process reaches
	if _, err := CPU(none); err == nil {
		t.Error("CPU: no error")
	}
	if _, err := ReadStat(none); err == nil {
		t.Error("ReadStat: no error")
	}
}
