package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/whet-go/whet/internal/hostile"
)

// generate is the environment variable with the directory that this test binary fills with hostile
// files. It does so in a separate process, because Linux counts the memory of a process towards
// that of the processes that it starts.
const generate = "WHET_HOSTILE_GENERATE"

// measured is the environment variable with the file to which this test binary, run with a command
// as its arguments, writes the resources that the command used. The intermediate process has the
// same reason.
const measured = "WHET_HOSTILE_MEASURED"

// wall ends a process that waits forever. The actual limit is on CPU time, which does not depend on
// how busy the machine is.
const wall = 10 * time.Minute

var whet string // the binary

func TestMain(m *testing.M) {
	if dir := os.Getenv(generate); dir != "" {
		if err := write(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if name := os.Getenv(service); name != "" {
		os.Exit(serve(name, os.Args[1:]))
	}
	if file := os.Getenv(measured); file != "" {
		os.Exit(measure(file, os.Args[1:]))
	}
	os.Exit(run(m))
}

// usage is the resources that a process used.
type usage struct {
	Code   int
	Memory int64
	CPU    time.Duration
}

// measure runs a command. Interrupts are only for the command.
func measure(file string, args []string) int {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err := cmd.Run()
	r, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		fmt.Fprintln(os.Stderr, "whet did not run:", err)
		return 99
	}
	u := usage{cmd.ProcessState.ExitCode(), r.Maxrss << 10, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	data, err := json.Marshal(u)
	if err == nil {
		err = os.WriteFile(file, data, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 99
	}
	return 0
}

// used returns what measure wrote.
func used(file string) (u usage, err error) {
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &u)
	}
	return u, err
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "whet-hostile-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	whet = filepath.Join(dir, "whet")
	build := exec.Command("go", "build", "-o", whet, "github.com/whet-go/whet/cmd/whet")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build whet: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// write writes the hostile files.
func write(dir string) error {
	if _, err := hostile.Files(dir); err != nil {
		return err
	}
	for name, make := range hostile.Traces() {
		if err := os.WriteFile(filepath.Join(dir, name), make(), 0o600); err != nil {
			return err
		}
	}
	real, err := filepath.Glob("../../../internal/trace/testdata/go1.2[0-9].trace")
	if err != nil || len(real) == 0 {
		return fmt.Errorf("no traces to damage: %w", err)
	}
	for _, name := range real {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for n := range uint64(flips) {
			name := fmt.Sprintf("flipped-%d-%s", n, filepath.Base(name))
			if err := os.WriteFile(filepath.Join(dir, name), hostile.Flipped(data, n), 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// flips is how many times each real trace is damaged.
const flips = 4

// sample is how many probes of files and servers there are for each that runs with -short.
const sample = 18

// chosen reports whether a probe runs: all do, or with -short a fixed sample.
func chosen(input, command int) bool { return !testing.Short() || (input+command)%sample == 0 }

// files are the hostile files, in a directory.
func files(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), generate+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// A capped buffer holds the first bytes of what is written.
type capped struct {
	bytes.Buffer
	more int
}

const maxOutput = 32 << 20

func (c *capped) Write(p []byte) (int, error) {
	n := min(len(p), maxOutput-c.Len())
	c.more += len(p) - n
	_, _ = c.Buffer.Write(p[:n]) // it does not fail
	return len(p), nil
}

// homeless is an environment with a new home directory, for a process that leaves nothing running there.
func homeless(t *testing.T) []string {
	t.Helper()
	home := t.TempDir()
	t.Cleanup(func() { removeAll(t, home) })
	config := filepath.Join(home, ".config")
	telemetry := filepath.Join(config, "go", "telemetry")
	// In a new home the go command starts a process for its telemetry that outlives it and
	// writes there while the directory is removed.
	err := os.MkdirAll(telemetry, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(telemetry, "mode"), []byte("off"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+config, "XDG_CACHE_HOME="+home, "TMPDIR="+home)
}

// removeAll removes a directory in which a process that was just killed may still write. The cleanup of t.TempDir
// tries once.
func removeAll(t *testing.T, dir string) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		err := os.RemoveAll(dir)
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Error(err)
			return
		}
	}
}

// A probe runs whet on hostile input.
type probe struct {
	args   []string
	dir    string
	bad    bool // the input is: the exit code is not 0
	memory int64
}

// ended is how whet ended.
type ended struct {
	code           int
	stdout, stderr string
	memory         int64
	cpu, took      time.Duration
}

// holds runs a probe and fails the test if it does something that it must not do.
func holds(t *testing.T, p probe) ended {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wall)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, self, append([]string{whet}, p.args...)...)
	file := filepath.Join(t.TempDir(), "usage")
	cmd.Dir = p.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Env = append(homeless(t), measured+"="+file, "BROWSER=true")
	cmd.WaitDelay = time.Minute
	var out, errs capped
	cmd.Stdout, cmd.Stderr = &out, &errs
	begin := time.Now()
	err = cmd.Run()
	var u usage
	if ctx.Err() == nil {
		var uerr error
		if u, uerr = used(file); uerr != nil {
			t.Fatalf("whet %q: %v; %s", p.args, uerr, short(errs.String()))
		}
	}
	e := ended{u.Code, out.String(), errs.String(), u.Memory, u.CPU, time.Since(begin)}
	problem := func(format string, args ...any) {
		t.Helper()
		t.Errorf("whet %q: %s\nexit code %d, %d MB, CPU %v, %v; %q", p.args, fmt.Sprintf(format, args...), e.code,
			e.memory>>20, e.cpu, e.took, short(e.stderr))
	}
	memory := int64(hostile.BoundMemory)
	if p.memory > 0 {
		memory = p.memory
	}
	switch {
	case ctx.Err() != nil:
		problem("does not end")
	case e.code < 0 || e.code > 3 || errors.Is(err, exec.ErrWaitDelay):
		problem("ends with %v", err)
	case p.bad && e.code == 0:
		problem("ends as if the input were good")
	case e.code != 0 && e.stderr == "":
		problem("does not say why it fails")
	}
	if e.memory > memory {
		problem("takes %d MB of memory", e.memory>>20)
	}
	if e.cpu > hostile.BoundSeconds*time.Second {
		problem("takes %v of CPU time", e.cpu)
	}
	for _, text := range []string{"panic:", "fatal error:", "goroutine 1 [", "runtime error", "internal error"} {
		if strings.Contains(e.stderr, text) {
			problem("says %q", text)
		}
	}
	if strings.Contains(e.stdout+e.stderr, hostile.Secret) {
		problem("shows the token")
	}
	if len(e.stderr) > 64<<10 {
		problem("says %d bytes of errors", len(e.stderr)+errs.more)
	}
	if bad := unprintable(e.stderr); bad != "" {
		problem("writes %s to standard error", bad)
	}
	asJSON := json.Valid(out.Bytes()) || slices.Contains(p.args, "events")
	if bad := unprintable(e.stdout); bad != "" && !asJSON {
		problem("writes %s to standard output", bad)
	}
	return e
}

func short(s string) string { return s[:min(len(s), 600)] }

// unprintable returns the first part of a text that would control a terminal; "" if there is none.
func unprintable(s string) string {
	for i, r := range s {
		bad := r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f || r >= 0x200b && r <= 0x200f ||
			r >= 0x2028 && r <= 0x202e ||
			r >= 0x2060 && r <= 0x206f || r == 0x00ad || r == 0x061c || r == 0xfeff
		if r == utf8.RuneError {
			_, size := utf8.DecodeRuneInString(s[i:])
			bad = size == 1
		}
		if bad {
			return fmt.Sprintf("%U in %q", r, s[max(0, i-40):min(len(s), i+20)])
		}
	}
	return ""
}

// atOnce bounds how many processes run at a time.
var atOnce = make(chan struct{}, 4)

// each runs a probe as a subtest.
func each(t *testing.T, name string, p probe) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		atOnce <- struct{}{}
		defer func() { <-atOnce }()
		e := holds(t, p)
		t.Logf("exit code %d, %d MB, CPU %v", e.code, e.memory>>20, e.cpu)
	})
}

