package callgraph

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/internal/profile/oracletest"
	"github.com/whet-go/whet/profile"
)

func TestWithoutRedundant(t *testing.T) {
	t.Parallel()
	edge := func(from, to uint32, weight int64, residual bool) profile.Edge {
		return profile.Edge{From: from, To: to, Weight: weight, Residual: residual}
	}
	for name, c := range map[string]struct{ edges, gone []profile.Edge }{
		"parallel path": {
			[]profile.Edge{edge(0, 1, 9, false), edge(1, 2, 9, false), edge(0, 2, 3, true)},
			[]profile.Edge{edge(0, 2, 3, true)},
		},
		"only connection":     {[]profile.Edge{edge(0, 1, 9, false), edge(0, 2, 3, true)}, nil},
		"heavier than a call": {[]profile.Edge{edge(0, 1, 9, false), edge(0, 2, 5, true), edge(1, 2, 3, false)}, nil},
		"direct call":         {[]profile.Edge{edge(0, 1, 9, false), edge(1, 2, 9, false), edge(0, 2, 3, false)}, nil},
		"a cycle":             {[]profile.Edge{edge(0, 1, 9, true), edge(1, 0, 8, true)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := slices.DeleteFunc(slices.Clone(c.edges), func(e profile.Edge) bool { return slices.Contains(c.gone, e) })
			got := withoutRedundant([]int{0, 1, 2}, []string{"a", "b", "c"}, slices.Clone(c.edges))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("edges left (-want +got):\n%s", diff)
			}
		})
	}
}

// TestChoose keeps the requested number of nodes and counts what it leaves out.
func TestChoose(t *testing.T) {
	p := oracletest.Profile(t, "cpu/nanoseconds",
		oracletest.Sample{Stack: "main.main main.a main.b", Values: []int64{60}},
		oracletest.Sample{Stack: "main.main main.c", Values: []int64{39}},
		oracletest.Sample{Stack: "main.main main.d", Values: []int64{1}},
	)
	v := oracletest.Bind(t, p, profile.Query{})
	all := Choose(v, Options{})
	if len(all.Graph.Nodes) != 5 || len(all.Order) != 5 || all.HiddenNodes != 0 || all.HiddenEdges != 0 ||
		all.Kept != 100 {
		t.Errorf("all: %+v", all)
	}
	some := Choose(v, Options{Nodes: 3, NodeFraction: 0.02})
	if len(some.Graph.Nodes) != 3 || some.HiddenNodes != 2 || some.Kept != 100 {
		t.Errorf("three: %+v", some)
	}
	if light := Choose(v, Options{EdgeFraction: 0.02}); light.HiddenEdges != 1 {
		t.Errorf("without light edges: %+v", light)
	}
}
