package licenses

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/whet-go/whet/internal/golden"
)

func TestPage(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	modules, err := List(t.Context(), root, []string{"linux", "darwin", "windows"}, []string{"./cmd/..."})
	if err != nil {
		t.Fatal(err)
	}
	bundled, err := Bundled(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	notice, err := os.ReadFile(filepath.Join(root, "NOTICE"))
	if err != nil {
		t.Fatal(err)
	}
	if len(modules) < 10 || len(bundled) == 0 {
		t.Fatalf("found %d modules and %d npm packages", len(modules), len(bundled))
	}
	for _, c := range slices.Concat(modules, bundled) {
		if len(c.Licenses) == 0 {
			t.Errorf("%s %s: no license was found", c.Name, c.Version)
		}
		for _, l := range c.Licenses {
			if !Allowed(l) {
				t.Errorf("%s %s is under %s, which is not on the allowed list", c.Name, c.Version, l)
			}
		}
	}
	for _, c := range bundled {
		if !strings.Contains(strings.ToLower(string(notice)), c.Name+" "+c.Version) {
			t.Errorf("NOTICE does not name %s %s, which ui/dist contains", c.Name, c.Version)
		}
	}
	golden.Check(t, filepath.Join(root, "THIRD_PARTY.md"), Page(modules, bundled))
}

func TestIdentify(t *testing.T) {
	t.Parallel()
	apache, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{string(apache), "Apache-2.0"},
		{strings.Repeat("You may use this in months whose names have an R.\n", 20), "unknown"},
		{"Copyright the authors.\n", ""},
		{"SQLite Is Public Domain\n\nAll of the code …\n", "Public-Domain"},
		{
			"# Third-Party Licenses\n\n## 1. Components linked into your program\n\n| Component | Version | License |\n" +
				"| [a](b) | v1 | MIT, attribution reference | c |\n| [d](e) | -- | public domain | f |\n" +
				"\n## 2. Others\n\n| [g](h) | v1 | MPL-2.0 | i |\n", "MIT Public-Domain",
		},
		{"# Third-Party Notices\n" + strings.Repeat("\nA table of components.\n", 300) + string(apache), "Apache-2.0"},
	} {
		if got := strings.Join(identify([]byte(c.text)), " "); got != c.want {
			t.Errorf("%.20q is %q, want %q", c.text, got, c.want)
		}
	}
	if Allowed("unknown") || Allowed("GPL-3.0") || Allowed("") {
		t.Error("a license that is not on the list is allowed")
	}
}

func TestBundled(t *testing.T) {
	t.Parallel()
	lock := `{"packages": {"": {"version": "1"}, "node_modules/a": {"version": "2", "license": "GPL-3.0"},
		"node_modules/b": {"version": "3", "dev": true}, "node_modules/@c/d": {"version": "4"}}}`
	got, err := Bundled(fstest.MapFS{"ui/package-lock.json": {Data: []byte(lock)}})
	if err != nil || len(got) != 2 {
		t.Fatalf("got %v, %v, want two packages", got, err)
	}
	if got[0].Name != "@c/d" || got[0].Licenses != nil || got[1].Name != "a" || got[1].Licenses[0] != "GPL-3.0" {
		t.Errorf("got %+v", got)
	}
	if _, err := Bundled(fstest.MapFS{}); err == nil {
		t.Error("no lock file is no error")
	}
}
