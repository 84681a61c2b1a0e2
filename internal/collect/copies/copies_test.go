package copies

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/capture/instrument"
	"github.com/whet-go/whet/internal/capture/support"
)

// TestRead checks that what several test binaries copied of a function is one function of the document, that secrets
// are left out, and that there is an error if nothing was called.
func TestRead(t *testing.T) {
	var dirs []string
	for i, texts := range [][]string{{"first", "Bearer abcdefghijklmnopqrstuvwxyz012345"}, {"second"}} {
		f := support.Function{Package: "a", Name: "F", Parameters: []string{"s"}, Taken: int64(len(texts)), Rate: 2}
		for _, text := range texts {
			f.Calls = append(f.Calls, support.Call{
				Arguments: []support.Value{{Kind: support.KindString, Type: "string", Text: text, Len: len(text)}},
			})
		}
		data, err := json.Marshal(support.Document{Schema: support.Schema, Functions: []support.Function{f}})
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, t.TempDir())
		if err := os.WriteFile(filepath.Join(dirs[i], "1.json"), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	left := []instrument.Left{{Function: "a.G", Why: "it has no arguments"}}
	d, calls, err := (&Options{}).Read(left, dirs...)
	if err != nil || calls != 3 || len(d.Functions) != 1 || len(d.Left) != 1 {
		t.Fatalf("%d calls of %d functions, %d left out: %v", calls, len(d.Functions), len(d.Left), err)
	}
	all, err := json.Marshal(d.Functions[0].Calls)
	if err != nil {
		t.Fatal(err)
	}
	text := string(all)
	if f := d.Functions[0]; f.Taken != 3 || f.Rate != 4 || !strings.Contains(text, "first") ||
		!strings.Contains(text, "second") || strings.Contains(text, "abcdef") || !strings.Contains(text, "redacted") {
		t.Errorf("%d calls at a rate of %v: %s", f.Taken, f.Rate, text)
	}
	if d, _, err := (&Options{}).Read(left, t.TempDir()); err == nil || !strings.Contains(err.Error(), "was called") {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestEnvironment checks that a program gets the share of its CPU time for copying, the default without one.
func TestEnvironment(t *testing.T) {
	for share, want := range map[float64]string{0: "", 0.05: "WHET_CAPTURE_SHARE=0.05", 1: "WHET_CAPTURE_SHARE=1"} {
		_, env, err := (&Options{Share: share}).Environment(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, entry := range env {
			if strings.HasPrefix(entry, "WHET_CAPTURE_SHARE=") {
				got = entry
			}
		}
		if got != want {
			t.Errorf("share %v: %q, want %q", share, got, want)
		}
	}
}