// TestProfiles passes hostile profiles and recordings to every command that reads them.
func TestProfiles(t *testing.T) {
	t.Parallel()
	dir := files(t)
	commands := [][]string{
		{"top"},
		{"tree"},
		{"peek", "."},
		{"list", "."},
		{"disasm", "."},
		{"traces"},
		{"tags"},
		{"flame", "-o", "-"},
		{"graph", "-o", "-"},
		{"goroutines"},
		{"memory"},
		{"folded"},
		{"raw"},
		{"callgrind"},
		{"speedscope"},
		{"top", "--json"},
		{"pprof", "-top"},
		{"pprof", "-traces"},
		{"pprof", "-raw"},
		{"pprof", "-list", "."},
		{"pprof", "-callgrind"},
		{"pprof", "-tree", "-lines"},
		{"find"},
		{"fix"},
		{"pgo"},
		{"load", "compare"},
		{"trace", "summary"},
	}
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range names {
		if strings.HasSuffix(f.Name(), ".trace") {
			continue
		}
		for j, c := range commands {
			if !chosen(i, j) {
				continue
			}
			each(t, f.Name()+"/"+strings.Join(c, " "), probe{args: append(slices.Clone(c), f.Name()), dir: dir})
		}
		if chosen(i, len(commands)) {
			each(t, f.Name()+"/diff", probe{args: []string{"diff", f.Name(), f.Name()}, dir: dir})
		}
	}
	t.Cleanup(func() {
		for _, at := range []string{"/", dir, filepath.Dir(dir), filepath.Dir(filepath.Dir(dir)), os.TempDir()} {
			if _, err := os.Lstat(filepath.Join(at, hostile.Escape)); err == nil {
				t.Errorf("a part of a recording was written to %s", at)
			}
		}
	})
}

