package cli_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/collect/documents"
	"github.com/whet-go/whet/recording"
)

const recordServer = `package main

import (
	"log"
	"net"
	"net/http"
	_ "net/http/pprof"
)

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	log.Println("listening")
	go func() {
		for {
			burn()
		}
	}()
	log.Fatal(http.Serve(l, nil))
}

//go:noinline
func burn() (x int) {
	for i := range 1000 {
		x += i
	}
	return x
}
`

const recordBench = `package main

import "testing"

func BenchmarkBurn(b *testing.B) { for b.Loop() { burn() } }
func BenchmarkBad(b *testing.B) { b.Fatal("bad") }
`

// recordModule writes a server with benchmarks, builds it as ./server and changes to its directory.
func recordModule(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"go.mod": "module example.com/server\n\ngo 1.24\n", "main.go": recordServer, "main_test.go": recordBench,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("go", "build", "-o", "server", ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func TestRecordCommand(t *testing.T) {
	recordModule(t)
	var code int
	var stdout, stderr, recorded, logged string
	if !longEnough(time.Second, func(d time.Duration) bool {
		code, recorded, logged = runWhet(t, "record", "-o", "r.whet", "-d", d.String(), "--trace", "500ms", "--", "./server")
		if code != 0 {
			t.Fatalf("exit code %d\n%s", code, logged)
		}
		code, stdout, stderr = runWhet(t, "top", "r.whet")
		return code == 0 && strings.Contains(stdout, "main.burn")
	}) {
		t.Errorf("whet top: exit code %d\n%s%s", code, stdout, stderr)
	}
	for _, want := range []string{
		"r.whet", "module example.com/server", "cpu, goroutine", "trace of 500ms",
		"runtime.SetBlockProfileRate(10000)", "next: whet top r.whet",
	} {
		if !strings.Contains(recorded, want) {
			t.Errorf("output lacks %q:\n%s", want, recorded)
		}
	}
	if !strings.Contains(logged, "target| ") || strings.Contains(logged, "\x1b") {
		t.Errorf("stderr:\n%s", logged)
	}
}

func TestRecordBench(t *testing.T) {
	recordModule(t)
	code, stdout, stderr := runWhet(t, "record", ".", "-bench", "Burn", "-benchtime=50ms", "-o", "b.whet", "--json")
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	var doc documents.Record
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil || doc.Schema != documents.RecordSchema ||
		doc.Meta.Target.Kind != recording.Bench || doc.Bytes == 0 {
		t.Errorf("%v\n%s", err, stdout)
	}
	code, stdout, stderr = runWhet(t, "record", ".", "--bench", ".", "--benchtime", "50ms", "-o", "b.whet")
	if code != 1 || !strings.Contains(stdout, "cpu") || !strings.Contains(stderr, "failed: BenchmarkBad") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestRecordErrors checks that each of several failures has its own hint, which may have several lines.
func TestRecordErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"go.mod":              "module example.com/m\n\ngo 1.24\n",
		"bad/bad_test.go":     "package bad\n\nimport \"testing\"\n\nfunc BenchmarkX(b *testing.B) { undefined() }\n",
		"worse/worse_test.go": "package worse\n\nimport \"testing\"\n\nfunc BenchmarkX(b *testing.B) { undefined() }\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, _, stderr := runWhet(t, "record", "./...", "--bench", ".", "-o", "b.whet")
	for _, want := range []string{
		"undefined: undefined", "hint: `go vet example.com/m/bad` ", "hint: `go vet example.com/m/worse` ",
	} {
		if code != 1 || !strings.Contains(stderr, want) || strings.Contains(stderr, "\ufffd") {
			t.Errorf("exit code %d, want %q in\n%s", code, want, stderr)
		}
	}
}

// TestCutShort checks that the reason is given if a recording ends before the first profile.
func TestCutShort(t *testing.T) {
	t.Chdir(t.TempDir())
	w, err := recording.Create("r.whet", recording.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Abort() }()
	code, _, stderr := runWhet(t, "top", "r.whet"+recording.PartialSuffix)
	if code != 1 || !strings.Contains(stderr, "contains no profile: recording is cut short") ||
		!strings.Contains(stderr, recording.MetaPart) {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

func TestRecordUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("empty", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args string
		hint string
	}{
		{"", "whet record http"},
		{"http://127.0.0.1:1", "-o FILE.whet"},
		{"./stats -o x", "--bench REGEXP"},
		{"http://a http://b -o x", "one server at a time"},
		{"http://a -o x -- ./server", "one of them"},
		{"--bench . -o x -- ./server", "omit --bench"},
		{"http://a -o x --pprof-path nonsense", "/prefix"},
		{"http://a -o x --cert c", "same file"},
		{"http://a -o x -H nonsense", "Authorization"},
		{"http://a -o x --token-file empty", ""},
		{"http://a -o x -d -1s", "--duration must be positive"},
		{"http://a -o x -d 0", "--duration must be positive"},
		{"http://a -o x --bench .", "omit --bench"},
		{"http://a -o x --flight -d 5s", "leave one out"},
		{"http://a -o x --flight --load http://a/", "leave one out"},
		{"-o x --flight -- ./server", "give its address"},
		{". -o x --flight --bench .", "give its address"},
	} {
		code, stdout, stderr := runWhet(t, append([]string{"record"}, strings.Fields(tc.args)...)...)
		if code != 2 || stdout != "" ||
			tc.hint != "" && (!strings.Contains(stderr, "hint: ") || !strings.Contains(stderr, tc.hint)) {
			t.Errorf("whet record %s: exit code %d\n%s%s", tc.args, code, stdout, stderr)
		}
	}
}

// startWhet runs whet as a separate process, so that it can be sent signals.
func startWhet(t *testing.T, args ...string) (cmd *exec.Cmd, output *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	whet := filepath.Join(t.TempDir(), "whet")
	if err := os.Symlink(self, whet); err != nil {
		t.Fatal(err)
	}
	cmd, output = exec.Command(whet, args...), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, output
}

// TestRecordInterrupt sends Ctrl-C once for a target that notices the end of its request, and twice
// for one that does not.
func TestRecordInterrupt(t *testing.T) {
	for name, stubborn := range map[string]bool{"once": false, "twice": true} {
		t.Run(name, func(t *testing.T) {
			measuring, ended, release := make(chan struct{}), make(chan struct{}), make(chan struct{})
			mux := http.NewServeMux()
			mux.HandleFunc("/debug/pprof/", pprof.Index)
			mux.HandleFunc("/debug/pprof/profile", func(w http.ResponseWriter, r *http.Request) {
				close(measuring)
				if !stubborn {
					pprof.Profile(w, r)
					return
				}
				<-r.Context().Done()
				close(ended)
				<-release
			})
			srv := httptest.NewServer(mux)
			defer srv.Close()
			defer close(release)
			out := filepath.Join(t.TempDir(), "r.whet")
			cmd, output := startWhet(t, "record", srv.URL, "-o", out, "-d", "1h")
			<-measuring
			signal := func() {
				if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
					t.Fatal(err)
				}
			}
			signal()
			if stubborn {
				<-ended
				signal()
			}
			begin := time.Now()
			if err := cmd.Wait(); err != nil {
				t.Fatalf("%v\n%s", err, output)
			}
			if took := time.Since(begin); took > time.Minute { // of an hour
				t.Errorf("took %v", took)
			}
			if !strings.Contains(output.String(), "interrupted") {
				t.Errorf("output:\n%s", output)
			}
			r, err := recording.Open(out)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = r.Close() }()
			want := "cpu"
			if stubborn {
				want = "goroutine.start"
			}
			if _, err := r.Profile(want); err != nil {
				t.Error(err)
			}
		})
	}
}
