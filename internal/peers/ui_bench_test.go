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
	Flames   []uiFlame `json:"flames"`
	Overview string    `json:"overview"` // of the large profile
	Paint    string    `json:"paint"`
	Timeline string    `json:"timeline,omitempty"`
	Rounds   int       `json:"rounds"`
	Limit    int64     `json:"limit"` // milliseconds
}

// uiFlame is the flame graph of a program.
type uiFlame struct {
	Program string `json:"program"`
	Profile string `json:"-"`
	Address string `json:"address"`
}

// uiFigures is what measure.mjs prints, in milliseconds and bytes.
type uiFigures struct {
	Flames []struct { // of those in the plan; nil is not measured
		First, Again, P95 *float64
		Why               string // it ended early: "late" or "crashed"
	}
	Click, Paint, Whole float64
	Timeline            *struct{ First, Zoom, Zoom95, Scroll95, Memory float64 }
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
		_ = cmd.Process.Kill() // it does not end by itself
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

// BenchmarkUI measures the pages of whet ui in a browser: the flame graphs of an ordinary profile and of one with
// 500 000 samples next to go tool pprof -http and speedscope, and the timeline of a large trace.
func BenchmarkUI(b *testing.B) {
	whet, pprof := tools(b)
	ui, err := filepath.Abs("../../ui")
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	profiles(b, dir)
	args := []string{whet, "ui", "--http", "127.0.0.1:0", "--open=false"}
	for _, name := range uiProfiles() {
		args = append(args, filepath.Join(dir, name))
	}
	trace := os.Getenv(benchTrace)
	if trace != "" {
		if trace, err = filepath.Abs(trace); err != nil {
			b.Fatal(err)
		}
		args = append(args, trace)
	}
	scope := os.Getenv(uiSpeedscope)
	load, _ := os.ReadFile("/proc/loadavg") // only Linux has it
	average, _, _ := strings.Cut(string(load), " ")
	plan, figures := uiPlan{}, uiFigures{}
	for b.Loop() {
		ours := start(b, args...)
		plan = uiPlan{Rounds: 4, Limit: uiLimit.Milliseconds(), Paint: ours + "/overview?file=" + uiProfiles()[0]}
		plan.Overview = ours + "/overview?file=" + uiProfiles()[1]
		if trace != "" {
			plan.Timeline = ours + "/timeline?file=" + url.QueryEscape(filepath.Base(trace))
		}
		for _, name := range uiProfiles() {
			plan.Flames = append(plan.Flames, uiFlame{"whet", name, ours + "/flame?file=" + name})
			peer := freePort(b)
			start(b, pprof, "-http="+peer, "-no_browser", filepath.Join(dir, name))
			plan.Flames = append(plan.Flames, uiFlame{"pprof", name, "http://" + peer + "/ui/flamegraph"})
			answers(b, "http://"+peer+"/ui/download") // it has read the profile
			if scope == "" {
				continue
			}
			mux := http.NewServeMux()
			mux.Handle("/", http.FileServer(http.Dir(scope)))
			mux.HandleFunc("/"+name, func(w http.ResponseWriter, r *http.Request) {
				http.ServeFile(w, r, filepath.Join(dir, name))
			})
			s := httptest.NewServer(mux)
			b.Cleanup(s.Close)
			address := s.URL + "/index.html#profileURL=" + url.QueryEscape(s.URL+"/"+name)
			plan.Flames = append(plan.Flames, uiFlame{"speedscope", name, address})
		}
		if figures, err = uiMeasure(ui, dir, plan); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(figures.Paint, "paint-ms")
	b.ReportMetric(figures.Whole, "overview-ms")
	b.ReportMetric(figures.Click, "click-ms")
	for i, f := range plan.Flames {
		if first := figures.Flames[i].First; first != nil {
			b.ReportMetric(*first, f.Program+"-"+strings.TrimSuffix(f.Profile, ".pb.gz")+"-ms")
		}
	}
	if name := os.Getenv(uiPage); name != "" {
		sizes, err := uiSizes(ui)
		if err != nil {
			b.Fatalf("%v\n%s", err, sizes)
		}
		text := uiText(plan, figures, strings.TrimSpace(string(sizes)), average)
		if err := os.WriteFile(name, text, 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

// uiProfiles returns the files of the profiles, the ordinary one first.
func uiProfiles() [2]string { return [2]string{"ordinary.pb.gz", "large.pb.gz"} }

// uiLimit is when a page is given up.
const uiLimit = time.Minute

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
func uiText(plan uiPlan, f uiFigures, sizes, average string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# How fast the pages of whet ui are

`+"`make bench-ui`"+` opens pages in headless Chromium without a GPU, in a window of 1280 by 800
pixels. Times are in milliseconds, from the request for the page, in a browser that has nothing of
it, until two frames are drawn with its picture; *first* is the first time after the server began,
*again* the median of three more. The p95 is of the times between frames while wheel events zoom in,
move and zoom out, one event for each frame.

%s, %d CPUs, which server and browser share, %s, %s/%s.
The load average before was %s.

`, time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH,
		average)
	number := func(v *float64, none string) string {
		if v == nil {
			return none
		}
		return fmt.Sprintf("%.1f", *v)
	}
	titles := map[string]string{
		uiProfiles()[0]: "of an ordinary profile", uiProfiles()[1]: "of a profile with 500 000 samples",
	}
	for i, one := range plan.Flames {
		if i == 0 || one.Profile != plan.Flames[i-1].Profile {
			fmt.Fprintf(&b, "## Flame graph %s\n\n| | first | again | p95 frame |\n|---|---|---|---|\n", titles[one.Profile])
		}
		of := f.Flames[i]
		none := "the page crashed"
		if of.Why == "late" {
			none = fmt.Sprintf("none in %v", uiLimit)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", one.Program, number(of.First, none), number(of.Again, "–"),
			number(of.P95, "–"))
		if i == len(plan.Flames)-1 || one.Profile != plan.Flames[i+1].Profile {
			b.WriteString("\n")
		}
	}
	fmt.Fprintf(&b, `From a click on Flame in the overview of the large one to its picture, whet ui takes %.0f ms (median
of 4; goal 1500). Its goal for frames is 16.7 ms, or 33 ms on two busy CPUs.

pprof is `+"`go tool pprof -http`"+`, which has read the profile before the page is opened, and does not
zoom with the wheel. speedscope reads the profile in the browser each time, and does not say when it
is done: its time is until there is a canvas, which may be too early.

## First view

First paint of the overview, of its header: %.0f ms (goal 300); with its figures after %.0f ms
(medians of 6). Scripts and styles of it: %s.
`, f.Click, f.Paint, f.Whole, strings.TrimPrefix(sizes, "first view: "))
	if t := f.Timeline; t != nil {
		fmt.Fprintf(&b, `
## Timeline of a trace of 10 M events

| first picture, once indexed | zoom, median | zoom, p95 | scrolling, p95 frame | memory of the page's process |
|---|---|---|---|---|
| %.1f | %.1f | %.1f | %.1f | %.0f MB |

A zoom is from the key to the drawn answer of the server, if the page asks it. Scrolling goes
through the list of 100 000 goroutines, some rows and then hundreds of rows for each frame. The
goals: the first picture within a second, any zoom within 100 ms, less than 200 MB.
`, t.First, t.Zoom, t.Zoom95, t.Scroll95, t.Memory/1e6)
	}
	return b.Bytes()
}

// uiSizes returns what size.mjs prints.
func uiSizes(ui string) ([]byte, error) {
	cmd := exec.Command("node", "size.mjs")
	cmd.Dir = ui
	return cmd.CombinedOutput()
}
