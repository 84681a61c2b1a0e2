package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/recording"
)

// waitingService is a server that holds a lock while it works on a request, and records itself: its
// requests, which come three at a time, wait for the lock.
const waitingService = `
-- go.mod --
module example.com/waiting

go 1.26
-- main.go --
package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"sync"
)

var (
	mu    sync.Mutex
	words = bytes.Repeat([]byte("a word "), 100)
)

func handler(w http.ResponseWriter, r *http.Request) {
	mu.Lock() // here
	n := 0
	for i := range 3000 {
		n += bytes.Count(bytes.ToUpper(words), []byte("W")) // works
		if i%100 == 0 {
			runtime.Gosched() // others ask for the lock on one processor, too
		}
	}
	mu.Unlock() // there
	fmt.Fprint(w, n)
}

func main() {
	runtime.SetMutexProfileFraction(1)
	runtime.SetBlockProfileRate(1)
	s := httptest.NewServer(http.HandlerFunc(handler))
	var spans bytes.Buffer
	must(trace.Start(&spans))
	var cpu bytes.Buffer
	must(pprof.StartCPUProfile(&cpu))
	var clients sync.WaitGroup
	for range 3 {
		clients.Go(func() {
			for range 40 {
				resp, err := http.Get(s.URL)
				must(err)
				_, err = io.Copy(io.Discard, resp.Body)
				must(err)
				must(resp.Body.Close())
			}
		})
	}
	clients.Wait()
	pprof.StopCPUProfile()
	trace.Stop()
	for name, data := range map[string]*bytes.Buffer{"cpu.pb.gz": &cpu, "trace.out": &spans} {
		must(os.WriteFile(name, data.Bytes(), 0o600))
	}
	for _, kind := range []string{"mutex", "block"} {
		var out bytes.Buffer
		must(pprof.Lookup(kind).WriteTo(&out, 0))
		must(os.WriteFile(kind+".pb.gz", out.Bytes(), 0o600))
	}
	s.Close()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
`

