package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/server/files"
)

// TestFirst begins with the view of what is named.
func TestFirst(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, data := range map[string]string{
		"found.json": `{"schema": "whet.find/2", "findings": []}`,
		"proof.json": `{"schema": "whet.prove/1"}`,
		"fixes.json": `{"schema": "whet.fix/2"}`,
		"load.json":  `{"schema": "whet.load/2"}`,
		"b.whet":     "PK\x03\x04", "a.whet": "PK\x03\x04",
		"bench.txt": "goos: linux\nBenchmarkA-2 1 1 ns/op\n",
		"notes.txt": "none",
	} {
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("runs", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ names, view, want, err string }{
		{"a.whet", "", "/overview?file=a.whet", ""},
		{"found.json", "", "/findings?file=found.json", ""},
		{"proof.json", "", "/proof?file=proof.json", ""},
		{"fixes.json", "", "/fixes?file=fixes.json", ""},
		{"load.json", "", "/load?file=load.json", ""},
		{"bench.txt", "", "/bench?file=bench.txt", ""},
		{"runs", "", "", ""},
		{"notes.txt", "", "", ""},
		{"a.whet b.whet", "", "", ""},
		{"", "", "", ""},
		{"a.whet", "load", "/load?file=a.whet", ""},
		{"a.whet b.whet", "over-time", "/over-time?file=a.whet", ""},
		{"found.json", "findings", "/findings?file=found.json", ""},
		{"found.json", "load", "", `found.json is of kind findings, which has no view "load" (want findings)`},
		{"a.whet", "frob", "", `unknown view "frob" (want bench, findings, fixes, `},
		{"runs", "load", "", "no file is named first"},
		{"", "load", "", "no file is named first"},
	} {
		names := strings.Fields(test.names)
		set, err := files.Open(names)
		if err != nil {
			t.Fatal(err)
		}
		got, err := first(set, names, test.view, firstFlags{})
		if got != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%q with --view %q: %q, %v, want %q, %q", test.names, test.view, got, err, test.want, test.err)
		}
		if err := set.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestViewsExist looks for the page of each view.
func TestViewsExist(t *testing.T) {
	pages, err := filepath.Glob("../../ui/src/pages/*")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	for _, view := range viewNames() {
		page := filepath.Join("../../ui/src/pages", strings.ReplaceAll(view, "-", ""))
		if _, err := os.Stat(page + ".tsx"); err == nil {
			continue
		}
		if _, err := os.Stat(page + ".ts"); err != nil {
			t.Errorf("view %s has no page: %v", view, err)
		}
	}
}

// TestFirstFlags has the first view begin with a type and filters.
func TestFirstFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a.whet", []byte("PK\x03\x04"), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := files.Open([]string{"a.whet", "."})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = set.Close() }) // was only read
	shown := firstFlags{Type: "cpu:cpu", Focus: "a|b"}
	got, err := first(set, []string{"a.whet"}, "flame", shown)
	if want := "/flame?file=a.whet&focus=a%7Cb&type=cpu%3Acpu"; got != want || err != nil {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if _, err := first(set, []string{"."}, "", shown); err == nil || !strings.Contains(err.Error(), "a first view") {
		t.Error(err)
	}
}
