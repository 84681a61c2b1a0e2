package pprof

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	gprofile "github.com/google/pprof/profile"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/source/objfile"
)

// The driver writes to os.Stdout and keeps its configuration in variables, so each
// run is a process: this test binary, which then is whet pprof.
func TestMain(m *testing.M) {
	if os.Getenv("WHET_TEST_PPROF") == "1" {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		err := Run(ctx, Options{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
		if err != nil {
			fmt.Fprintf(os.Stderr, "whet: %v\nhint: %s\n", err, diag.Hint(err))
		}
		stop()
		os.Exit(diag.ExitCode(err))
	}
	code := m.Run()
	if dir := made(); dir != "" {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

const program = `package main

import (
	"os"
	"runtime/pprof"
	"sort"
	"strings"
)

type words []string

func (w words) Len() int           { return len(w) }
func (w words) Less(i, j int) bool { return lower(w[i]) < lower(w[j]) }
func (w words) Swap(i, j int)      { w[i], w[j] = w[j], w[i] }

func lower(s string) string { return strings.ToLower(s) }

//go:noinline
func work(n int) (sum int) {
	w := make(words, n)
	for i := range w {
		w[i] = strings.Repeat("Ab", i*7919%31)
	}
	sort.Sort(w)
	for _, s := range w {
		sum += square(len(s))
	}
	return sum
}

func square(n int) int {
	t := 0
	for i := 0; i < n*1000; i++ {
		t += i ^ n
	}
	return t
}

func main() {
	f, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		panic(err)
	}
	// A number of iterations, not a time: on a busy machine it is slower, but has as many samples.
	for range 250 {
		work(500)
	}
	pprof.StopCPUProfile()
}
`

// A fixture is a program with its CPU profile.
type fixture struct {
	dir, bin, cpu string
	err           error
}

// load builds the program and profiles it, once for all tests.
var load = sync.OnceValue(func() (fx fixture) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		return fixture{err: err}
	}
	if fx.dir, fx.err = os.MkdirTemp("", "whet-pprof-test-"); fx.err != nil {
		return fx
	}
	fx.bin, fx.cpu = filepath.Join(fx.dir, "app"), filepath.Join(fx.dir, "cpu.pb.gz")
	for name, text := range map[string]string{"go.mod": "module example.com/app\n\ngo 1.26\n", "main.go": program} {
		if fx.err = os.WriteFile(filepath.Join(fx.dir, name), []byte(text), 0o644); fx.err != nil {
			return fx
		}
	}
	build := exec.Command(goTool, "build", "-o", fx.bin)
	build.Dir = fx.dir
	build.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		fx.err = fmt.Errorf("%w\n%s", err, out)
		return fx
	}
	if out, err := exec.Command(fx.bin, fx.cpu).CombinedOutput(); err != nil {
		fx.err = fmt.Errorf("%w\n%s", err, out)
	}
	return fx
})

func made() string { return load().dir }

func need(t *testing.T) fixture {
	t.Helper()
	fx := load()
	if errors.Is(fx.err, exec.ErrNotFound) {
		t.Skip(fx.err)
	}
	if fx.err != nil {
		t.Fatal(fx.err)
	}
	return fx
}

// ours runs whet pprof with nothing in $PATH.
func ours(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return run(t, exec.Command(exe, args...), "WHET_TEST_PPROF=1")
}

func run(t *testing.T, cmd *exec.Cmd, env ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "PATH=/nonexistent", "TERM=dumb", "PPROF_TMPDIR="+t.TempDir())
	cmd.Env = append(cmd.Env, env...)
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// theirs is go tool pprof.
var theirs = sync.OnceValue(func() string {
	out, err := exec.Command("go", "tool", "-n", "pprof").Output()
	if err != nil {
		return ""
	}
	path := strings.TrimSpace(string(out))
	if _, err := os.Stat(path); err != nil {
		// Built on demand; running it once leaves it in the build cache.
		_ = exec.Command("go", "tool", "pprof", "-h").Run()
		if _, err := os.Stat(path); err != nil {
			return ""
		}
	}
	return path
})

func TestSameAsGoTool(t *testing.T) {
	fx := need(t)
	tool := theirs()
	if tool == "" {
		t.Skip("no go tool pprof")
	}
	for _, args := range [][]string{
		{"-top"},
		{"-top", "-cum", "-lines"},
		{"-raw"},
		{"-tree"},
		{"-peek", "work"},
		{"-traces"},
		{"-dot"},
		{"-list", `main\.`},
		{"-list", `strings\.ToLower`},
		{"-disasm", `main\.`},
		{"-disasm", `strings\.ToLower|runtime\.mallocgc`},
		{"-callgrind"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			args := append(args, fx.bin, fx.cpu)
			want, _, err := run(t, exec.Command(tool, args...))
			if err != nil {
				t.Fatal(err)
			}
			got, stderr, err := ours(t, args...)
			if err != nil {
				t.Fatalf("%v\n%s", err, stderr)
			}
			if args[0] == "-disasm" {
				got, want = comparable(got, want)
			}
			if got != want {
				t.Error(firstDifference(got, want))
			}
			if len(want) < 100 {
				t.Errorf("too little to compare: %q", want)
			}
		})
	}
}