// waitingRecording writes a module to the current directory, and a recording of its service.
func waitingRecording(t *testing.T, name string) {
	t.Helper()
	for _, f := range txtar.Parse([]byte(waitingService)).Files {
		if err := os.WriteFile(f.Name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	exe := filepath.Join(t.TempDir(), "waiting")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", exe, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.CommandContext(t.Context(), exe).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	w, err := recording.Create(name, recording.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) []byte {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, kind := range []string{"cpu", "mutex", "block"} {
		if err := w.AddRawProfile(kind, read(kind+".pb.gz"), recording.Part{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Add(recording.Part{Name: recording.TracePart, Kind: recording.KindTrace}, read("trace.out")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(recording.Meta{}); err != nil {
		t.Fatal(err)
	}
}

// lineOf returns the number of the line of main.go that ends with the given text.
func lineOf(t *testing.T, comment string) int {
	t.Helper()
	text, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	return 1 + slices.IndexFunc(strings.Split(string(text), "\n"),
		func(line string) bool { return strings.HasSuffix(line, comment) })
}

// fixSees checks that the report of whet fix has all findings that whet find has for the same
// recording, with the same waits.
func fixSees(t *testing.T, found *find.Result) {
	t.Helper()
	code, stdout, stderr := runWhet(t, "fix", "--json", "--min-share", "5%", "--fuzz-time", "10ms",
		"--max-time", "100ms", "--settings=false", "service.whet")
	var fixed fix.Result
	if err := json.Unmarshal([]byte(stdout), &fixed); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v: %s", code, err, stderr)
	}
	tried := map[string]find.Finding{}
	for _, a := range fixed.Attempts {
		tried[a.Finding.ID] = a.Finding
	}
	for _, f := range found.Findings {
		if len(f.Places) == 0 || f.Fix != nil && f.Fix.Setting != nil {
			continue // of the program as a whole
		}
		again, ok := tried[f.ID]
		again.Notes = nil // were not asked for
		if ok && !reflect.DeepEqual(f, again) {
			t.Errorf("find has %+v\nfix has  %+v", f, again)
		}
		if !ok && !slices.ContainsFunc(fixed.Untried, func(u fix.Untried) bool {
			return u.Title == f.Title && u.File == f.Places[0].File && u.Line == f.Places[0].Line
		}) {
			t.Errorf("fix does not have %+v", f)
		}
	}
	if len(found.Waiting) == 0 {
		t.Error("no line waits")
	}
	for _, h := range found.Waiting {
		i := slices.IndexFunc(fixed.Untried, func(u fix.Untried) bool { return u.File == h.File && u.Line == h.Line })
		if i < 0 || fixed.Untried[i].Waiting == nil {
			t.Errorf("fix does not list %+v", h)
			continue
		}
		again := *fixed.Untried[i].Waiting
		if again.Notes = nil; !reflect.DeepEqual(h, again) {
			t.Errorf("find has %+v\nfix has  %+v", h, again)
		}
	}
}

// TestFindWaits checks that find reports a lock that requests wait for at the line that acquires it, with the line that
// releases it, from the trace and the profiles of recordings, without a flag.
func TestFindWaits(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	cache := t.TempDir()
	built, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(built))) // or net/http would be compiled again
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("COLUMNS", "200")
	t.Chdir(t.TempDir())
	waitingRecording(t, "service.whet")
	here, there, works := lineOf(t, "// here"), lineOf(t, "// there"), lineOf(t, "// works")
	look := func(args ...string) (r find.Result) {
		code, stdout, stderr := runWhet(t,
			slices.Concat([]string{"find", "--json", "--no-notes", "--min-share", "5%"}, args)...)
		if err := json.Unmarshal([]byte(stdout), &r); err != nil || code != 0 || stderr != "" {
			t.Fatalf("exit code %d, %v: %s", code, err, stderr)
		}
		return r
	}
	one := look("service.whet")
	at := func(r *find.Result, line int) *find.HotLine {
		i := slices.IndexFunc(r.Waiting, func(h find.HotLine) bool { return h.Line == line })
		if i < 0 {
			t.Fatalf("line %d is not listed: %+v", line, r.Waiting)
		}
		return &r.Waiting[i]
	}
	h := at(&one, here)
	if len(h.Waits) != 1 || h.Waits[0].Cause != "lock" || h.Waits[0].Share < 0.3 || h.Waits[0].Share > 0.95 ||
		h.Function != "handler" || h.File != "main.go" {
		t.Errorf("%+v", h)
	} else if e := h.Waits[0].Ended; len(e) != 1 || e[0].File != "main.go" || e[0].Line != there ||
		e[0].Function != "main.handler" {
		t.Errorf("ended by %+v", e)
	}
	costs := map[find.Cost]bool{}
	for _, h := range one.Waiting {
		for _, e := range h.Evidence {
			costs[e.Cost] = true
		}
	}
	if !costs[find.Mutex] || !costs[find.Block] {
		t.Errorf("the lines that wait have no evidence of mutex and block profiles: %+v", one.Waiting)
	}
	if one.Requests == nil || one.Requests.Count < 100 || one.Requests.Count > 120 {
		t.Errorf("%+v", one.Requests)
	}
	if !slices.ContainsFunc(slices.Concat(one.Unexplained), func(h find.HotLine) bool { return h.Line == works }) &&
		!slices.ContainsFunc(one.Findings, func(f find.Finding) bool { return f.Places[0].Line == works }) {
		t.Errorf("the line that works is not among the hot ones: %+v", one.Unexplained)
	}

	fixSees(t, &one)

	two := look("service.whet", "service.whet")
	if two.Requests == nil || two.Requests.Count != 2*one.Requests.Count ||
		at(&two, here).Waits[0].Count != 2*h.Waits[0].Count {
		t.Errorf("two recordings: %+v", two.Requests)
	}
	if none := look("--max-trace", "0", "service.whet"); none.Requests != nil || len(at(&none, there).Waits) > 0 {
		t.Errorf("without the trace: %+v", none.Requests)
	}

	want := []string{
		"Lines that wait", "main.go:" + strconv.Itoa(here), "requests wait here for ",
		" of their time, for a lock, released at main.go:" + strconv.Itoa(there) + " (", "no rewrite is offered",
	}
	for _, format := range []string{"text", "markdown", "html"} {
		code, stdout, stderr := runWhet(t, "find", "--no-notes", "--min-share", "5%", "--format", format, "service.whet")
		if code != 0 || stderr != "" {
			t.Fatalf("%s: exit code %d: %s", format, code, stderr)
		}
		for _, text := range want {
			if !strings.Contains(strings.Join(strings.Fields(stdout), " "), strings.TrimSpace(text)) {
				t.Errorf("%s: no %q in\n%s", format, text, stdout)
			}
		}
	}
	names, err := filepath.Glob(filepath.Join(cache, "whet", "traces", "*.index"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%v, %v", names, err)
	}
	index, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := 30; i < len(index)/2; i += 100 { // opening reads the end
		index[i] ^= 0xff
	}
	if err := os.WriteFile(names[0], index, 0o600); err != nil {
		t.Fatal(err)
	}
	code, again, stderr := runWhet(t, "find", "--no-notes", "service.whet")
	if code != 0 || !strings.Contains(again, "requests wait here for ") ||
		!strings.Contains(stderr, "service.whet: the cached index is damaged; rebuilding it") {
		t.Errorf("a damaged index: exit code %d: %s\n%s", code, stderr, again)
	}
	code, stdout, stderr := runWhet(t, "find", "--no-notes", "--max-trace", "1KB", "service.whet")
	if code != 0 || strings.Contains(stdout, "requests wait here") ||
		!strings.Contains(stderr, "so where requests wait is unknown") {
		t.Errorf("exit code %d: %s\n%s", code, stderr, stdout)
	}
	// The hint is the cure.
	_, hint, _ := strings.Cut(stderr, "hint: read it with --max-trace ")
	size, _, _ := strings.Cut(hint, "\n")
	if cured := look("--max-trace", size, "service.whet"); cured.Requests == nil {
		t.Errorf("--max-trace %q leaves the trace out", size)
	}
}
