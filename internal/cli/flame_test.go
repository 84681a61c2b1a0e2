package cli

import "testing"

func TestFlameFile(t *testing.T) {
	for _, tt := range []struct{ arg, part, want string }{
		{"cpu.pb.gz", "", "cpu.flame.html"},
		{"/var/tmp/x.prof", "", "x.flame.html"},
		{"run/demo.whet", "heap.live", "demo.heap.live.flame.html"},
		{"-", "", "flame.html"},
		{"http://user:secret@localhost:6060/debug/pprof/heap?seconds=1", "", "localhost-6060.flame.html"},
		{"https://[::1]:6060", "", "1-6060.flame.html"},
		{"..", "", "flame.html"},
	} {
		if got := flameFile([]string{tt.arg}, tt.part); got != tt.want {
			t.Errorf("flameFile(%q, %q) = %q, want %q", tt.arg, tt.part, got, tt.want)
		}
	}
}