// comparable removes from two -disasm reports what go tool pprof gets wrong: the last instruction
// of each routine, whose last byte it omits, and names of data that share their address with the
// marker of a section.
func comparable(got, want string) (string, string) {
	g, w := strings.Split(got, "ROUTINE"), strings.Split(want, "ROUTINE")
	if len(g) != len(w) {
		return got, want
	}
	inst := regexp.MustCompile(`^ *\S+ +\S+ +([0-9a-f]+): (LEA\w|)`)
	for i := range g {
		last := ""
		for l := range strings.Lines(g[i]) {
			if m := inst.FindStringSubmatch(l); m != nil {
				last = m[1]
			}
		}
		clean := func(text string) string {
			var out strings.Builder
			for l := range strings.Lines(text) {
				m := inst.FindStringSubmatch(l)
				if m == nil || m[1] < last {
					if m != nil && m[2] != "" {
						l = m[0] + "\n"
					}
					out.WriteString(l)
				}
			}
			return out.String()
		}
		g[i], w[i] = clean(g[i]), clean(w[i])
	}
	return strings.Join(g, "ROUTINE"), strings.Join(w, "ROUTINE")
}

// go tool pprof's weblist omits inlined calls from the line that makes them. Ours includes them, as
// both do in list: the cumulative values of weblist and list must agree.
func TestWeblist(t *testing.T) {
	fx := need(t)
	tool := theirs()
	if tool == "" {
		t.Skip("no go tool pprof")
	}
	list, _, err := run(t, exec.Command(tool, "-list", `^main\.work$`, fx.bin, fx.cpu))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^ +(\S+) +(\S+) +(\d+):`).FindAllStringSubmatch(list, -1) {
		want[m[3]] = m[2]
	}
	out := filepath.Join(t.TempDir(), "out.html")
	if _, stderr, err := ours(t, "-output", out, "-weblist", `^main\.work$`, fx.bin, fx.cpu); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	html, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, m := range regexp.MustCompile(
		`(?m)^<span class=line> +(\d+)</span> <span class=livesrc> +(\S+) +(\S+) `).FindAllStringSubmatch(string(html), -1) {
		cum, ok := want[m[1]]
		if !ok {
			continue
		}
		if compared++; m[3] != cum {
			t.Errorf("line %s: %s, list has %s", m[1], m[3], cum)
		}
	}
	if compared < 5 || !regexp.MustCompile(`sum &#43;= square\(len\(s\)\).*class=asm`).Match(html) {
		t.Errorf("%d lines compared", compared)
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d:\n got %s\nwant %s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

func TestSymbolize(t *testing.T) {
	fx := need(t)
	got, stderr, err := ours(t, "-symbolize=force", "-traces", "-focus", "square", fx.bin, fx.cpu)
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	if !regexp.MustCompile(`main\.square \(inline\)\n\s+main\.work`).MatchString(got) {
		t.Errorf("inlined call is not shown:\n%.1500s", got)
	}
	if strings.Contains(stderr, "failed") {
		t.Error(stderr)
	}
	got, stderr, err = ours(t, "-disasm", `main\.square|main\.work`, "-intel_syntax", fx.bin, fx.cpu)
	if err != nil || !regexp.MustCompile(`(?m)\b(mov|lea|cmp) r`).MatchString(got) {
		t.Errorf("intel syntax: %v %s\n%.800s", err, stderr, got)
	}
}

func TestShell(t *testing.T) {
	fx := need(t)
	exe, _ := os.Executable()
	cmd := exec.Command(exe, fx.bin, fx.cpu)
	cmd.Stdin = strings.NewReader("top3\nlist work\nnonsense\nquit\n")
	out, stderr, err := run(t, cmd, "WHET_TEST_PPROF=1")
	if err != nil || !strings.Contains(out, "(pprof) ") || !strings.Contains(out, "sort.Sort(w)") {
		t.Errorf("%v\n%s\n%s", err, out, stderr)
	}
	if !strings.Contains(stderr, `unrecognized command: "nonsense"`) ||
		!strings.Contains(stderr, "Entering interactive mode") {
		t.Error(stderr)
	}
}

// The web interface serves the views that read binaries and source until it is interrupted; then
// the unpacked files are removed.
func TestHTTP(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts")
	}
	fx := need(t)
	file := record(t, fx)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	cmd := exec.Command(exe, "-http=127.0.0.1:", "-no_browser", file)
	cmd.Env = append(os.Environ(), "PATH=/nonexistent", "TMPDIR="+temp, "WHET_TEST_PPROF=1")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	lines := bufio.NewScanner(stderr)
	addr := ""
	for addr == "" && lines.Scan() {
		_, addr, _ = strings.Cut(lines.Text(), "Serving web UI on ")
	}
	if addr == "" {
		t.Fatalf("no address: %v", lines.Err())
	}
	go func() { _, _ = io.Copy(io.Discard, stderr) }()
	get := func(path string) string {
		resp, err := http.Get(addr + path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s, %v", path, resp.Status, err)
		}
		return string(body)
	}
	if body := get("/ui/top"); !strings.Contains(body, "main.square") {
		t.Error("top lacks main.square")
	}
	if body := get("/ui/source?f=main.work"); !strings.Contains(body, "sum &#43;= square(len(s))") ||
		!strings.Contains(body, "sort.Sort(SB)") {
		t.Error("source lacks a line or an instruction")
	}
	if body := get("/ui/disasm?f=main.work"); !strings.Contains(body, "sort.Sort(SB)") {
		t.Error("disasm lacks a call")
	}
	// Requests with another host name, or from the page of another site, are refused.
	for _, tc := range []struct {
		host, path string
		header     map[string]string
		want       int
	}{
		{"evil.example:80", "/ui/top", nil, http.StatusForbidden},
		{"evil.example", "/", nil, http.StatusForbidden},
		{"localhost", "/ui/top", nil, http.StatusOK},
		{"", "/ui/top", map[string]string{
			"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors",
			"Sec-Fetch-Dest": "script",
		}, http.StatusForbidden},
		{"", "/ui/top", map[string]string{
			"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate",
			"Sec-Fetch-Dest": "document",
		}, http.StatusOK},
		{"", "/ui/saveconfig?config=x", map[string]string{
			"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate",
			"Sec-Fetch-Dest": "document",
		}, http.StatusForbidden},
		{"", "/ui/nothing", nil, http.StatusNotFound},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, addr+tc.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = tc.host
		for k, v := range tc.header {
			req.Header.Set(k, v)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != tc.want {
			t.Errorf("%s of host %q with %v: %s, want %d", tc.path, tc.host, tc.header, resp.Status, tc.want)
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); exitCode(err) != 1 {
		t.Errorf("after the interrupt: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestUsage(t *testing.T) {
	out, stderr, err := ours(t, "--help")
	if err != nil || !strings.Contains(out, "whet pprof <format>") || !strings.Contains(out, "FILE.whet:NAME") ||
		stderr != "" {
		t.Errorf("%v\n%.500s\n%s", err, out, stderr)
	}
	_, stderr, err = ours(t, "-nonsense", "x")
	if code := exitCode(err); code != 2 || !strings.Contains(stderr, "flag provided but not defined: -nonsense") {
		t.Errorf("code %d: %s", code, stderr)
	}
	if _, stderr, err = ours(t); exitCode(err) != 2 || !strings.Contains(stderr, "no profile given") {
		t.Errorf("%v: %s", err, stderr)
	}
	if _, stderr, err = ours(t, "-top", "/nonexistent/file"); exitCode(err) != 2 {
		t.Errorf("%v: %s", err, stderr)
	}
}

// TestExitCodes checks that the exit codes are those of go tool pprof.
func TestExitCodes(t *testing.T) {
	fx := need(t)
	tool := theirs()
	if tool == "" {
		t.Skip("no go tool pprof")
	}
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(broken, []byte("not a profile"), 0o600); err != nil {
		t.Fatal(err)
	}
	seen := map[int]int{}
	for _, args := range [][]string{
		{},
		{"-h"},
		{"--help"},
		{"-nonsense", fx.cpu},
		{"-top", "-nodecount=x", fx.cpu},
		{"-top", "-tree", fx.cpu},
		{"-top", fx.cpu},
		{"-top", "-unit=nonsense", fx.cpu},
		{"-top", "-focus=nothing-matches", fx.cpu},
		{"-top", "-focus=(", fx.cpu},
		{"-top", "-tagfocus=(", fx.cpu},
		{"-list=nothing-matches", fx.cpu},
		{"-peek=nothing-matches", fx.cpu},
		{"-list=(", fx.cpu},
		{"-disasm=nothing-matches", fx.bin, fx.cpu},
		{"-top", "-sample_index=nonsense", fx.cpu},
		{"-top", "-granularity=nonsense", fx.cpu},
		{"-top", "-divide_by=0", fx.cpu},
		{"-top", "/nonexistent/file"},
		{"-top", broken},
		{"-top", fx.cpu, "/nonexistent/file"},
		{"-top", "-base=/nonexistent/file", fx.cpu},
		{"-top", "-base=" + fx.cpu, "-diff_base=" + fx.cpu, fx.cpu},
		{"-normalize", "-top", fx.cpu},
		{"-top", "-output=/nonexistent/directory/out", fx.cpu},
		{"-top", "http://127.0.0.1:1/debug/pprof/profile"},
		{"-top", "-http=127.0.0.1:0", fx.cpu},
	} {
		_, oursErr, err := ours(t, args...)
		got := exitCode(err)
		_, theirsErr, err := run(t, exec.Command(tool, args...))
		want := exitCode(err)
		if got != want {
			t.Errorf("%q: exit code %d, go tool pprof has %d\n%s\n%s", args, got, want, oursErr, theirsErr)
		}
		seen[want]++
	}
	if seen[0] == 0 || seen[2] == 0 {
		t.Errorf("exit codes of go tool pprof: %v", seen)
	}
}

func exitCode(err error) int {
	if ee, ok := errors.AsType[*exec.ExitError](err); ok {
		return ee.ExitCode()
	}
	return 0
}

// record makes a recording of the fixture on "another machine": source and code
// are only in the recording.
func record(t *testing.T, fx fixture) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "run.whet")
	w, err := recording.Create(file, recording.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(fx.cpu)
	if err != nil {
		t.Fatal(err)
	}
	const elsewhere = "nowhere/build"
	data = moved(t, data, fx.dir, "/"+elsewhere)
	if err := w.AddRawProfile("cpu", data, recording.Part{}); err != nil {
		t.Fatal(err)
	}
	if err := w.AddSource("/"+elsewhere+"/main.go", []byte(program)); err != nil {
		t.Fatal(err)
	}
	b, err := objfile.Open(fx.bin)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	fns, err := b.Functions()
	if err != nil {
		t.Fatal(err)
	}
	var addrs []uint64
	for _, f := range fns {
		if strings.HasPrefix(f.Name, "main.") {
			addrs = append(addrs, f.Addr)
		}
	}
	code, err := objfile.ExtractCode(b, addrs)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add(recording.Part{Name: recording.CodePart}, code); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(recording.Meta{Version: recording.Version}); err != nil {
		t.Fatal(err)
	}
	return file
}

// moved changes the paths of the binary and source in a profile.
func moved(t *testing.T, data []byte, old, replacement string) []byte {
	t.Helper()
	p, err := gprofile.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range p.Mapping {
		m.File = strings.Replace(m.File, old, replacement, 1)
	}
	for _, f := range p.Function {
		f.Filename = strings.Replace(f.Filename, old, replacement, 1)
	}
	var buf bytes.Buffer
	if err := p.Write(&buf); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestRecording(t *testing.T) {
	fx := need(t)
	file := record(t, fx)
	want, _, err := ours(t, "-top", "-nodecount=5", fx.cpu)
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(want, "flat%")
	got, stderr, err := ours(t, "-top", "-nodecount=5", file)
	if err != nil || !strings.Contains(got, rows) {
		t.Errorf("%v\n%s\n%s", err, got, stderr)
	}
	got, stderr, err = ours(t, "-list", `main\.work`, file+":cpu")
	if err != nil || !strings.Contains(got, "sum += square(len(s))") {
		t.Errorf("source from the recording: %v\n%s\n%s", err, got, stderr)
	}
	got, stderr, err = ours(t, "-disasm", `main\.work`, file)
	if err != nil || !strings.Contains(got, "ROUTINE ======================== main.work") ||
		!strings.Contains(got, "sort.Sort(SB)") {
		t.Errorf("code from the recording: %v\n%.600s\n%s", err, got, stderr)
	}
	_, stderr, err = ours(t, "-top", file+":heap")
	if exitCode(err) != 2 || !strings.Contains(stderr, `no profile "heap"`) {
		t.Errorf("%v\n%s", err, stderr)
	}
}

func TestFetchURL(t *testing.T) {
	fx := need(t)
	data, err := os.ReadFile(fx.cpu)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/debug/pprof/profile" || r.URL.Query().Get("seconds") != "3" ||
			r.Header.Get("Authorization") != "Bearer secret" {
			w.Header().Set("X-Go-Pprof", "1")
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			http.Error(w, "not for you", http.StatusUnauthorized)
			return
		}
		_, _ = w.Write(data)
	}))
	defer srv.Close()
	addr := strings.TrimPrefix(srv.URL, "http://")
	got, stderr, err := ours(t, "-top", "-seconds=3", "-H", "Authorization: Bearer secret", addr)
	if err != nil || !strings.Contains(got, "main.square") ||
		!strings.Contains(stderr, "Fetching profile over HTTP from http://"+addr+"/debug/pprof/profile?seconds=3") {
		t.Errorf("%v\n%.300s\n%s", err, got, stderr)
	}
	_, stderr, err = ours(t, "-top", addr)
	if exitCode(err) != 2 || !strings.Contains(stderr, "not for you") {
		t.Errorf("%v\n%s", err, stderr)
	}
}

// TestExposed checks that pages are not served at addresses that others can connect to.
func TestExposed(t *testing.T) {
	fx := need(t)
	for _, addr := range []string{"0.0.0.0:0", "192.0.2.1:8080", "[::]:0"} {
		_, stderr, err := ours(t, "-http="+addr, "-no_browser", fx.cpu)
		if exitCode(err) != 2 || !strings.Contains(stderr, "not on the loopback interface") ||
			!strings.Contains(stderr, "hint: others could read") {
			t.Errorf("%s: %v\n%s", addr, err, stderr)
		}
	}
}

// TestRedirect checks that headers, and requests for symbols, are not sent to other hosts.
func TestRedirect(t *testing.T) {
	fx := need(t)
	data, err := os.ReadFile(fx.cpu)
	if err != nil {
		t.Fatal(err)
	}
	p, err := gprofile.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	// Without names, so that the driver requests symbols.
	for _, l := range p.Location {
		l.Line = nil
	}
	p.Function = nil
	for _, m := range p.Mapping {
		m.HasFunctions, m.File, m.BuildID = false, "/nowhere/app", ""
	}
	var bare bytes.Buffer
	if err := p.Write(&bare); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var reached []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		reached = append(reached, fmt.Sprint(r.Method, " ", r.URL, " ", r.Header))
		mu.Unlock()
		_, _ = w.Write(data)
	}))
	defer other.Close()
	mux := http.NewServeMux()
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusFound)
	})
	mux.HandleFunc("/debug/pprof/profile", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(bare.Bytes()) })
	mux.HandleFunc("/debug/pprof/symbol", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/symbols", http.StatusTemporaryRedirect)
	})
	first := httptest.NewServer(mux)
	defer first.Close()

	_, stderr, err := ours(t, "-top", "-H", "Authorization: Bearer secret", first.URL+"/moved")
	if err == nil || !strings.Contains(stderr, "redirects to another host, port or scheme") ||
		!strings.Contains(stderr, "hint: headers, tokens") {
		t.Errorf("%v\n%s", err, stderr)
	}
	if _, stderr, err := ours(t, "-top", "-symbolize=remote", "-H", "X-Key: secret",
		first.URL+"/debug/pprof/profile"); err == nil || !strings.Contains(stderr, "/symbols\": redirects to another host") {
		t.Errorf("%v\n%s", err, stderr)
	}
	mu.Lock()
	if len(reached) > 0 {
		t.Errorf("the other host got %q", reached)
	}
	mu.Unlock()
	if out, stderr, err := ours(t, "-top", first.URL+"/moved"); err != nil || !strings.Contains(out, "main.square") {
		t.Errorf("without a secret: %v\n%s", err, stderr)
	}
}
