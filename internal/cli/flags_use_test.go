package cli_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/cli"
)

// TestFlagsWithoutEffect checks that a flag without effect on an input is a usage error that names the
// flag, and that it is accepted where it has one.
func TestFlagsWithoutEffect(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	server := httptest.NewServer(mux)
	defer server.Close()
	dir := t.TempDir()
	if err := writeProfiles(dir); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "cpu.pb.gz")
	stdin, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	inputs := map[string]string{
		"recording": filepath.Join(dir, "demo.whet"), "file": file, "stdin": "-",
		"heap": server.URL + "/debug/pprof/heap", "cpu": server.URL + "/debug/pprof/profile", "base": server.URL,
		"heap?seconds": server.URL + "/debug/pprof/heap?seconds=1", "builds": server.URL + "/builds/cpu.pb.gz",
	}
	const addresses, files = "heap cpu base heap?seconds builds", "recording file stdin"
	const all = addresses + " " + files
	for _, tt := range []struct {
		command string
		flag    string
		args    []string // that go with the flag
		refused string   // inputs for which it does nothing
		works   string   // inputs for which it does something
	}{
		{"top", "duration", []string{"--duration", "1s"}, files + " heap?seconds builds", "heap cpu base"},
		{"top", "header", []string{"-H", "X: y"}, files, "heap"},
		{"top", "max-memory", []string{"--max-memory", "1GB"}, "", files + " heap"},
		{"top", "relative", []string{"--relative"}, all, ""},
		{"top", "relative", []string{"--relative", "--ignore", "nothing"}, "", files},
		{"top", "normalize", []string{"--normalize"}, all, ""},
		{"top", "own", []string{"--own", "net/http", "--all"}, all, ""},
		{"top", "own", []string{"--own", "net/http", "--cum"}, all, ""},
		{"top", "own", []string{"--own", "net/http", "--by", "package"}, all, ""},
		{"top", "own", []string{"--own", "net/http", "--by", "module"}, "", files},
		{"top", "own", []string{"--own", "net/http"}, "", files},
		{"top", "own", []string{"--own", "net/http", "--mean"}, all, ""},
		{"top", "own", []string{"--own", "net/http", "--tagroot", "endpoint"}, all, ""},
		{"top", "unit", []string{"--unit", "ms", "--json"}, all, ""},
		{"top", "unit", []string{"--unit", "MB"}, files, "heap"},
		{"top", "unit", []string{"--unit", "ms"}, "heap", files},
		{"top", "unit", []string{"--type", "samples", "--unit", "ms"}, files, ""},
		{"flame", "unit", []string{"--unit", "ms"}, all, ""},
		{"folded", "unit", []string{"--unit", "ms"}, all, ""},
		{"speedscope", "unit", []string{"--unit", "ms"}, all, ""},
		{"tags", "tagroot", []string{"--tagroot", "endpoint"}, all, ""},
		{"tree", "tagroot", []string{"--tagroot", "endpoint"}, "", files},
		{"tree", "own", []string{"--own", "net/http"}, all, ""},
		{"traces", "own", []string{"--own", "net/http"}, all, ""},
		{"tags", "own", []string{"--own", "net/http"}, all, ""},
		{"folded", "own", []string{"--own", "net/http"}, all, ""},
		{"raw", "own", []string{"--own", "net/http"}, all, ""},
		{"raw", "by", []string{"--by", "line"}, all, ""},
		{"raw", "json", []string{"--json"}, all, ""},
		{"callgrind", "own", []string{"--own", "net/http"}, all, ""},
		{"speedscope", "own", []string{"--own", "net/http"}, all, ""},
		{"tree", "min-share", []string{"--json", "--min-share", "1"}, all, ""},
		{"flame", "force", []string{"--force"}, files, ""},
		{"goroutines", "header", []string{"-H", "X: y"}, files, ""},
		{"goroutines", "leaks", []string{"--leaks"}, files, ""},
		{"memory", "header", []string{"-H", "X: y"}, files, ""},
	} {
		for kind := range strings.FieldsSeq(tt.refused + " " + tt.works) {
			args := append(append([]string{tt.command}, tt.args...), inputs[kind])
			var out, errs bytes.Buffer
			code := cli.Main(t.Context(), args, bytes.NewReader(stdin), &out, &errs)
			if refuse := strings.Contains(" "+tt.refused+" ", " "+kind+" "); !refuse {
				if code != 0 {
					t.Errorf("whet %q (%s): exit code %d\n%s", args, kind, code, &errs)
				}
			} else if code != 2 || !strings.Contains(errs.String(), "--"+tt.flag) ||
				!strings.Contains(errs.String(), "\nhint: ") || out.Len() > 0 {
				t.Errorf("whet %q (%s): exit code %d, want 2, --%s named, and a hint\n%s%s", args, kind, code, tt.flag, &errs, &out)
			}
		}
	}
	// A flag for addresses may apply to one of several inputs.
	for _, args := range [][]string{
		{"top", "--duration", "1s", file, server.URL},
		{
			"top", "-H", "X: y", "--type", "alloc_space",
			"--diff-base", server.URL + "/debug/pprof/heap", filepath.Join(dir, "demo.whet"),
		},
		{"diff", "--duration", "1s", file, server.URL},
	} {
		if code, _, stderr := runWhet(t, args...); code != 0 {
			t.Errorf("whet %q: exit code %d\n%s", args, code, stderr)
		}
	}
}

