package lint

import (
	"os"
	"testing"
	"testing/fstest"
)

func TestLinks(t *testing.T) {
	t.Parallel()
	problems, err := Links(os.DirFS(root()))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
}

// TestPlantedLinks expects each broken link to be found, and no correct one.
func TestPlantedLinks(t *testing.T) {
	t.Parallel()
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	repo := fstest.MapFS{
		"README.md": file("# Whet\n[a](docs/a.md) [dir](docs) [b](docs/b.md)\n[web](https://example.com/x) [self](#whet)\n" +
			"`[code](nowhere)`\n```\n[code](nowhere)\n```\n![picture](docs/none.png)\n"),
		"docs/a.md": file("# A `flag`: what it does\n[up](../README.md#whet)\n## Same\n## Same\n" +
			"[here](#a-flag-what-it-does) [second](#same-1) [gone](../README.md#gone \"title\")\n[up](../../x.md)\n"),
		"internal/page.md":       file("[x](nowhere)"),
		"ui/node_modules/x/y.md": file("[x](nowhere)"),
	}
	want := []string{
		`README.md:2 links to "docs/b.md", which does not exist`,
		`README.md:8 links to "docs/none.png", which does not exist`,
		`docs/a.md:5 links to "../README.md#gone", a heading that README.md does not have`,
		`docs/a.md:6 links to "../../x.md", which does not exist`,
	}
	problems, err := Links(repo)
	if err != nil {
		t.Fatal(err)
	}
	if len(problems) != len(want) {
		t.Fatalf("got %v, want %q", problems, want)
	}
	for i, p := range problems {
		if got := p.Where + " " + p.Text; got != want[i] {
			t.Errorf("got %q, want %q", got, want[i])
		}
	}
}
