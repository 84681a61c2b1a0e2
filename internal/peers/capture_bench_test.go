//go:build unix

package peers

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/capture/instrument"
	"github.com/whet-go/whet/internal/capture/support"
	"github.com/whet-go/whet/internal/modproxy"
	"github.com/whet-go/whet/internal/peers/tables"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/prove"
	"github.com/whet-go/whet/service"
)

// captureTime is how long a comparison of two builds of a service may take.
func captureTime() time.Duration {
	d, err := time.ParseDuration(os.Getenv("WHET_CAPTURE_TIME"))
	if err != nil {
		d = time.Minute
	}
	return d
}

// A capturedService is a service under its load, and a change of it: an example, or one that serves a module of others.
type capturedService struct {
	name, path, method, body string
	// module and version are of others, and serve names what serves it in testdata; "" for an example.
	module, version, serve string
	// file, old and new are a change whose gain prove predicts; "" for none.
	file, old, new string
}

func capturedServices() []capturedService {
	return []capturedService{
		{
			name: "leftpad", path: "/v1/leftpad/?str=test&len=50&chr=*",
			file: "slow/leftpad.go",
			old: `	for n := utf8.RuneCountInString(text); n < width; n++ {
		text = string(fill) + text
	}
	return text
`,
			new: `	n := utf8.RuneCountInString(text)
	if n >= width {
		return text
	}
	out := make([]byte, 0, width+len(text))
	for ; n < width; n++ {
		out = utf8.AppendRune(out, fill)
	}
	return string(append(out, text...))
`,
		},
		{
			name: "hash", path: "/v1/hashes", method: "POST", body: "testdata/items.json",
			file: "slow/hash.go",
			old: `	h := sha256.New()
	h.Write([]byte(a))
	h.Write([]byte(b))
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
`,
			new: `	sum := sha256.Sum256(append([]byte(a), b...))
	return base64.StdEncoding.EncodeToString(sum[:])
`,
		},
		{
			name: "go-httpbin", path: "/links/200/10",
			module: "github.com/mccutchen/go-httpbin/v2", version: "v2.15.0", serve: "serve-httpbin.txt",
			file: "httpbin/handlers.go",
			old: `	w.Write([]byte("<html><head><title>Links</title></head><body>"))
	for i := 0; i < n; i++ {
		if i == offset {
			fmt.Fprintf(w, "%d ", i)
		} else {
			fmt.Fprintf(w, ` + "`" + `<a href="%s/links/%d/%d">%d</a> ` + "`" + `, h.prefix, n, i, i)
		}
	}
	w.Write([]byte("</body></html>"))
`,
			new: `	page := []byte("<html><head><title>Links</title></head><body>")
	for i := 0; i < n; i++ {
		if i != offset {
			page = append(page, "<a href=\""+h.prefix+"/links/"...)
			page = strconv.AppendInt(page, int64(n), 10)
			page = append(page, '/')
			page = strconv.AppendInt(page, int64(i), 10)
			page = append(page, "\">"...)
		}
		page = strconv.AppendInt(page, int64(i), 10)
		if i != offset {
			page = append(page, "</a>"...)
		}
		page = append(page, ' ')
	}
	w.Write(append(page, "</body></html>"...))
`,
		},
		{
			name: "mustache", path: "/", method: "POST", body: "whetserve/body.json",
			module: "github.com/cbroglie/mustache", version: "v1.4.2", serve: "serve-mustache.txt",
			file: "mustache.go",
			old: `				s := fmt.Sprint(val.Interface())
`,
			new: `				s, ok := val.Interface().(string)
				if !ok {
					s = fmt.Sprint(val.Interface())
				}
`,
		},
		{
			name: "page", path: "/",
			file: "slow/service.go",
			old: `		a, b := selected[i], selected[j]
`,
			new: `		a, b := &selected[i], &selected[j]
`,
		},
		{
			name: "tags", path: "/hello",
			file: "slow/metrics.go",
			old: `	return reserved.ReplaceAllString(value, "-")
`,
			new: `	if !strings.ContainsAny(value, "{}/\\:|@#. \t\n\f\r") {
		return value
	}
	return reserved.ReplaceAllString(value, "-")
`,
		},
		{name: "spin", path: "/digest?text=test"},
	}
}

