package cli_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/whet-go/whet/goroutines"
	"github.com/whet-go/whet/internal/cli"
	"github.com/whet-go/whet/memory"
)

// liveServer serves the profiles of this process like a Go service. It fails the test if debug=2 is
// requested.
func liveServer(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("debug") == "2" {
			t.Errorf("%s stops the service", r.URL)
		}
		pprof.Index(w, r)
	})
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL
}

// liveWhet runs a command and returns what it prints.
func liveWhet(t *testing.T, args ...string) string {
	t.Helper()
	t.Setenv("COLUMNS", "80")
	var out, errs bytes.Buffer
	if code := cli.Main(t.Context(), args, strings.NewReader(""), &out, &errs); code != 0 {
		t.Fatalf("whet %s: exit code %d\n%s", strings.Join(args, " "), code, errs.String())
	}
	return out.String()
}

func narrow(t *testing.T, out string) {
	t.Helper()
	for line := range strings.Lines(out) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func waitPlanted(started chan<- struct{}, c <-chan struct{}) {
	started <- struct{}{}
	<-c
}

func plant(n int, c <-chan struct{}) {
	started := make(chan struct{})
	for range n {
		go waitPlanted(started, c)
	}
	for range n {
		<-started
	}
	waitParked(n, "cli_test.waitPlanted", "chan receive")
}

// waitParked returns when n goroutines with a call of function in their stacks wait for reason.
func waitParked(n int, function, reason string) {
	buf := make([]byte, 1<<20)
	for {
		parked := 0
		for g := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			if strings.Contains(g, function+"(") && strings.Contains(g, "["+reason) {
				parked++
			}
		}
		if parked >= n {
			return
		}
		runtime.Gosched()
	}
}

func planted(t *testing.T, out string) goroutines.ReportGroup {
	t.Helper()
	var d goroutines.Report
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, g := range d.Groups {
		sum += g.Count
	}
	if sum+d.Left+d.Filtered != d.Total {
		t.Errorf("groups hold %d of %d goroutines", sum, d.Total)
	}
	for _, g := range d.Groups {
		if g.Own != nil && strings.HasSuffix(g.Own.Func, "cli_test.waitPlanted") {
			return g
		}
	}
	t.Fatalf("the planted goroutines are not there: %s", out)
	return goroutines.ReportGroup{}
}

// End to end on a live process: its goroutines at an address, and in a recording with its trace.
func TestGoroutinesLive(t *testing.T) {
	c := make(chan struct{})
	defer close(c)
	plant(3, c)
	base := liveServer(t)

	g := planted(t, liveWhet(t, "goroutines", "--json", "-n", "0", "--own", "github.com/whet-go/whet", base))
	if g.Count != 3 || g.Reason != "chan receive" || g.ReasonFrom != "stack" {
		t.Errorf("at the address: %d wait for %q (%s)", g.Count, g.Reason, g.ReasonFrom)
	}
	if testing.Short() {
		t.Skip("records")
	}
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.whet"), filepath.Join(dir, "b.whet")
	liveWhet(t, "record", base, "-d", "1s", "--trace", "300ms", "-o", a)
	out := liveWhet(t, "goroutines", "-n", "0", a)
	narrow(t, out)
	g = planted(t, liveWhet(t, "goroutines", "--json", "-n", "0", a))
	if g.Count != 3 || g.Before != 3 || g.Delta != 0 || !g.WaitAtLeast || g.WaitFrom != "trace" || g.Wait <= 0 {
		t.Errorf("in a recording: %+v", g)
	}

	plant(5, c)
	liveWhet(t, "record", base, "-d", "1s", "--trace", "300ms", "-o", b)
	g = planted(t, liveWhet(t, "goroutines", "--json", "-n", "0", a, b))
	if g.Count != 8 || g.Before != 3 || g.Delta != 5 || g.Verdict != "suspect" {
		t.Errorf("in two recordings: %+v", g)
	}

	// The examples in the help of both commands, unchanged.
	t.Chdir(dir)
	for name, from := range map[string]string{"demo.whet": a, "monday.whet": a, "friday.whet": b} {
		if err := os.Link(from, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile("panic.txt", []byte("panic: boom\n\n"+string(debug.Stack())), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"goroutines", "memory"} {
		lines := exampleLines(liveWhet(t, command, "--help"))
		if len(lines) < 3 {
			t.Errorf("whet %s --help has %d examples", command, len(lines))
		}
		for _, line := range lines {
			args := shellFields(strings.ReplaceAll(line, "http://localhost:6060", base))
			if liveWhet(t, args[1:]...) == "" {
				t.Errorf("%s: no output", line)
			}
		}
	}

	// The memory of the same recordings.
	for _, args := range [][]string{{a}, {a, b}, {base}} {
		narrow(t, liveWhet(t, append([]string{"memory"}, args...)...))
		var d memory.Report
		if err := json.Unmarshal([]byte(liveWhet(t, append([]string{"memory", "--json"}, args...)...)), &d); err != nil {
			t.Fatal(err)
		}
		sum, change := int64(0), int64(0)
		for _, p := range d.Parts {
			sum += p.Bytes
			if p.Change != nil {
				change += *p.Change
			}
		}
		if sum != d.Total || d.HeapAlloc <= 0 || d.Parts[0].ID != "live" {
			t.Errorf("%v: parts add up to %d of %d", args, sum, d.Total)
		}
		if len(args) == 2 && change != d.Total-d.EarlierTotal {
			t.Errorf("%v: parts changed by %d, the total by %d", args, change, d.Total-d.EarlierTotal)
		}
		if args[0] != base && (d.GC.Window <= 0 || d.GC.AllocRate <= 0) {
			t.Errorf("%v: window %v, %v B/s", args, d.GC.Window, d.GC.AllocRate)
		}
	}
}
