package workbench

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/input/documents"
)

// TestKept has answers be those of the files as they are now, and of what was found in them.
func TestKept(t *testing.T) {
	s, dir := serve(t)
	path := filepath.Join(dir, "a.whet")
	const target = "/api/v1/top?file=a.whet&n=5"
	first := ask(s, http.MethodGet, target, "").Body.String()
	if again := ask(s, http.MethodGet, target, "").Body.String(); again != first {
		t.Errorf("the same file: %s, want %s", again, first)
	}
	// Another file with this name, which is a profile.
	other, err := os.ReadFile("../../../find/testdata/slug.cpu.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, other, 0o600); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	if now := ask(s, http.MethodGet, target, "").Body.String(); now == first {
		t.Error("the answer is that of a file that was replaced")
	}

	over := get[Overview](t, s, "/api/v1/overview?file=b.whet")
	if len(over.Lines) == 0 || over.Lines[0].Finding != nil {
		t.Fatalf("%+v", over.Lines)
	}
	l := over.Lines[0]
	s.found.add(s.stateOf("b.whet"), &find.Result{Findings: []find.Finding{{
		Title: "found", Places: []find.Place{{File: l.Path, Line: l.Line.Line}},
	}}})
	if over = get[Overview](t, s, "/api/v1/overview?file=b.whet"); over.Lines[0].Finding == nil {
		t.Error("the overview lacks what was found since")
	}
	top := get[documents.Top](t, s, "/api/v1/top?file=b.whet&n=5")
	if len(top.Own.Lines) == 0 {
		t.Errorf("%+v", top)
	}
}
