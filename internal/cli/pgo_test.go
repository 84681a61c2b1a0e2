package cli_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/whet-go/whet/pgo"
	"github.com/whet-go/whet/service"
)

// pgoModule returns a module with the calls of the program that was profiled in
// ../../pgo/testdata/hot.pb.gz, and the path of the profile.
func pgoModule(t *testing.T) (dir, profile string) {
	t.Helper()
	profile, err := filepath.Abs("../../pgo/testdata/hot.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/hot\n\ngo 1.24\n",
		"main.go": `package main

import "example.com/hot/sum"

func main() {
	println(sum.Of([]uint64{1, 2}, &sum.Mixer{}))
}
`,
		"sum/sum.go": `package sum

type Step interface{ Do(a, b uint64) uint64 }

type Mixer struct{}

func (*Mixer) Do(a, b uint64) uint64 { return a + b }

//go:noinline
func Of(all []uint64, step Step) uint64 {
	var out uint64
	for _, v := range all {
		out = step.Do(out, v)
	}
	return out
}
`,
		"sum/sum_test.go": `package sum

import "testing"

func BenchmarkOf(b *testing.B) {
	all := make([]uint64, 64)
	for b.Loop() {
		Of(all, &Mixer{})
	}
}
`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, profile
}

// TestPGO compares by a benchmark. Whether the profile pays off depends on the machine, but the
// written file, the report and the exit code must agree.
func TestPGO(t *testing.T) {
	dir, profile := pgoModule(t)
	args := []string{"pgo", "--dir", dir, "--build-time=false", "--max-time", "2s", "--json", profile}
	code, stdout, stderr := runWhet(t, args...)
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	var res pgo.Result
	if err := json.Unmarshal([]byte(stdout), &res); err != nil {
		t.Fatal(err)
	}
	if res.Schema != pgo.Schema || res.Comparison == nil || len(res.Comparison.Subjects) != 1 ||
		res.Comparison.Subjects[0].Pairs == 0 ||
		res.Comparison.Sides != [2]string{"without the profile", "with the profile"} {
		t.Errorf("%+v", res)
	}
	written := filepath.Join(dir, "default.pgo")
	fi, err := os.Stat(written)
	switch {
	case res.Pays && (err != nil || fi.Size() != res.Profile.Bytes || res.Written == ""):
		t.Errorf("it pays, but %s: %v", written, err)
	case !res.Pays && (err == nil || res.Written != ""):
		t.Errorf("it does not pay, and was written: %q", res.Written)
	}
	if !strings.Contains(stderr, "warning: the profile has only 30 samples") {
		t.Errorf("stderr: %s", stderr)
	}

	if err := os.WriteFile(written, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr = runWhet(t, args...)
	if code != 1 || !strings.Contains(stderr, "default.pgo: the file exists") ||
		!strings.Contains(stderr, "hint: --force replaces it") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	if data, err := os.ReadFile(written); err != nil || string(data) != "mine" {
		t.Errorf("default.pgo is %q now: %v", data, err)
	}
}

// pgoService is a service with the calls of hot.pb.gz, which writes its process ID to a file. It
// does not use net/http, which would have to be compiled again with the profile.
const pgoService = `package main

import (
	"bufio"
	"net"
	"os"
	"strconv"

	"example.com/hot/sum"
)

func main() {
	if err := os.WriteFile(os.Getenv("PIDS")+"/"+strconv.Itoa(os.Getpid()), nil, 0o600); err != nil {
		panic(err)
	}
	l, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		panic(err)
	}
	for {
		conn, err := l.Accept()
		if err != nil {
			panic(err)
		}
		go serve(conn)
	}
}

func serve(conn net.Conn) {
	defer conn.Close()
	all := make([]uint64, 1000)
	for r := bufio.NewReader(conn); ; {
		for line := "-"; line != "\r\n"; {
			var err error
			if line, err = r.ReadString('\n'); err != nil {
				return
			}
		}
		answer := strconv.FormatUint(sum.Of(all, &sum.Mixer{}), 10)
		conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: " + strconv.Itoa(len(answer)) + "\r\n\r\n" + answer))
	}
}
`

// TestPGOService compares by a service under load, in a module without benchmarks: the last
// example of the help, shortened.
func TestPGOService(t *testing.T) {
	dir, profile := pgoModule(t)
	if err := os.Remove(filepath.Join(dir, "sum", "sum_test.go")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(pgoService), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	pids := t.TempDir()
	_, help, _ := runWhet(t, "pgo", "--help")
	examples := exampleLines(help)
	example := strings.NewReplacer(
		"cpu.whet", profile, "-addr {addr}", "PIDS="+pids+" {addr}",
	).Replace(examples[len(examples)-1])
	args := append(shellFields(example)[1:], "--build-time=false", "--slice", "20ms", "--warmup", "10ms", "-c", "2")

	var code int
	var stdout, stderr string
	var res pgo.Result
	longEnough(time.Second, func(d time.Duration) bool {
		for _, name := range []string{pids, "default.pgo"} { // of the time before
			if err := os.RemoveAll(name); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Mkdir(pids, 0o700); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr = runWhet(t, append(args, "--max-time", d.String(), "--json")...)
		res = pgo.Result{}
		if err := json.Unmarshal([]byte(stdout), &res); code != 0 || err != nil {
			t.Fatalf("exit code %d, %v\n%s", code, err, stderr)
		}
		return res.Comparison == nil || len(res.Comparison.Subjects) != 1 || res.Comparison.Subjects[0].Pairs >= 2
	})
	c := res.Comparison
	if c == nil || c.Unit != service.UnitCPU || c.Precision != 0.02 || len(c.Subjects) != 1 ||
		c.Subjects[0].Pairs < 2 || res.Gain == nil || res.Gain.Unit != c.Unit {
		t.Fatalf("%+v", res)
	}
	if u := c.Subjects[0].Units[0]; u.Unit != service.UnitCPU || !(u.A.Median > 0 && u.B.Median > 0) ||
		len(c.Subjects[0].Units) < 4 {
		t.Errorf("%+v", c.Subjects[0])
	}
	if _, err := os.Stat("default.pgo"); res.Pays != (err == nil) {
		t.Errorf("pays: %v, default.pgo: %v", res.Pays, err)
	}
	if !strings.Contains(stderr, "A: no allocs/req: no pprof handlers") {
		t.Errorf("stderr: %s", stderr)
	}

	started, err := os.ReadDir(pids)
	if err != nil || len(started) != 2 {
		t.Fatalf("%v were started: %v", started, err)
	}
	for _, e := range started {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		p, err := os.FindProcess(pid)
		if err != nil || !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone) {
			t.Errorf("process %s is there still (%v)", e.Name(), err)
		}
	}

	// Commands that are invalid, do not start, or refuse their requests.
	code, stdout, stderr = runWhet(t, append(args, "./sum")...)
	if code != 2 || stdout != "" ||
		!strings.Contains(stderr, "whet: compare: a library has no program to start\nhint: name the main package") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr = runWhet(t, "pgo", profile, "--build-time=false", "--service", "PIDS=/absent {addr}",
		"--load", "http://{addr}/", "--dry-run")
	if code != 1 || stdout != "" || !strings.Contains(stderr, "whet: A: run ") ||
		!strings.Contains(stderr, "open /absent/") || !strings.Contains(stderr, "hint: --service takes the arguments") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if err := os.WriteFile(
		"main.go", []byte(strings.Replace(pgoService, "200 OK", "404 Not Found", 1)), 0o600,
	); err != nil {
		t.Fatal(err)
	}
	if !longEnough(50*time.Millisecond, func(d time.Duration) bool {
		code, stdout, stderr = runWhet(t, append(args, "--max-time", d.String(), "--dry-run")...)
		return code == 1 && stdout == "" && strings.Contains(stderr, "whet: compare under load: A failed ") &&
			strings.Contains(stderr, "hint: failed requests cost less")
	}) {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestPGONoMeasure runs without measuring, in a module that has a default.pgo.
func TestPGONoMeasure(t *testing.T) {
	dir, profile := pgoModule(t)
	if err := os.WriteFile(filepath.Join(dir, "default.pgo"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	code, stdout, stderr := runWhet(t, "pgo", "--no-measure", "--build-time=false", profile, ".")
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	for _, want := range []string{
		"example.com/hot\n", "profile of a program: 30 samples",
		"sum.mix is gone", "devirtualized  sum.Of → sum.(*Mixer).Do",
		"There is already a default.pgo of 4B", "-pgo=off", "Nothing was written.",
	} {
		if !strings.Contains(strings.Join(strings.Fields(stdout), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	code, stdout, stderr = runWhet(t, "pgo", "--no-measure", "--build-time=false", "--format", "markdown", profile)
	if code != 0 || !strings.HasPrefix(stdout, "## PGO: `example.com/hot`\n") ||
		!strings.Contains(stdout, "|--:|--:|---|\n") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if err := os.WriteFile("main.go", []byte("package main\n\nfunc main() { nothing() }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr = runWhet(t, "pgo", "--no-measure", profile)
	if code != 1 || !strings.Contains(stderr, "main.go:3:15: undefined: nothing") ||
		!strings.Contains(stderr, "hint: `go build` shows the same") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

// TestPGOInput truncates the profile at every relevant position.
func TestPGOInput(t *testing.T) {
	dir, profile := pgoModule(t)
	data, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.pb.gz")
	for n := 0; n < len(data); n += 97 {
		if err := os.WriteFile(cut, data[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if code, stdout, stderr := runWhet(t, "pgo", "--dir", dir, cut); code != 1 || stdout != "" ||
			!strings.HasPrefix(stderr, "whet: read "+cut) {
			t.Errorf("%d bytes: exit code %d\n%s%s", n, code, stdout, stderr)
		}
	}
}
