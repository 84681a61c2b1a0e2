//go:build unix

package peers

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Environment variables of BenchmarkUI.
const (
	uiPage       = "WHET_UI_PAGE"       // the page to write
	uiSpeedscope = "WHET_UI_SPEEDSCOPE" // directory with the built files of speedscope
)

// uiPlan is what ui/journey/measure.mjs opens.
type uiPlan struct {
	Whet       string `json:"whet"`
	Pprof      string `json:"pprof,omitempty"`
	Speedscope string `json:"speedscope,omitempty"`
	Paint      string `json:"paint"`
	Timeline   string `json:"timeline,omitempty"`
	Rounds     int    `json:"rounds"`
}

// uiFlame is how fast a flame graph is, in milliseconds; nil is not measured.
type uiFlame struct {
	First, Again, P95 *float64
}

// uiFigures is what measure.mjs prints, in milliseconds and bytes.
type uiFigures struct {
	Whet, Pprof, Speedscope *uiFlame
	Paint                   float64
	Timeline                *struct{ First, Zoom, Zoom95, Scroll95, Heap float64 }
}

// start starts a server until the benchmark ends, and returns the first address that it prints.
func start(b *testing.B, args ...string) string {
	b.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	r, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Kill() // it has no end of its own
		_ = cmd.Wait()
		_ = w.Close()
	})
	address := regexp.MustCompile(`http://[\w.:\[\]-]+`)
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if found := address.FindString(lines.Text()); found != "" {
			go func() { _, _ = io.Copy(io.Discard, r) }()
			return found
		}
	}
	b.Fatalf("%q printed no address: %v", args, lines.Err())
	return ""
}

// freePort returns an address on which nothing listens.
func freePort(b *testing.B) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = l.Close() }() // it is free again
	return l.Addr().String()
}

// answers waits until a server answers.
func answers(b *testing.B, address string) {
	b.Helper()
	for until := time.Now().Add(4 * time.Minute); time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		if resp, err := http.Get(address); err == nil {
			_ = resp.Body.Close()
			return
		}
	}
	b.Fatalf("%s does not answer", address)
}