// serveDir is the directory in a module of others of what serves it.
const serveDir = "whetserve"

// pkg is the package of the program, from the directory of the module.
func (c *capturedService) pkg() string {
	if c.module != "" {
		return "./" + serveDir
	}
	return "."
}

// copyTo copies the service's module to a new directory.
func (c *capturedService) copyTo(b *testing.B, dir string) {
	b.Helper()
	if c.module == "" {
		if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "examples", c.name))); err != nil {
			b.Fatal(err)
		}
		return
	}
	if err := modproxy.Copy(b.Context(), c.module, c.version, dir); err != nil {
		b.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, serveDir), 0o750); err != nil {
		b.Fatal(err)
	}
	for from, to := range map[string]string{"serve.txt": "serve.go", c.serve: "main.go", "orders.json": "body.json"} {
		text, err := os.ReadFile(filepath.Join("testdata", from))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, serveDir, to), text, 0o600)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := modproxy.Fetch(b.Context(), dir); err != nil {
		b.Fatal(err)
	}
}

// options returns how the service's load is sent.
func (c *capturedService) options(b *testing.B, dir string) load.Options {
	b.Helper()
	o := load.Options{Connections: 4, Method: c.method, Timeout: time.Minute}
	if c.body != "" {
		body, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(c.body)))
		if err != nil {
			b.Fatal(err)
		}
		o.Body = body
	}
	return o
}

// compare returns the ratio of CPU time per request of two programs, with its interval.
func (c *capturedService) compare(
	b *testing.B, dir string, programs [2]string, env [2][]string, most time.Duration,
) ab.Unit {
	b.Helper()
	o := service.Options{
		URLs: []string{"http://{addr}" + c.path}, Load: c.options(b, dir),
		AB: ab.Options{MaxTime: most, Precision: 0.01},
	}
	for i, p := range programs {
		o.Commands[i] = service.Command{Args: []string{p, "-addr", "{addr}", "-pprof", "127.0.0.1:0"}, Env: env[i], Dir: dir}
	}
	r, err := service.Run(context.Background(), o)
	if err == nil {
		err = r.Failure
	}
	if err != nil {
		b.Fatal(err)
	}
	for _, u := range r.AB.Subjects[0].Units {
		if u.Unit == service.UnitCPU {
			return u
		}
	}
	b.Fatalf("%s: no CPU time", c.name)
	return ab.Unit{}
}