// TestTraces passes hostile traces to every command that reads them.
func TestTraces(t *testing.T) {
	t.Parallel()
	dir := files(t)
	commands := [][]string{
		{"trace", "index"},
		{"trace", "summary"},
		{"trace", "goroutines"},
		{"trace", "contention"},
		{"trace", "requests"},
		{"trace", "events"},
		{"trace", "cut", "--to", "1ms", "-o", "/dev/null", "--force"},
		{"trace", "profile", "sync", "-o", "/dev/null", "--force"},
		{"trace", "export", "--chrome", "/dev/null", "--force"},
		{"goroutines"},
		{"top"},
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.trace"))
	if err != nil || len(names) < len(hostile.Traces())+flips {
		t.Fatalf("traces %q, %v", names, err)
	}
	for i, name := range names {
		name = filepath.Base(name)
		for j, c := range commands {
			if !chosen(i, j) {
				continue
			}
			each(t, name+"/"+strings.Join(c, " "), probe{args: append(slices.Clone(c), name), dir: dir})
		}
	}
}

// secondHost is a host that must not receive the token, and a file with that token.
func secondHost(t *testing.T) (other *hostile.Server, token string) {
	t.Helper()
	other, err := hostile.Serve("127.0.0.2:0", func(net.Conn, string) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		other.Close()
		if n := other.Stolen.Load(); n > 0 {
			t.Errorf("another host got %d requests with the token", n)
		}
	})
	token = filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(hostile.Secret), 0o600); err != nil {
		t.Fatal(err)
	}
	return other, token
}

