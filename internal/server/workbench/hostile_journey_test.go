package workbench

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/hostile"
	"github.com/whet-go/whet/internal/report/reporttest"
	"github.com/whet-go/whet/internal/server/access"
	"github.com/whet-go/whet/internal/trace/tracetest"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/ui"
)

// evil is text that a browser or a terminal would act on.
const evil = `</script><script>window.pwned=1</script>"><img src=x onerror="window.pwned=1"><!--<b>'` +
	"`${window.pwned=1}" + hostile.Terminal

// evilFile is like evil, for the names of files. A directory may have it.
const evilFile = "<img src=x onerror=window.pwned=1>\u202e\u200b\x1b[31m"

// isText reports whether the strings of a key are texts of programs and users, which may be anything.
func isText(key string) bool {
	return slices.Contains(strings.Fields(`
		title why function functions file files code message reason hint module program name names added removed
		declarations note notes where what mutator package text command source error label path url target targets
		address subject tests other unused outside not_judged failing flaky do input main settings value own
		go_version command_line cmd args env labels benchmark benchmarks config not open aside a b`), key)
}

// poisoned returns a document with evil in front of its texts.
func poisoned(v any, key string) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = poisoned(v[k], k)
		}
	case []any:
		for i := range v {
			v[i] = poisoned(v[i], key)
		}
	case string:
		if v != "" && isText(key) {
			return evil + v
		}
	}
	return v
}

func poisonedJSON(t *testing.T, data []byte) []byte {
	t.Helper()
	var doc any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	// The schema stays at the start, where a file's kind is looked for.
	fields, _ := poisoned(doc, "").(map[string]any)
	schema, err := json.Marshal(fields["schema"])
	if err != nil {
		t.Fatal(err)
	}
	delete(fields, "schema")
	if data, err = json.Marshal(fields); err != nil {
		t.Fatal(err)
	}
	return slices.Concat([]byte(`{"schema":`), schema, []byte{','}, data[1:])
}

// poisonedProfile returns a profile whose functions, files and mappings have hostile names.
func poisonedProfile(t *testing.T, data []byte) []byte {
	t.Helper()
	p, err := profile.Parse(data, profile.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Functions {
		f := &p.Functions[i]
		// Without slashes, the function keeps its package.
		f.Name, f.File = f.Name+strings.ReplaceAll(evil, "/", ""), f.File+evil
	}
	for i := range p.Mappings {
		p.Mappings[i].File = evil + p.Mappings[i].File
	}
	p.Comments = append(p.Comments, evil)
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// poisonRecording copies a recording. All names in it become hostile.
func poisonRecording(t *testing.T, from, to string) {
	t.Helper()
	r, err := zip.OpenReader(from)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }() // it was only read
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range r.File {
		part, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case strings.HasSuffix(f.Name, ".pb.gz"):
			data = poisonedProfile(t, data)
		case f.Name == "trace.out":
			data = tracetest.User(t, evil)
		case f.Name == "load.json" || f.Name == "process.json":
			data = poisonedJSON(t, data)
		}
		to, err := w.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := to.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestJourneyHostile opens every view of files whose names were chosen to do harm, in a real browser, as
// ui/journey/hostilepages.mjs says.
func TestJourneyHostile(t *testing.T) {
	reporttest.RunJourney(t, "hostilepages.mjs", func() map[string][]byte {
		dir, made := t.TempDir(), filepath.Join(t.TempDir(), "made.whet")
		record(t, service(t, joinSlowly), made)
		poisonRecording(t, made, filepath.Join(dir, evilFile+".whet"))
		poisonRecording(t, made, filepath.Join(dir, "other.whet"))
		writeLoad(t, made, filepath.Join(dir, "load.json"))
		results := resultFiles(t)
		data, err := os.ReadFile(filepath.Join(dir, "load.json"))
		if err != nil {
			t.Fatal(err)
		}
		results["load.json"] = data
		for name, data := range results {
			if strings.HasSuffix(name, ".json") {
				data = poisonedJSON(t, data)
			}
			path, old := filepath.Join(dir, name), time.Now().Add(-time.Hour)
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, old, old); err != nil { // the recordings come first
				t.Fatal(err)
			}
		}
		s, _ := serveDir(t, dir, access.Options{}, func(o *Options) {
			o.Assets, o.Own = ui.App(), []string{"github.com/whet-go/whet"}
		})
		server := httptest.NewServer(s)
		t.Cleanup(server.Close)
		return map[string][]byte{"address": []byte(server.URL), "name": []byte(evilFile + ".whet")}
	})
}
