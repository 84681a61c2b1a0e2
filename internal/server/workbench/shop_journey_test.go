package workbench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/collect"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/report/reporttest"
	"github.com/whet-go/whet/internal/server/access"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/ui"
)

// startShop builds the service of testdata/shop.txtar in dir, which becomes its module, and starts it.
func startShop(t *testing.T, dir string) (address string) {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/shop.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", "shop", ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ctx, stop := context.WithCancel(context.Background()) // t.Context ends before the cleanup
	shop := exec.CommandContext(ctx, filepath.Join(dir, "shop"))
	out, err := shop.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := shop.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = shop.Wait() // it was killed
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// writeResults writes a file with findings of three rules, and those of whet prove and whet fix, which are older than
// the recordings.
func writeResults(t *testing.T, dir string) {
	t.Helper()
	all := proofs(t)
	found := find.Result{Schema: find.Schema, Module: "example.com/shop", Rules: 7}
	for i := range 12 {
		rule := []string{"concat", "concat", "regexp", "fmt"}[i%4]
		found.Findings = append(found.Findings, find.Finding{
			ID: fmt.Sprintf("f%d", i/2), Rule: rule, Title: fmt.Sprintf("%s number %d", rule, i), Why: "it is slow",
			Function: "main.label", Saving: 0.5 / float64(i+1),
			Places: []find.Place{{File: fmt.Sprintf("part%d.go", i%3), Line: 12 + i, Code: "text += part"}},
		})
	}
	found.Unexplained = []find.HotLine{{
		Place: find.Place{File: "part2.go", Line: 99}, Function: "main.order", Saving: 0.2,
	}}
	data, err := json.Marshal(found)
	if err != nil {
		t.Fatal(err)
	}
	all["many.json"] = data
	old := time.Now().Add(-time.Hour)
	for name, data := range all {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
}

// TestJourneyShop walks through parts of pages in a real browser, as ui/journey/shop.mjs says, with the recording of a
// service whose module is there.
func TestJourneyShop(t *testing.T) {
	reporttest.RunJourney(t, "shop.mjs", func() map[string][]byte {
		module, dir := t.TempDir(), t.TempDir()
		address := startShop(t, module)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		// Its lines have other shares in each recording.
		for _, r := range []struct{ name, order string }{
			{"oldest", "/order?n=50"}, {"older", "/order?n=300"}, {"shop", "/order"},
		} {
			sum, err := collect.Run(ctx, collect.Options{
				URL: address, Out: filepath.Join(dir, r.name+".whet"), Duration: 3 * time.Second, Trace: time.Second,
				Load: &load.Options{
					Targets:     []load.Target{{URL: address + r.order}, {URL: address + "/health"}},
					Connections: 2,
				},
			})
			if err != nil || len(sum.Failures) > 0 {
				t.Fatal(err, sum)
			}
		}
		writeResults(t, dir)
		s, _ := serveDir(t, dir, access.Options{}, func(o *Options) {
			o.Assets, o.Dir = ui.App(), module
			o.Editor = &Editor{
				Address: "vscode://file" + filepath.ToSlash(module) + "/{file}:{line}", Dir: filepath.ToSlash(module),
				Module: "example.com/shop",
			}
		})
		server := httptest.NewServer(s)
		t.Cleanup(server.Close)
		return map[string][]byte{"address": []byte(server.URL)}
	})
}