// buildProgram builds the program of a package in a directory.
func buildProgram(b *testing.B, dir, pkg string, flags ...string) string {
	b.Helper()
	file := filepath.Join(b.TempDir(), "program")
	cmd := exec.Command("go", slices.Concat([]string{"build"}, flags, []string{"-o", file, pkg})...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return file
}

// overheadTimes and gainTimes are how many times as long as captureTime comparisons may take: overheads and gains of
// some percent need intervals of one.
const (
	overheadTimes = 4
	gainTimes     = 4
)

// BenchmarkCaptureOverhead compares the CPU time per request of each example as it is, with closed gates, and while it
// copies at the default rate. The rows are written into the page that WHET_CAPTURE_COSTS names.
func BenchmarkCaptureOverhead(b *testing.B) {
	for _, c := range capturedServices() {
		b.Run(c.name, func(b *testing.B) {
			dir := filepath.Join(b.TempDir(), c.name)
			c.copyTo(b, dir)
			for range b.N {
				functions, copies, err := c.copying(b, dir)
				if err != nil {
					b.Skip(err)
				}
				plain := buildProgram(b, dir, c.pkg())
				closed := c.compare(b, dir, [2]string{plain, copies}, [2][]string{}, overheadTimes*captureTime())
				open := c.compare(b, dir, [2]string{plain, copies}, [2][]string{1: {support.DirEnv + "=" + b.TempDir()}},
					overheadTimes*captureTime())
				b.ReportMetric(100*(float64(open.Ratio)-1), "%cpu")
				addRow(b, costsPage, "## Compared with the service as it is", c.name, strconv.Itoa(functions), percent(closed),
					percent(open))
			}
		})
	}
}

// copying builds the program of a service so that it can copy arguments, of as many functions as it returns.
func (c *capturedService) copying(b *testing.B, dir string) (functions int, program string, err error) {
	b.Helper()
	made, err := instrument.Make(b.Context(), instrument.Options{
		Dir: dir, Packages: []string{c.pkg()}, Temp: b.TempDir(),
		Rank: func(symbol string) int {
			if c.module != "" {
				return 0
			}
			return min(0, strings.Index(symbol, "/slow."))
		},
	})
	if err != nil {
		return 0, "", err
	}
	return len(made.Functions), buildProgram(b, dir, c.pkg(), "-overlay="+made.Overlay), nil
}

// percent returns a ratio as a change, with its interval.
func percent(u ab.Unit) string {
	if math.IsInf(float64(u.High), 0) {
		return fmt.Sprintf("%+.1f%% (too few rounds)", 100*(float64(u.Ratio)-1))
	}
	return fmt.Sprintf("%+.1f%% (%+.1f to %+.1f%%)", 100*(float64(u.Ratio)-1), 100*(float64(u.Low)-1),
		100*(float64(u.High)-1))
}

// Environment variables with pages that get the rows of their tables.
const (
	costsPage = "WHET_CAPTURE_COSTS" // docs/measured/capture.md
	gainsPage = "WHET_CAPTURE_GAINS" // docs/measured/capture-gain.md
)

// The last row of a table.
const (
	medianRow = "median error"
	allRow    = "all"
)

// addRow prints a row of a table, and writes it into the page, if one is given.
func addRow(b *testing.B, page, heading string, cells ...string) {
	b.Helper()
	b.Logf("| %s |", strings.Join(cells, " | "))
	name := os.Getenv(page)
	if name == "" {
		return
	}
	last := allRow
	if page == gainsPage {
		last = medianRow
	}
	if err := tables.Update(name, heading, tables.Measured(time.Now()), last, [][]string{cells}); err != nil {
		b.Fatal(err)
	}
}

const gainsHeading = "# Gains predicted from captured arguments"

// BenchmarkCaptureGain compares the gain that whet prove predicts for a change, from captured and from generated
// inputs, with the gain of the service under load. The last row has the medians of the errors, in points.
func BenchmarkCaptureGain(b *testing.B) {
	whet := buildProgram(b, filepath.Join("..", "..", "cmd", "whet"), ".")
	var wrong [2][]float64 // from captured and from generated inputs
	left := 0
	for _, c := range capturedServices() {
		if c.file == "" {
			continue
		}
		left++
		b.Run(c.name, func(b *testing.B) {
			left--
			for range b.N {
				for i, e := range c.gain(b, whet) {
					if !math.IsNaN(e) {
						wrong[i] = append(wrong[i], e)
					}
				}
			}
		})
	}
	if left > 0 {
		return // of some services only
	}
	addRow(b, gainsPage, gainsHeading, medianRow, "", errorOf(wrong[0]), errorOf(wrong[1]))
}

// errorOf describes the median of errors.
func errorOf(errors []float64) string {
	if len(errors) == 0 {
		return "nothing was predicted"
	}
	slices.Sort(errors)
	median := (errors[(len(errors)-1)/2] + errors[len(errors)/2]) / 2
	return fmt.Sprintf("%.1f points, of %d", median, len(errors))
}

// gain adds a row for a service, and returns the errors of the gains predicted from captured and from generated inputs,
// in points; NaN for none.
func (c *capturedService) gain(b *testing.B, whet string) (wrong [2]float64) {
	b.Helper()
	var dirs [2]string
	for i := range dirs {
		dirs[i] = filepath.Join(b.TempDir(), c.name)
		c.copyTo(b, dirs[i])
		// whet writes one.
		if err := os.Remove(filepath.Join(dirs[i], "bench_test.go")); err != nil && c.module == "" {
			b.Fatal(err)
		}
	}
	file := filepath.Join(dirs[1], filepath.FromSlash(c.file))
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), c.old) {
		b.Fatalf("%s is not what it was: %v", file, err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), c.old, c.new, 1)), 0o600); err != nil {
		b.Fatal(err)
	}
	programs := [2]string{buildProgram(b, dirs[0], c.pkg()), buildProgram(b, dirs[1], c.pkg())}
	measured := c.compare(b, dirs[0], programs, [2][]string{}, gainTimes*captureTime())
	var predicted [2]string
	for i, capture := range [2]string{"hot", ""} {
		var gain float64
		gain, predicted[i] = c.predict(b, whet, dirs, capture)
		wrong[i] = 100 * math.Abs(gain-(float64(measured.Ratio)-1))
	}
	addRow(b, gainsPage, gainsHeading, c.name, percent(measured), predicted[0], predicted[1])
	return wrong
}

