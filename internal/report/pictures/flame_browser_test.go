package pictures

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/whet-go/whet/internal/profile/flame"
	"github.com/whet-go/whet/internal/report/pages"
	"github.com/whet-go/whet/internal/report/reporttest"
	"github.com/whet-go/whet/profile"
)

// realFlame is the compiler's own profile, which comes with Go.
func realFlame(t *testing.T) FlameInput {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("no go command")
	}
	path := filepath.Join(string(root[:len(root)-1]), "src/cmd/compile/default.pgo")
	if _, err := os.Stat(path); err != nil {
		t.Skip(err)
	}
	p, err := profile.ReadFile(path, profile.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	isOwn := profile.OwnMatcher([]string{"cmd/compile"}, nil)
	in := FlameInput{Title: "default.pgo", Facts: []pages.Fact{
		{Name: "program", Value: "compile"},
		{Name: "over", Value: "159.16s"},
	}}
	for i := range p.SampleTypes {
		v, err := p.View(profile.Query{Type: len(p.SampleTypes) - 1 - i})
		if err != nil {
			t.Fatal(err)
		}
		in.Views = append(in.Views, flame.View{
			Type: v.Type(), Total: v.Total(), Tree: v.Tree(flame.MaxNodes, false), Weights: v.Nodes(false),
			Frame: func(id uint32) flame.Frame {
				n := v.Node(id)
				f := flame.NewFrame(n, flame.Unknown)
				switch {
				case isOwn(profile.Function{Name: n.Name, File: n.File}):
					f.Kind = flame.Own
				case f.Package != "":
					f.Kind = flame.Std
				}
				return f
			},
		})
	}
	return in
}

// TestFlameOfRealProfile holds a page to the profile it was made from.
func TestFlameOfRealProfile(t *testing.T) {
	in := realFlame(t)
	d := decodeFlame(t, writeFlame(t, in))
	for i, v := range in.Views {
		if got := d.sum(i); got != v.Total || got == 0 {
			t.Errorf("%s: page sums to %d, profile to %d", v.Type.Type, got, v.Total)
		}
		for _, w := range v.Weights {
			if got, want := d.costs[i][v.Frame(w.ID)], [2]int64{w.Flat, w.Cum}; got != want {
				t.Errorf("%s of %s: %d, want %d", v.Type.Type, w.Name, got, want)
			}
		}
	}
	if n := len(writeFlame(t, in)); n > 1_000_000 {
		t.Errorf("page has %d bytes", n)
	}
}

// TestFlameJourney walks through pages in a real browser, as ui/journey/flame.mjs
// says. WHET_SHOTS names a folder for its screenshots.
func TestFlameJourney(t *testing.T) {
	reporttest.RunJourney(t, "flame.mjs", func() map[string][]byte {
		pages := make(map[string][]byte)
		for name, in := range map[string]FlameInput{
			"small": smallFlame(), "diff": diffFlame(), "hostile": hostileFlame(), "deep": deepFlame(50_000),
			"large": largeFlame(), "real": realFlame(t),
		} {
			pages[name] = writeFlame(t, in)
		}
		return pages
	})
}
