package input

import (
	"strings"
	"testing"
	"time"
)

func TestProfileURL(t *testing.T) {
	const duration = 10 * time.Second
	for _, tt := range []struct {
		addr, typ string
		want      string
		window    time.Duration
	}{
		// A base address, with and without a prefix.
		{"http://h:6060", "", "http://h:6060/debug/pprof/profile?seconds=10", duration},
		{"http://h:6060/", "cpu", "http://h:6060/debug/pprof/profile?seconds=10", duration},
		{"http://h/app/", "heap", "http://h/app/debug/pprof/heap", 0},
		{"https://h/debug/pprof/", "mutex:delay", "https://h/debug/pprof/mutex", 0},
		{"https://h/debug/pprof", "inuse_objects", "https://h/debug/pprof/heap", 0},
		{"https://h/a/debug/pprof", "alloc_space", "https://h/a/debug/pprof/allocs", 0},
		{"http://[::1]:1", "goroutine", "http://[::1]:1/debug/pprof/goroutine", 0},

		// A profile's own address stays as it is.
		{"http://h/debug/pprof/heap", "alloc_space", "http://h/debug/pprof/heap", 0},
		{"http://h/debug/pprof/heap?seconds=3", "", "http://h/debug/pprof/heap?seconds=3", 3 * time.Second},
		{"http://h/debug/pprof/profile", "", "http://h/debug/pprof/profile?seconds=10", duration},
		{"http://h/debug/pprof/profile?seconds=2", "", "http://h/debug/pprof/profile?seconds=2", 2 * time.Second},
		{"http://h/debug/pprof/custom", "", "http://h/debug/pprof/custom", 0},
		{"http://h/builds/cpu.pb.gz", "", "http://h/builds/cpu.pb.gz", 0},
		{"http://h/get?profile=7", "", "http://h/get?profile=7", 0},
		{"http://h/admin/profile", "", "http://h/admin/profile?seconds=10", duration},
	} {
		u, window, err := profileURL(tt.addr, tt.typ, duration, false)
		if err != nil || u.String() != tt.want || window != tt.window {
			t.Errorf("profileURL(%q, %q) = %v, %v, %v; want %s, %v", tt.addr, tt.typ, u, window, err, tt.want, tt.window)
		}
	}
	for _, tt := range [][2]string{{"http://", ""}, {"http://h:port", ""}, {"http://h", "bogus"}, {"http://h/%zz", ""}} {
		if u, _, err := profileURL(tt[0], tt[1], duration, false); err == nil {
			t.Errorf("profileURL(%q, %q) = %v, want an error", tt[0], tt[1], u)
		}
	}
	if u, _, err := profileURL("http://h", "", time.Millisecond, false); err != nil ||
		!strings.HasSuffix(u.String(), "seconds=1") {
		t.Errorf("profileURL with 1ms = %v, %v; want at least a second", u, err)
	}
}

// TestProfileURLDelta checks that --duration limits profiles to that time, even those that count
// from the start of the program.
func TestProfileURLDelta(t *testing.T) {
	for addr, want := range map[string]string{
		"http://h":                               "http://h/debug/pprof/allocs?seconds=2",
		"http://h/debug/pprof/heap":              "http://h/debug/pprof/heap?seconds=2",
		"http://h/debug/pprof/mutex":             "http://h/debug/pprof/mutex?seconds=2",
		"http://h/debug/pprof/heap?gc=1":         "http://h/debug/pprof/heap?gc=1&seconds=2",
		"http://h/debug/pprof/goroutine?debug=1": "http://h/debug/pprof/goroutine?debug=1",
	} {
		u, _, err := profileURL(addr, "alloc_space", 2*time.Second, true)
		if err != nil || u.String() != want {
			t.Errorf("profileURL(%q) = %v, %v; want %s", addr, u, err, want)
		}
	}
}

func TestShorten(t *testing.T) {
	for _, tt := range []struct {
		modules, deps, want string
	}{
		{"example.com/app/a example.com/app/b", "", "example.com/app"},
		{"example.com/app example.com/app/b", "", "example.com/app"},
		{"example.com/app/a example.com/app/b", "example.com/app/lib/x", "example.com/app/a example.com/app/b"},
		{"example.com/app/a", "", "example.com/app/a"},
		{"a b", "", "a b"},
		{"", "", ""},
	} {
		got := strings.Join(shorten(strings.Fields(tt.modules), strings.Fields(tt.deps)), " ")
		if got != tt.want {
			t.Errorf("shorten(%q, %q) = %q, want %q", tt.modules, tt.deps, got, tt.want)
		}
	}
}
