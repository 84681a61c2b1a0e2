package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/prove/provetest"
)

// replacing has a function that builds a replacer for each call, far from any benchmark, and whose cost only a load
// shows.
const replacing = `
-- go.mod --
module example.com/service

go 1.26
-- main.go --
package main

import (
	"flag"
	"log"
	"net/http"
	_ "net/http/pprof"
	"strings"
)

func clean(name string) string {
	return strings.NewReplacer("a", "1", "b", "2", "c", "3", "d", "4", "e", "5", "f", "6").Replace(name)
}

func handle(w http.ResponseWriter, r *http.Request) {
	text := r.URL.Path
	for range 40 {
		text = clean(text)
	}
	_, _ = w.Write([]byte(text))
}

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "address")
	flag.Parse()
	http.HandleFunc("/abc/", handle)
	log.Fatal(http.ListenAndServe(*addr, nil))
}
`

// TestFixService fixes a service that no benchmark measures, by its load: ten seconds suffice for a large gain.
func TestFixService(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	t.Chdir(dir)
	for _, f := range txtar.Parse([]byte(replacing)).Files {
		if err := os.WriteFile(f.Name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	binary := filepath.Join(t.TempDir(), "service")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	checked(t, 0, "", "record", "-o", "service.whet", "-d", "2s", "--load", "http://127.0.0.1:18474/abc/abcdef", "--",
		binary, "-addr", "127.0.0.1:18474")
	code, stdout, stderr := runWhet(t, "fix", "service.whet", "--service", "-addr {addr}",
		"--load", "http://{addr}/abc/abcdef", "--max-time", "10s", "--settings=false", "--budget", "0s", "--json")
	var r fix.Result
	if err := json.Unmarshal([]byte(stdout), &r); code != 0 || err != nil {
		t.Fatalf("exit code %d, %v\n%s", code, err, stderr)
	}
	var kept []string
	for _, a := range r.Attempts {
		if a.Stage == fix.StageKept {
			kept = append(kept, a.Measured.AB.Unit)
		}
	}
	if len(kept) != 1 || kept[0] != "cpu-sec/req" {
		t.Errorf("kept by %q\n%s\n%s", kept, strings.TrimSpace(stdout[:min(len(stdout), 4000)]), stderr)
	}
}