// TestFlagsWithoutPartner checks that a flag without effect next to the other flags of a
// command is a usage error, before anything is read, run or written.
func TestFlagsWithoutPartner(t *testing.T) {
	const url = "http://127.0.0.1:1"
	dir := t.TempDir()
	t.Chdir(dir)
	for _, tt := range []struct {
		flag string
		args []string
	}{
		{"benchtime", []string{"record", "-o", "x.whet", "--benchtime", "1s", url}},
		{"count", []string{"record", "-o", "x.whet", "--count", "2", url}},
		{"pprof-addr", []string{"record", "-o", "x.whet", "--pprof-addr", "127.0.0.1:1", url}},
		{"target-log", []string{"record", "-o", "x.whet", "--target-log", "x.log", url}},
		{"start-timeout", []string{"record", "-o", "x.whet", "--start-timeout", "1s", "--bench", ".", "."}},
		{"header", []string{"record", "-o", "x.whet", "-H", "X: y", "--bench", ".", "."}},
		{"token-file", []string{"record", "-o", "x.whet", "--token-file", "token", "--bench", ".", "."}},
		{"pprof-path", []string{"record", "-o", "x.whet", "--pprof-path", "/x", "--bench", ".", "."}},
		{"rate", []string{"record", "-o", "x.whet", "--rate", "100", url}},
		{"every", []string{"watch", "--goroutines", "10", "--max", "1", "--every", "1s", url}},
		{"force", []string{"load", "--force", url}},
		{"targets-format", []string{"load", "--targets-format", "json", url}},
		{"slo", []string{"load", "--slo", "p99<5ms", url}},
		{"ramp", []string{"load", "--ramp", "1s", "-r", "100", url}},
		{"streams", []string{"load", "--streams", "2", url}},
		{"target-token-file", []string{"load", "--target-token-file", "token", url}},
		{"force", []string{"bench", "--service", "a", "b", "--load", "http://{addr}/", "--force"}},
		{"force", []string{"bench", "--force"}},
		{"gate", []string{"bench", "--gate", "sec/op<+3%"}},
		{"max-time", []string{"bench", "--max-time", "1s"}},
		{"strict", []string{"bench", "history", "--strict", "dir"}},
		{"force", []string{"find", "--force", "x.whet"}},
		{"author", []string{"fix", "--author", "A <a@b>", "x.whet"}},
		{"force", []string{"fix", "--force", "x.whet"}},
		{"rate", []string{"fix", "--rate", "100", "x.whet"}},
		{"load", []string{"fix", "--load", "http://{addr}/", "x.whet"}},
		{"slice", []string{"pgo", "--slice", "1s", "x.whet"}},
		{"max-time", []string{"pgo", "--no-measure", "--max-time", "1s", "x.whet"}},
		{"bench", []string{"pgo", "--no-measure", "--bench", "X", "x.whet"}},
		{"precision", []string{"pgo", "--no-measure", "--precision", "2%", "x.whet"}},
		{"force", []string{"pgo", "--no-measure", "--force", "x.whet"}},
		{"force", []string{"pgo", "--dry-run", "--force", "x.whet"}},
		{"header", []string{"pgo", "-H", "X: y", "x.whet"}},
		{"duration", []string{"pgo", "--duration", "1s", "x.whet"}},
		{"seconds", []string{"trace", "summary", "--seconds", "1s", "x.whet"}},
		{"seconds", []string{"trace", "requests", "--seconds", "1s", "x.out"}},
		{"header", []string{"trace", "contention", "-H", "X: y", "x.out"}},
		{"force", []string{"graph", "--force", "x.pb.gz"}},
		{"force", []string{"bench", "compare", "--force", "x.txt"}},
		{"force", []string{"bench", "history", "--force", "x"}},
		{"force", []string{"notes", "--force"}},
		{"force", []string{"trace", "cut", "--force", "--to", "1s", "-o", "-", "x.out"}},
		{"force", []string{"trace", "profile", "--force", "-o", "-", "sync", "x.out"}},
		{"force", []string{"trace", "timeline", "--force", "x.out"}},
		{"force", []string{"trace", "timeline", "--force", "--json", "x.out"}},
		{"force", []string{"trace", "export", "--force", "--chrome", "-", "x.out"}},
		{"count", []string{"bench", "--base", "main", "--count", "20"}},
		{"benchtime", []string{"bench", "--b-flags", "GOGC=off", "--benchtime", "1s"}},
		{"cpu", []string{"bench", "--a", "x", "--b", "y", "--cpu", "1,2"}},
		{"markdown", []string{"bench", "--base", "main", "--markdown", "--json"}},
		{"unit", []string{"graph", "--format", "json", "--unit", "ms", "x.pb.gz"}},
		{"unit", []string{"graph", "-o", "x.json", "--unit", "ms", "x.pb.gz"}},
		{"by", []string{"tags", "--by", "line", "x.pb.gz"}},
		{"own", []string{"notes", "--own", "x"}},
		{"max-memory", []string{"notes", "--max-memory", "1GB"}},
		{"min-gain", []string{"pgo", "--no-measure", "--min-gain", "2%", "x.whet"}},
		{"http", []string{"trace", "timeline", "--http", "127.0.0.1:0", "-o", "x.html", "x.out"}},
		{"name", []string{"trace", "export", "--name", "shop", "--chrome", "x.json", "x.out"}},
		{"goroutines", []string{"trace", "export", "--goroutines", "x", "--otlp", "x.json", "x.out"}},
		{"slowest", []string{"trace", "requests", "--all", "--json", "--slowest", "5", "x.out"}},
		{"force", []string{"folded", "--force", "x.pb.gz"}},
		{"force", []string{"raw", "--force", "-o", "-", "x.pb.gz"}},
	} {
		code, stdout, stderr := runWhet(t, tt.args...)
		if code != 2 || !strings.Contains(stderr, "--"+tt.flag) || !strings.Contains(stderr, "\nhint: ") || stdout != "" {
			t.Errorf("whet %q: exit code %d, want 2, --%s named, and a hint\n%s%s", tt.args, code, tt.flag, stderr, stdout)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("files were written: %v, %v", left, err)
	}
}