// freeAddress returns an address that nothing listens on.
func freeAddress(b *testing.B) string {
	b.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		b.Fatal(err)
	}
	return address
}

// record records the service in a directory under its load, and returns the file.
func (c *capturedService) record(b *testing.B, whet, dir, capture string) string {
	b.Helper()
	return c.recordProgram(b, whet, dir, capture, nil, "go", "run", c.pkg())
}

// recordProgram is record for a program with more environment.
func (c *capturedService) recordProgram(
	b *testing.B, whet, dir, capture string, env []string, program ...string,
) string {
	b.Helper()
	recording := filepath.Join(b.TempDir(), "a.whet")
	address := freeAddress(b)
	args := []string{"record", "-o", recording, "-d", "10s", "--trace", "0", "--load", "http://" + address + c.path}
	if c.method != "" {
		args = append(args, "-m", c.method, "--body", "@"+filepath.Join(dir, filepath.FromSlash(c.body)))
	}
	if capture != "" {
		args = append(args, "--capture", capture)
	}
	args = slices.Concat(args, []string{"--"}, program, []string{"-addr", address, "-pprof", "127.0.0.1:0"})
	record := exec.Command(whet, args...)
	record.Dir, record.Env = dir, append(os.Environ(), env...)
	if out, err := record.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return recording
}

// predict records version A and returns the change of the service's CPU time that whet prove predicts, NaN if it
// predicts none; and that with how similar the benchmark is to the service, or the reason.
func (c *capturedService) predict(
	b *testing.B, whet string, dirs [2]string, capture string,
) (gain float64, text string) {
	b.Helper()
	recording := c.record(b, whet, dirs[0], capture)
	cmd := exec.Command(whet, "prove", "--a", dirs[0], "--b", dirs[1], "--recording", recording, "--format", "json",
		"--mutant-time", "0", "--max-time", captureTime().String())
	cmd.Dir = dirs[0]
	out, _ := cmd.Output() // its exit code is the outcome
	var doc struct {
		Predicted *prove.Prediction `json:"predicted"`
		Reason    string            `json:"reason"`
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	p := doc.Predicted
	if p == nil {
		reasons := strings.Split(doc.Reason, "; ")
		return math.NaN(), "none: " + reasons[len(reasons)-1] // of the benchmark that was tried last
	}
	similar := "similarity unknown" // the profiles have too few samples below the functions
	if p.Unknown == "" {
		similar = fmt.Sprintf("%.0f%% similar", 100*p.Similar)
	}
	return float64(p.Change), fmt.Sprintf("%+.1f%%, %s", 100*float64(p.Change), similar)
}
