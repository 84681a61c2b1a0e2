package workbench

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/server/compiled"
	"github.com/whet-go/whet/internal/server/jobs"
	"github.com/whet-go/whet/recording"
)

// later is the job of an answer that is not waited for, and what happens in it until its end.
func later(t *testing.T, s *Server, target string) (jobs.Job, []jobs.Event) {
	t.Helper()
	w := ask(s, http.MethodGet, target, "", "Prefer", "respond-async, wait=0")
	var j jobs.Job
	if err := json.Unmarshal(w.Body.Bytes(), &j); err != nil || w.Code != http.StatusAccepted ||
		w.Header().Get("Location") != "/api/v1/jobs/"+j.ID {
		t.Fatalf("%s: %d %v %.200s %v", target, w.Code, w.Header(), w.Body, err)
	}
	var events []jobs.Event
	if err := s.jobs.Follow(t.Context(), j.ID, 0, func(e jobs.Event) error {
		events = append(events, e)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	j, err := s.jobs.Job(j.ID)
	if err != nil {
		t.Fatal(err)
	}
	return j, events
}

// TestLong has long work be jobs for clients that follow them, and its answer be there when they end.
func TestLong(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	s, dir := serve(t)
	again := func(target string) *httptest.ResponseRecorder {
		t.Helper()
		w := ask(s, http.MethodGet, target, "", "Prefer", "respond-async, wait=0")
		if w.Code != http.StatusOK {
			t.Errorf("%s, again: %d %.200s", target, w.Code, w.Body)
		}
		return w
	}
	for _, target := range []string{
		"/api/v1/timeline/trace?file=a.whet", "/api/v1/flame?file=b.whet&format=packed", "/api/v1/saved?file=a.whet",
		"/api/v1/timeline?file=a.whet&from=0&to=1000",
	} {
		j, events := later(t, s, target)
		if j.State != jobs.Done || !strings.HasSuffix(j.Title, " of "+target[strings.Index(target, "file=")+5:][:6]) {
			t.Errorf("%s: %+v", target, j)
		}
		w := again(target)
		direct := ask(s, http.MethodGet, target, "")
		if direct.Body.String() != w.Body.String() ||
			direct.Header().Get("Content-Disposition") != w.Header().Get("Content-Disposition") {
			t.Errorf("%s: %d bytes, and %d without the preference", target, w.Body.Len(), direct.Body.Len())
		}
		if !strings.Contains(target, "saved") {
			continue
		}
		done := func(e jobs.Event) float64 { return e.Done }
		if half := slices.IndexFunc(events, func(e jobs.Event) bool { return e.Done > 0.3 && e.Text != "" }); half < 0 ||
			!slices.IsSortedFunc(events[:len(events)-1], func(a, b jobs.Event) int { return int(100 * (done(a) - done(b))) }) {
			t.Errorf("%+v", events)
		}
	}
	// What is wrong is the same, without the directory.
	for _, target := range []string{"/api/v1/timeline/trace?file=none.whet", "/api/v1/flame?file=a.whet&focus=("} {
		w := ask(s, http.MethodGet, target, "", "Prefer", "respond-async")
		if w.Code < 400 || w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
		j, _ := later(t, s, target)
		if j.State != jobs.Failed || j.Error == "" || j.Hint == "" || strings.Contains(j.Error+j.Hint, dir) {
			t.Errorf("%s: %+v", target, j)
		}
	}
}

// slugModule writes the module of the recording, and returns where it is, and its file as profiles name it.
func slugModule(t *testing.T) (module, file string, text []byte) {
	t.Helper()
	rec, err := recording.Open(recordingFile)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rec.Close() }) // was only read
	for _, name := range rec.Sources() {
		if strings.HasSuffix(name, "/main.go") {
			file = name
		}
	}
	text, ok := rec.SourceFile(file)
	if !ok {
		t.Fatal("the recording has no main.go", rec.Sources())
	}
	module = t.TempDir()
	for name, data := range map[string]string{"go.mod": "module example.com/slug\n\ngo 1.26\n", "main.go": string(text)} {
		if err := os.WriteFile(filepath.Join(module, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return module, file, text
}

// TestSourceNotes has the compiler's notes on a source file of a recording without looking for causes, if the server
// was started in its module, and says why there are none.
func TestSourceNotes(t *testing.T) {
	module, file, text := slugModule(t)
	target := "/api/v1/notes?file=a.whet&source=" + url.QueryEscape(file)
	s, _ := serve(t, func(o *Options) { o.Dir = module })
	if j, _ := later(t, s, target); j.State != jobs.Done || j.Kind != "notes" {
		t.Fatalf("%+v", j)
	}
	notes := get[compiled.SourceNotes](t, s, target)
	all := ""
	for _, l := range notes.Lines {
		for _, n := range l.Notes {
			all += fmt.Sprintf("%d %s: %s\n", l.Line, n.Group, n.Message)
		}
	}
	if notes.File != "main.go" || !strings.Contains(all, "escape: ") || !strings.Contains(all, "inline: ") {
		t.Errorf("%s: %s", notes.File, all)
	}
	other, dir := serve(t)
	for target, want := range map[string]string{
		target: "not started in a module",
		"/api/v1/notes?file=a.whet&source=%2Fetc%2Fpasswd": "no function in",
	} {
		w := ask(other, http.MethodGet, target, "")
		if w.Code < 400 || !strings.Contains(w.Body.String(), want) || !strings.Contains(w.Body.String(), "hint") ||
			strings.Contains(w.Body.String(), dir) {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
	if err := os.WriteFile(filepath.Join(module, "main.go"), append(text, "// more\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if w := ask(s, http.MethodGet, target, ""); w.Code < 400 || !strings.Contains(w.Body.String(), "has changed") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
