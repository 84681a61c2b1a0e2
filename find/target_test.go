package find

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/find/machine"
	"github.com/whet-go/whet/recording"
)

// TestTargetOf reads the runtime statistics of a recording, and the CPU's level only if the recorder
// ran on the target's machine.
func TestTargetOf(t *testing.T) {
	for _, test := range []struct {
		name   string
		target recording.Target
		arch   string
		level  bool
	}{
		{"command", recording.Target{Kind: recording.Command}, "amd64", true},
		{"process here", recording.Target{Kind: recording.URL, PID: 7}, "amd64", true},
		{"elsewhere", recording.Target{Kind: recording.URL}, "amd64", false},
		{"another processor", recording.Target{Kind: recording.Command}, "arm64", false},
	} {
		file := filepath.Join(t.TempDir(), "a.whet")
		meta := recording.Meta{Version: recording.Version, Target: test.target, GOARCH: test.arch}
		w, err := recording.Create(file, meta)
		if err != nil {
			t.Fatal(err)
		}
		stats := recording.Part{Name: recording.MemStatsEndPart, Kind: recording.KindText}
		if err := w.Add(stats, []byte("# NumGC = 3\n")); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(meta); err != nil {
			t.Fatal(err)
		}
		rec, err := recording.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		got := TargetOf(rec)
		if string(got.After) != "# NumGC = 3\n" || got.Before != nil {
			t.Errorf("%s: statistics %q and %q", test.name, got.Before, got.After)
		}
		want := ""
		if test.level {
			want = machine.Level()
		}
		if got.Level != want || want != "" && !strings.HasPrefix(want, "v") {
			t.Errorf("%s: level %q", test.name, got.Level)
		}
		if err := rec.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
