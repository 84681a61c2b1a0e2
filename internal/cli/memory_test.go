package cli_test

import (
	"encoding/json"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/agent"
	"github.com/whet-go/whet/memory"
)

// With the agent, the figures of the heap are exact and the collector's settings are known: with
// whet record, and in a recording that a program makes of itself.
func TestMemoryWithAgent(t *testing.T) {
	if testing.Short() {
		t.Skip("records")
	}
	dir := t.TempDir()
	outside, inside := filepath.Join(dir, "outside.whet"), filepath.Join(dir, "inside.whet")

	ag, err := agent.Start(agent.Options{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	liveWhet(t, "record", ag.URL(), "-d", "1s", "--trace", "0", "-o", outside)
	if err := ag.Close(); err != nil {
		t.Fatal(err)
	}

	stop := agent.Record(inside)
	for range 3 {
		runtime.GC()
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}

	for _, file := range []string{outside, inside} {
		var d memory.Report
		if err := json.Unmarshal([]byte(liveWhet(t, "memory", "--json", file)), &d); err != nil {
			t.Fatal(err)
		}
		if d.GC.GOGC == nil || *d.GC.GOGC < 1 {
			t.Errorf("%s: GOGC %v", file, d.GC.GOGC)
		}
		if slices.ContainsFunc(d.Unknown, func(u string) bool { return strings.Contains(u, "GOGC") }) {
			t.Errorf("%s: unknown %q", file, d.Unknown)
		}
		if d.Parts[0].ID != "live" || d.Parts[0].Estimated || d.Parts[0].Change == nil {
			t.Errorf("%s: live heap %+v", file, d.Parts[0])
		}
		if file == inside && (d.GC.Forced < 3 || d.GC.Pauses.N != int(d.GC.Count)) {
			t.Errorf("%s: %d collections, %d forced, %d pauses", file, d.GC.Count, d.GC.Forced, d.GC.Pauses.N)
		}
		narrow(t, liveWhet(t, "memory", file))
		narrow(t, liveWhet(t, "goroutines", "-n", "0", file))
	}
}
