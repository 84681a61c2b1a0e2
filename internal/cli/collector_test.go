package cli_test

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// TestCollectorShare checks that all commands print the same share of CPU time for the garbage
// collector of a recording, and what it is a share of.
func TestCollectorShare(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	server := httptest.NewServer(mux)
	defer server.Close()
	file := filepath.Join(t.TempDir(), "garbage.whet")
	var recorded struct {
		Collector *collectorShare `json:"collector"`
	}
	var text string
	find := []string{"find", "--no-notes", "--min-share", "100%", "--max-trace", "0", "--json"}
	// A recording can be compared if the profile has samples of the collector and of a line of this
	// module.
	for try, own := 0, 1; recorded.Collector == nil || recorded.Collector.Share == 0 || own != 0; try++ {
		if try == 20 {
			t.Fatal("no profile has samples of the collector and of this module")
		}
		stop, litter := make(chan struct{}), sync.WaitGroup{}
		litter.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_ = bytes.Repeat([]byte("x"), 4<<20) // large enough to be in every profile of allocations
					runtime.GC()
				}
			}
		})
		code, stdout, stderr := runWhet(t, "record", server.URL, "-o", file, "-d", "500ms", "--trace", "200ms", "--json")
		close(stop)
		litter.Wait()
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		if err := json.Unmarshal([]byte(stdout), &recorded); err != nil {
			t.Fatal(err)
		}
		text = file
		own, _, _ = runWhet(t, append(find, file)...)
		file = filepath.Join(filepath.Dir(file), strings.Repeat("again", try+1)+".whet")
	}
	file = text
	show := func(args ...string) string {
		code, stdout, stderr := runWhet(t, append(args, file)...)
		if code != 0 {
			t.Fatalf("whet %q: exit code %d: %s", args, code, stderr)
		}
		return stdout
	}
	want := recorded.Collector.Share
	var top struct{ Collector collectorShare }
	var found struct{ GC float64 }
	var memory struct {
		GC struct {
			CPU []struct {
				Share    float64
				Of, From string
			}
		}
	}
	for _, one := range []struct {
		args  []string
		into  any
		share func() float64
	}{
		{[]string{"top", "--json"}, &top, func() float64 { return top.Collector.Share }},
		{[]string{"top", "--all", "--json"}, &top, func() float64 { return top.Collector.Share }},
		{[]string{"top", "--focus", "nothing at all", "--json"}, &top, func() float64 { return top.Collector.Share }},
		{
			find,
			&found,
			func() float64 { return found.GC },
		},
		{[]string{"memory", "--json"}, &memory, func() float64 {
			for _, c := range memory.GC.CPU {
				if c.From == "CPU profile" {
					return c.Share
				}
			}
			return -1
		}},
	} {
		top.Collector.Share = -1
		if err := json.Unmarshal([]byte(show(one.args...)), one.into); err != nil {
			t.Fatal(err)
		}
		if got := one.share(); math.Abs(got-want) > 1e-9 {
			t.Errorf("whet %q: the collector has %v of the CPU time, whet record has %v", one.args, got, want)
		}
	}
	for _, tt := range []struct{ command, of string }{
		{"top", " of the CPU time"},
		{"top --all", " of the CPU time"},
		{"find --no-notes --min-share 100% --max-trace 0", " of the CPU time"},
		{"memory", " of the CPU time used in the window"},
		{"memory", " of the CPU time available since the program started, idle time included"},
		{"trace summary", " of the time that goroutines were running, which is not their CPU time"},
	} {
		if out := strings.Join(strings.Fields(show(strings.Fields(tt.command)...)), " "); !strings.Contains(out, "%"+tt.of) {
			t.Errorf("whet %s does not say%s:\n%s", tt.command, tt.of, out)
		}
	}
	if out := show("top", "--type", "samples", "--all", "--json"); strings.Contains(out, `"collector"`) {
		t.Error("a share of the CPU time is printed of other samples")
	}
}

type collectorShare struct{ Share float64 }