// BenchmarkUI measures the pages of whet ui in a browser: the flame graph of a profile with 500 000 samples next to
// go tool pprof -http and speedscope, and the timeline of a large trace.
func BenchmarkUI(b *testing.B) {
	whet, pprof := tools(b)
	ui, err := filepath.Abs("../../ui")
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	file := profiles(b, b.TempDir())["large"]
	if err := os.Rename(file, filepath.Join(dir, "large.pb.gz")); err != nil {
		b.Fatal(err)
	}
	file = filepath.Join(dir, "large.pb.gz")
	events := ""
	if name := os.Getenv(benchTrace); name != "" {
		abs, err := filepath.Abs(name)
		if err == nil {
			err = os.Symlink(abs, filepath.Join(dir, "large.trace"))
		}
		if err != nil {
			b.Fatal(err)
		}
		events = "large.trace"
	}
	var figures uiFigures
	for b.Loop() {
		plan := uiPlan{Rounds: 4}
		args := []string{whet, "ui", "--http", "127.0.0.1:0", "--open=false", file}
		if events != "" {
			args = append(args, filepath.Join(dir, events))
		}
		ours := start(b, args...)
		plan.Whet, plan.Paint = ours+"/flame?file=large.pb.gz", ours+"/overview?file=large.pb.gz"
		if events != "" {
			plan.Timeline = ours + "/timeline?file=" + events
		}
		peer := freePort(b)
		start(b, pprof, "-http="+peer, "-no_browser", file)
		plan.Pprof = "http://" + peer + "/ui/flamegraph"
		answers(b, plan.Pprof)
		if scope := os.Getenv(uiSpeedscope); scope != "" {
			mux := http.NewServeMux()
			mux.Handle("/", http.FileServer(http.Dir(scope)))
			mux.HandleFunc("/large.pb.gz", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, file) })
			s := httptest.NewServer(mux)
			b.Cleanup(s.Close)
			plan.Speedscope = s.URL + "/index.html#profileURL=" + url.QueryEscape(s.URL+"/large.pb.gz")
		}
		if figures, err = uiMeasure(ui, dir, plan); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(*figures.Whet.First, "whet-first-ms")
	b.ReportMetric(*figures.Whet.P95, "whet-frame-p95-ms")
	if name := os.Getenv(uiPage); name != "" {
		sizes, err := uiSizes(ui)
		if err != nil {
			b.Fatalf("%v\n%s", err, sizes)
		}
		if err := os.WriteFile(name, uiText(figures, strings.TrimSpace(string(sizes))), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

// uiMeasure runs measure.mjs.
func uiMeasure(ui, dir string, plan uiPlan) (f uiFigures, err error) {
	data, err := json.Marshal(plan)
	name := filepath.Join(dir, "plan.json")
	if err = errors.Join(err, os.WriteFile(name, data, 0o600)); err != nil {
		return f, err
	}
	cmd := exec.Command("node", "journey/measure.mjs", name)
	cmd.Dir = ui
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return f, fmt.Errorf("measure pages: %w\n%s", err, &stderr)
	}
	if err := json.Unmarshal(out, &f); err != nil {
		return f, fmt.Errorf("read figures: %w", err)
	}
	return f, nil
}

// uiText returns the page of figures.
func uiText(f uiFigures, sizes string) []byte {
	var b bytes.Buffer
	load, _ := os.ReadFile("/proc/loadavg") // only Linux has it
	average, _, _ := strings.Cut(string(load), " ")
	fmt.Fprintf(&b, `# How fast the pages of whet ui are

`+"`make bench-ui`"+` opens pages in headless Chromium without a GPU, in a window of 1280 by 800 pixels. Times
are in milliseconds, from the request for the page until two frames are drawn with its picture; *first* is
the first time after the server began, *again* the median of three more. The p95 is of the times between
frames while wheel events zoom in, move and zoom out, one event for each frame.

%s, %d CPUs, %s, %s/%s. The load average at the end was %s: above 1, other programs shared the machine, and
only the ratios within a row can be compared.

## Flame graph of a profile with 500 000 samples

| | first | again | p95 frame |
|---|---|---|---|
`, time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH,
		average)
	number := func(v *float64) string {
		if v == nil {
			return "–"
		}
		return fmt.Sprintf("%.1f", *v)
	}
	for _, row := range []struct {
		name string
		of   *uiFlame
	}{{"whet ui", f.Whet}, {"go tool pprof -http", f.Pprof}, {"speedscope", f.Speedscope}} {
		if row.of != nil {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", row.name, number(row.of.First), number(row.of.Again), number(row.of.P95))
		}
	}
	fmt.Fprintf(&b, `
`+"`go tool pprof -http`"+` has read the profile before it serves its first page, and does not zoom with the wheel.
speedscope reads the profile in the browser each time.

## First view

First paint of the overview: %.0f ms (median of 6). Scripts and styles: %s.
`, f.Paint, strings.TrimPrefix(sizes, "first view: "))
	if t := f.Timeline; t != nil {
		fmt.Fprintf(&b, `
## Timeline of a trace of 10 M events

| first picture, once indexed | zoom, median | zoom, p95 | scrolling, p95 frame | heap of the page |
|---|---|---|---|---|
| %.1f | %.1f | %.1f | %.1f | %.0f MB |

A zoom is from the key to the drawn answer.
`, t.First, t.Zoom, t.Zoom95, t.Scroll95, t.Heap/1e6)
	}
	return b.Bytes()
}

// uiSizes returns what size.mjs prints.
func uiSizes(ui string) ([]byte, error) {
	cmd := exec.Command("node", "size.mjs")
	cmd.Dir = ui
	return cmd.CombinedOutput()
}
