package benchmarks

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/bench/builds"
)

// TestImporterNames tells subjects of a module from those of an importer.
func TestImporterNames(t *testing.T) {
	t.Parallel()
	from := &Importer{Name: "service"}
	var none *Importer
	s := &Set{o: Options{Importers: []*Importer{from}}}
	all := []string{none.label("Join"), from.label("Join"), from.label("page.Render/a: b"), "Split/a: b"}
	if got := s.subjectsOf(none, all); !slices.Equal(got, []string{"Join", "Split/a: b"}) {
		t.Errorf("of the module: %q", got)
	}
	if got := s.subjectsOf(from, all); !slices.Equal(got, []string{"Join", "page.Render/a: b"}) {
		t.Errorf("of the importer: %q", got)
	}
}

// TestImporterSide replaces files where the importer sees them.
func TestImporterSide(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "overlay.json")
	module, mirror := filepath.Join(dir, "module"), filepath.Join(dir, "service/vendor/example.com/text")
	data, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(module, "text/a.go"): "/new/a.go", "/other/b.go": "/new/b.go",
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	from := &Importer{Name: "service", Dir: filepath.Join(dir, "service"), Flags: []string{"-tags=x"}, Mirror: mirror}
	side, err := from.side(builds.Side{Dir: module, Flags: []string{"-tags=y", "-overlay=" + name}}, module)
	if err != nil || side.Dir != from.Dir || len(side.Flags) != 2 || side.Flags[0] != "-tags=x" {
		t.Fatalf("%+v %v", side, err)
	}
	mirrored, _ := strings.CutPrefix(side.Flags[1], "-overlay=")
	if data, err = os.ReadFile(mirrored); err != nil {
		t.Fatal(err)
	}
	var got struct{ Replace map[string]string }
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Replace) != 3 || got.Replace[filepath.Join(mirror, "text/a.go")] != "/new/a.go" {
		t.Errorf("%v", got.Replace)
	}
	from.Mirror = ""
	if side, err := from.side(builds.Side{Flags: []string{"-overlay=" + name}}, module); err != nil ||
		side.Flags[1] != "-overlay="+name {
		t.Errorf("replaced: %+v %v", side, err)
	}
}
