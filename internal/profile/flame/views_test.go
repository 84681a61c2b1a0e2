package flame

import (
	"bytes"
	"testing"

	pprof "github.com/google/pprof/profile"

	"github.com/whet-go/whet/internal/profile/nodes"
	"github.com/whet-go/whet/profile"
)

// columns makes a profile of two sample types from pairs of values.
func columns(t *testing.T, pairs ...[2]int64) *profile.Profile {
	t.Helper()
	p := &pprof.Profile{SampleType: []*pprof.ValueType{{Type: "a", Unit: "count"}, {Type: "b", Unit: "nanoseconds"}}}
	for i, v := range pairs {
		fn := &pprof.Function{ID: uint64(i + 1), Name: string(rune('a' + i))}
		loc := &pprof.Location{ID: uint64(i + 1), Line: []pprof.Line{{Function: fn}}}
		p.Function, p.Location = append(p.Function, fn), append(p.Location, loc)
		p.Sample = append(p.Sample, &pprof.Sample{Location: []*pprof.Location{loc}, Value: v[:]})
	}
	var buf bytes.Buffer
	if err := p.Write(&buf); err != nil {
		t.Fatal(err)
	}
	out, err := profile.Parse(buf.Bytes(), profile.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestProportion(t *testing.T) {
	const big = int64(1) << 62
	for _, tt := range []struct {
		name  string
		pairs [][2]int64
		want  ratio
	}{
		{"cpu", [][2]int64{{1, 10_000_000}, {3, 30_000_000}, {0, 0}}, ratio{10_000_000, 1}},
		{"difference", [][2]int64{{-1, -10}, {3, 30}}, ratio{10, 1}},
		{"fraction", [][2]int64{{4, 6}, {2, 3}}, ratio{3, 2}},
		{"close", [][2]int64{{1, 10}, {3, 31}}, ratio{}},
		{"one side empty", [][2]int64{{1, 10}, {0, 5}}, ratio{}},
		{"opposite", [][2]int64{{1, -10}}, ratio{}},
		{"nothing", [][2]int64{{0, 0}}, ratio{}},
		{"large", [][2]int64{{big, big}, {1, 1}}, ratio{1, 1}},
		{"overflowing product", [][2]int64{{3, big}, {big, 3}}, ratio{}},
	} {
		if got := proportion(columns(t, tt.pairs...), 0, 1); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestScaledTree compares a scaled tree with that of the scaled profile.
func TestScaledTree(t *testing.T) {
	p := columns(t, [2]int64{4, 6}, [2]int64{10, 15}, [2]int64{-2, -3}, [2]int64{8, 12})
	var trees []*profile.Tree
	for typ := range 2 {
		v, err := p.View(profile.Query{Type: typ})
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, v.Tree(2, false))
	}
	got := proportion(p, 0, 1).tree(trees[0])
	if len(got.Nodes) != len(trees[1].Nodes) {
		t.Fatalf("%d nodes, want %d", len(got.Nodes), len(trees[1].Nodes))
	}
	for i, n := range got.Nodes {
		if n != trees[1].Nodes[i] {
			t.Errorf("node %d: %+v, want %+v", i, n, trees[1].Nodes[i])
		}
	}
}

// What has no name has one name in all views and formats.
func TestUnknownHasOneName(t *testing.T) {
	names := map[string]string{
		"formats": nodes.FrameName(profile.Node{}),
		"flame":   NewFrame(profile.Node{}, Unknown).Name,
	}
	for _, by := range []profile.By{
		profile.ByFunction, profile.ByLine, profile.ByFile, profile.ByPackage,
		profile.ByAddress,
	} {
		names[by.String()] = nodes.Name(profile.Node{}, by)
	}
	for where, name := range names {
		if name != "<unknown>" {
			t.Errorf("%s: %q", where, name)
		}
	}
}

func TestNewFrame(t *testing.T) {
	for want, n := range map[string]profile.Node{
		"net/http.(*conn).serve":   {Name: "net/http.(*conn).serve", File: "server.go"},
		"main.f:12":                {Name: "main.f", File: "f.go", Line: 12},
		"main.f:12 0x4a0":          {Name: "main.f", File: "f.go", Line: 12, Address: 0x4a0},
		"f.go":                     {File: "f.go"},
		"[libc.so]":                {Object: "/lib/libc.so"},
		"00000000000004a0 [a.out]": {Address: 0x4a0, Object: "a.out"},
		"<unknown>":                {},
	} {
		f := NewFrame(n, Std)
		if f.Name != want || f.Kind != Std || f.Package != profile.PackagePath(n.Name) {
			t.Errorf("%+v: %+v, want name %q", n, f, want)
		}
	}
}