// TestServers has servers that answer every command that queries one.
func TestServers(t *testing.T) {
	t.Parallel()
	other, token := secondHost(t)
	const (
		authorization = "Authorization: Bearer " + hostile.Secret
		custom        = "X-Key: " + hostile.Secret
		cookie        = "Cookie: session=" + hostile.Secret
	)
	answers := hostile.Answers(other.URL())
	for i, name := range slices.Sorted(maps.Keys(answers)) {
		s, err := hostile.Serve("127.0.0.1:0", answers[name])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		url := s.URL()
		base := url + "/debug/pprof/"
		for j, c := range [][]string{
			{"top", "--duration", "1s", "-H", authorization, base},
			{"top", "-H", authorization, base + "heap"},
			{"pprof", "-top", "-timeout", "5", "-H", authorization, base + "heap"},
			{"pprof", "-top", "-timeout", "5", "-H", custom, "-H", cookie, base + "heap"},
			{"goroutines", "-H", authorization, base},
			{"memory", "-H", authorization, base},
			{"trace", "summary", "--seconds", "1s", "-H", authorization, base},
			{"pprof", "-top", "-timeout", "5", base + "heap"},
			{"record", "-d", "1s", "--trace", "500ms", "--token-file", token, "-o", filepath.Join(t.TempDir(), "x.whet"), base},
			{"record", "--flight", "--token-file", token, "-o", filepath.Join(t.TempDir(), "x.whet"), base},
			{"watch", "--slower", "1s", "--max", "1", "--token-file", token, "-o", t.TempDir(), base},
			{"load", "-d", "1s", "-c", "2", "--timeout", "2s", "--token-file", token, url},
			{"load", "-d", "1s", "-c", "2", "--timeout", "2s", "--http2", "--token-file", token, url},
		} {
			if !chosen(i, j) {
				continue
			}
			// A recording has what was available, and lists what was not.
			bad := c[0] != "load" && c[0] != "record" && name != "texts" && name != "trace" && name != "samples"
			each(t, name+"/"+strings.Join(c[:2], " "), probe{args: c, dir: t.TempDir(), bad: bad})
		}
		for _, c := range [][]string{
			{"top", "-H", custom, "-H", cookie, base + "heap"},
			{"record", "-d", "1s", "--trace", "0", "-H", custom, "-H", cookie, "-o", filepath.Join(t.TempDir(), "x.whet"), base},
			{"load", "-d", "1s", "-c", "1", "--timeout", "2s", "-H", custom, "-H", cookie, url},
			{"watch", "--slower", "1s", "--max", "1", "-H", custom, "-H", cookie, "-o", t.TempDir(), base},
			{"trace", "summary", "--seconds", "1s", "-H", custom, "-H", cookie, base},
			{"goroutines", "-H", custom, "-H", cookie, base},
			{"memory", "-H", custom, "-H", cookie, base},
		} {
			if strings.HasPrefix(name, "redirect") {
				each(t, name+"/"+c[0]+" with a header", probe{args: c, dir: t.TempDir()})
			}
		}
	}
	listed(t, token, other.URL())
	for name, answer := range hostile.Agents(other.URL()) {
		s, err := hostile.Serve("127.0.0.1:0", answer)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		for _, c := range [][]string{
			{"watch", "--slower", "1s", "--max", "1", "--token-file", token, "-o", t.TempDir(), s.URL()},
			{"record", "--flight", "--token-file", token, "-o", filepath.Join(t.TempDir(), "x.whet"), s.URL()},
		} {
			each(t, name+"/"+c[0], probe{args: c, dir: t.TempDir(), bad: name != "agent, trace"})
		}
	}
}

// listed has servers that list their handlers like net/http/pprof, and answer everything else in
// hostile ways: truncated answers are not in the recording, and it ends soon after its window.
func listed(t *testing.T, token, other string) {
	t.Helper()
	for name, answer := range hostile.Answers(other) {
		s, err := hostile.Serve("127.0.0.1:0", hostile.Listed(answer))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		dir := t.TempDir()
		base := s.URL() + "/debug/pprof/"
		for as, c := range map[string][]string{
			"record": {
				"record", "-d", "1s", "--trace", "500ms", "--grace", "6s", "--token-file", token, "-o",
				filepath.Join(dir, "x.whet"), base,
			},
			"flight": {"record", "--flight", "--grace", "6s", "--token-file", token, "-o", filepath.Join(dir, "y.whet"), base},
		} {
			if testing.Short() && !slices.Contains([]string{
				"endless", "endless profile", "endless trace", "drip",
				"redirect", "samples",
			}, name) {
				continue
			}
			each(t, "listed, "+name+"/"+as, probe{args: c, dir: dir})
		}
		t.Cleanup(func() {
			left, err := filepath.Glob(filepath.Join(dir, ".whet-*"))
			if err != nil || len(left) > 0 {
				t.Errorf("%s: %q is left, %v", name, left, err)
			}
		})
	}
}
