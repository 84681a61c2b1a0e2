package goroutines_test

import (
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/whet-go/whet/goroutines"
	"github.com/whet-go/whet/profile"
)

// The collector's word on leaks: the program in planted.go.txt is built with the
// profile that Go 1.26 offers as an experiment and Go 1.27 always, and run.
func TestLeaksOfARealProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := t.TempDir()
	src, err := os.ReadFile("testdata/planted.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"main.go": string(src),
		"go.mod":  "module example.com/planted\n\ngo 1.24\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", "planted", ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if version.Compare(runtime.Version(), "go1.27") < 0 {
		build.Env = append(build.Env, "GOEXPERIMENT=goroutineleakprofile")
	}
	if out, err := build.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "GOEXPERIMENT") {
			t.Skipf("this toolchain does not offer goroutineleak: %s", out)
		}
		t.Fatalf("%v: %s", err, out)
	}
	run := exec.CommandContext(t.Context(), filepath.Join(dir, "planted"))
	run.Dir = dir
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	read := func(name string) *goroutines.Snapshot {
		p, err := profile.ReadFile(filepath.Join(dir, name), profile.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := goroutines.FromProfile(p, goroutines.Options{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := read("d0.pb.gz")
	s.MarkLeaks(read("leak.pb.gz"))
	verdicts := map[string]goroutines.Verdict{}
	for i := range s.Groups {
		verdicts[s.Groups[i].Stack[len(s.Groups[i].Stack)-1].Func] = s.Groups[i].Verdict
	}
	for fn, want := range map[string]goroutines.Verdict{
		"main.nilWorker": goroutines.Leak, "main.main.func2": goroutines.Leak, // a WaitGroup that only it holds
		"main.noargs": goroutines.Fine, "main.main.func6": goroutines.Fine, // a global channel, a timer
	} {
		if got, ok := verdicts[fn]; !ok || got != want {
			t.Errorf("%s: %q, want %q", fn, got, want)
		}
	}
}
