package profile_test

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/profile/profiletest"
)

// naiveTree is the call tree, built in the obvious way: totals by path.
func naiveTree(v *profile.View, bottomUp bool) (self, total map[string]int64) {
	self, total = map[string]int64{}, map[string]int64{}
	for s := range v.Stacks() {
		if s.Value == 0 {
			continue
		}
		path := ""
		total[path] += s.Value
		nodes := slices.Clone(s.Nodes)
		if !bottomUp {
			slices.Reverse(nodes)
		}
		for _, n := range nodes {
			path += fmt.Sprintf("/%d", n)
			total[path] += s.Value
		}
		self[path] += s.Value
	}
	return self, total
}

// paths returns the path of each node of a tree.
func paths(t *profile.Tree) []string {
	ps := make([]string, len(t.Nodes))
	for i := 1; i < len(t.Nodes); i++ {
		n := t.Nodes[i]
		if n.Rest > 0 {
			ps[i] = ps[n.Parent] + "/rest"
			continue
		}
		ps[i] = fmt.Sprintf("%s/%d", ps[n.Parent], n.Node)
	}
	return ps
}

func TestTreeEqualsNaiveTree(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for name, data := range corpus(t) {
		p := parsed(t, data)
		for _, bottomUp := range []bool{false, true} {
			for _, q := range []profile.Query{
				{},
				{By: profile.ByLine},
				{By: profile.ByPackage},
				{By: profile.ByLabel, LabelKey: "endpoint"},
			} {
				t.Run(fmt.Sprintf("%s/by=%v,bottomUp=%v", name, q.By, bottomUp), func(t *testing.T) {
					v := view(t, p, q)
					self, total := naiveTree(v, bottomUp)
					tree := v.Tree(0, bottomUp)
					ps := paths(tree)
					if len(ps) != max(len(total), 1) {
						t.Fatalf("%d nodes, want %d", len(ps), len(total))
					}
					for i, n := range tree.Nodes {
						if n.Total != total[ps[i]] || n.Self != self[ps[i]] {
							t.Fatalf("%s: self %d total %d, want %d %d", ps[i], n.Self, n.Total, self[ps[i]], total[ps[i]])
						}
					}
				})
			}
		}
	}
}

// TestTreeBelow compares the tree below each node with that part of the whole tree.
func TestTreeBelow(t *testing.T) {
	p := profiletest.Generate(profiletest.Options{Samples: 60, Inlines: true, Leave: 0.3})
	for _, q := range []profile.Query{{}, {Type: 1, By: profile.ByPackage}} {
		v := view(t, p, q)
		self, total := naiveTree(v, false)
		whole := v.Tree(0, false)
		for i := range whole.Nodes {
			var path []func(uint32) bool
			at := ""
			for k := uint32(i); k > 0; k = whole.Nodes[k].Parent {
				want := whole.Nodes[k].Node
				path = append(path, func(n uint32) bool { return n == want })
				at = fmt.Sprintf("/%d", want) + at
			}
			slices.Reverse(path)
			below := v.TreeBelow(path, 0)
			n := 0
			for p := range total {
				if p == at || strings.HasPrefix(p, at+"/") {
					n++
				}
			}
			if len(below.Nodes) != n {
				t.Fatalf("%d nodes below %s, want %d", len(below.Nodes), at, n)
			}
			for k, p := range paths(below) {
				if n := below.Nodes[k]; n.Self != self[at+p] || n.Total != total[at+p] {
					t.Fatalf("%s%s: self %d total %d, want %d %d", at, p, n.Self, n.Total, self[at+p], total[at+p])
				}
			}
		}
		if none := v.TreeBelow([]func(uint32) bool{func(uint32) bool { return false }}, 0); len(none.Nodes) != 1 ||
			none.Nodes[0].Total != 0 {
			t.Errorf("a path that no sample has: %+v", none.Nodes)
		}
	}
}

// TestTreePruning checks that a pruned tree has the heaviest nodes, that nothing
// is lost from totals, and that it is in preorder.
func TestTreePruning(t *testing.T) {
	p := profiletest.Generate(profiletest.Options{Samples: 3000, Inlines: true, Leave: 0.3})
	v := view(t, p, profile.Query{Type: 1})
	_, total := naiveTree(v, false)
	var all []int64
	for path, w := range total {
		if path != "" {
			all = append(all, w)
		}
	}
	slices.Sort(all)
	slices.Reverse(all)
	for _, n := range []int{1, 10, 500, len(all), len(all) + 10} {
		tree := v.Tree(n, false)
		var shown []int64
		children := make([]int64, len(tree.Nodes))
		for i, node := range tree.Nodes[1:] {
			if int(node.Parent) > i {
				t.Fatalf("node %d before its parent %d", i+1, node.Parent)
			}
			children[node.Parent] += node.Total
			if node.Rest == 0 {
				shown = append(shown, node.Total)
			}
		}
		for i, node := range tree.Nodes {
			if node.Rest == 0 && node.Self+children[i] != node.Total {
				t.Fatalf("n=%d: node %d: self %d + children %d != total %d", n, i, node.Self, children[i], node.Total)
			}
		}
		slices.Sort(shown)
		slices.Reverse(shown)
		if want := all[:min(n, len(all))]; !slices.Equal(shown, want) {
			t.Errorf("n=%d: shown are not the heaviest", n)
		}
	}
}

// naiveNode is a node of the full tree, by its path.
type naiveNode struct {
	self, total, weight int64 // weight is the sum of absolute values
	children            int32
}

func naiveNodes(v *profile.View, bottomUp bool) map[string]*naiveNode {
	nodes := map[string]*naiveNode{"": {}}
	for s := range v.Stacks() {
		if !bottomUp {
			slices.Reverse(s.Nodes)
		}
		path, n := "", nodes[""]
		n.total += s.Value
		for _, id := range s.Nodes {
			path += fmt.Sprintf("/%d", id)
			next := nodes[path]
			if next == nil {
				next = &naiveNode{}
				nodes[path] = next
				n.children++
			}
			n = next
			n.total += s.Value
			n.weight += max(s.Value, -s.Value)
		}
		n.self += s.Value
	}
	return nodes
}

// TestTreeOnManyCPUs grows trees of a profile that is large enough to be split over
// CPUs: they are those of one CPU, and the full tree's heaviest nodes. Values have
// both signs.
func TestTreeOnManyCPUs(t *testing.T) {
	o := profiletest.Options{Samples: 17_000, Functions: 500, MaxDepth: 12, Inlines: true, Leave: 0.25, Far: 0.1}
	p := profiletest.Generate(o)
	o.Samples = 4000 // the same stacks, as far as they go
	p, err := profile.DiffBase(p, profiletest.Generate(o), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, bottomUp := range []bool{false, true} {
		v := view(t, p, profile.Query{Hide: regexp.MustCompile(`\.method1..$`)})
		naive := naiveNodes(v, bottomUp)
		var weights []int64
		for path, n := range naive {
			if path != "" {
				weights = append(weights, n.weight)
			}
		}
		slices.Sort(weights)
		slices.Reverse(weights)
		for _, n := range []int{1, 30, 1000, 10_000, len(weights) - 1} {
			old := runtime.GOMAXPROCS(1)
			one := v.Tree(n, bottomUp)
			runtime.GOMAXPROCS(4)
			tree := v.Tree(n, bottomUp)
			runtime.GOMAXPROCS(old)
			if !slices.Equal(one.Nodes, tree.Nodes) {
				t.Fatalf("bottomUp=%v, %d nodes: another tree than on one CPU", bottomUp, n)
			}
			var shown []int64
			children := make([]profile.TreeNode, len(tree.Nodes)) // added up
			ps := paths(tree)
			for i, node := range tree.Nodes[1:] {
				c := &children[node.Parent]
				c.Total += node.Total
				if c.Rest += max(node.Rest, 1); node.Rest == 0 {
					shown = append(shown, naive[ps[i+1]].weight)
				}
			}
			for i, node := range tree.Nodes {
				if node.Rest > 0 {
					continue
				}
				want := naive[ps[i]]
				if node.Self != want.self || node.Total != want.total || children[i].Rest != want.children ||
					children[i].Total != want.total-want.self {
					t.Fatalf("bottomUp=%v, %d nodes: %s is %+v with children %+v, want %+v", bottomUp, n, ps[i],
						node, children[i], *want)
				}
			}
			slices.Sort(shown)
			slices.Reverse(shown)
			if !slices.Equal(shown, weights[:n]) {
				t.Errorf("bottomUp=%v, %d nodes: not the heaviest", bottomUp, n)
			}
		}
	}
}

// TestOwnEqualsNaive checks the own-code view against its definition, and that
// nothing is lost.
func TestOwnEqualsNaive(t *testing.T) {
	p := profiletest.Generate(profiletest.Options{Inlines: true, Functions: 60, Leave: 0.4})
	own := profile.OwnMatcher([]string{"example.com/service"}, nil)
	v := view(t, p, profile.Query{Type: 1, By: profile.ByLine})
	want := map[string]int64{}
	add := func(line, callee string, w int64) { want[line+" > "+callee] += w }
	for s := range v.Stacks() {
		callee, found := "", false
		for _, n := range s.Nodes {
			node := v.Node(n)
			if own(profile.Function{Name: node.Name, File: node.File}) {
				add(fmt.Sprintf("%s %s:%d", node.Name, node.File, node.Line), callee, s.Value)
				found = true
				break
			}
			callee = node.Name
		}
		if !found {
			add("", callee, s.Value)
		}
	}
	got := map[string]int64{}
	r := v.Own(own)
	var sum int64
	for _, l := range r.Lines {
		key := fmt.Sprintf("%s %s:%d", l.Function, l.File, l.Line)
		if l.Self != 0 {
			got[key+" > "] = l.Self
		}
		cost := l.Self
		for _, c := range l.Callees {
			got[key+" > "+c.Function] = c.Cost
			cost += c.Cost
		}
		if cost != l.Cost {
			t.Errorf("%s: self and callees are %d, cost %d", key, cost, l.Cost)
		}
		sum += l.Cost
	}
	for _, c := range r.None {
		got[" > "+c.Function] = c.Cost
		sum += c.Cost
	}
	if sum != r.Own+r.Rest || sum != v.Total() {
		t.Errorf("lines and rest are %d, own + rest %d, total %d", sum, r.Own+r.Rest, v.Total())
	}
	for k, w := range want {
		if got[k] != w {
			t.Errorf("%s: %d, want %d", k, got[k], w)
		}
	}
	if len(got) != len(want) || len(r.Lines) < 10 {
		t.Errorf("%d charges, want %d; %d own lines", len(got), len(want), len(r.Lines))
	}
	for i, l := range r.Lines[1:] {
		if r.Lines[i].Cost < l.Cost {
			t.Error("own lines are not in order of cost")
		}
	}
}

// TestAroundIsPartOfGraph checks that the calls around some nodes are those of the whole graph.
func TestAroundIsPartOfGraph(t *testing.T) {
	v := view(t, profiletest.Generate(profiletest.Options{Inlines: true, Leave: 0.4}), profile.Query{Type: 1})
	match := func(w profile.Weight) bool { return strings.Contains(w.Name, "method1") }
	whole, around := v.Graph(nil), v.Around(match)
	want := slices.DeleteFunc(whole.Edges, func(e profile.Edge) bool {
		return !match(whole.Nodes[e.From]) && !match(whole.Nodes[e.To])
	})
	if !slices.Equal(around.Edges, want) || len(want) == 0 {
		t.Errorf("%d calls, want %d", len(around.Edges), len(want))
	}
}

func TestViewErrors(t *testing.T) {
	p := profiletest.Generate(profiletest.Options{Labels: true})
	for _, c := range []struct {
		q    profile.Query
		want string
	}{
		{profile.Query{Type: 7}, "the profile has 2"},
		{profile.Query{TagFocus: "endpoint=("}, "missing closing"},
		{profile.Query{TagIgnore: "1kb:5ms"}, "mixes"},
		{profile.Query{TagIgnore: "99999999999999999999:"}, "out of range"},
	} {
		if _, err := p.View(c.q); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want one with %q", c.q, err, c.want)
		}
	}
	if _, err := p.TypeIndex("heap"); err == nil || !strings.Contains(err.Error(), "samples, cpu") {
		t.Errorf("an unknown sample type's error does not list the valid ones: %v", err)
	}
	if _, _, err := profile.ParseBy("lines"); err == nil || !strings.Contains(err.Error(), "label:KEY") {
		t.Errorf("an unknown granularity's error does not list the valid ones: %v", err)
	}
}

func TestUnmatchedFilters(t *testing.T) {
	p := profiletest.Generate(profiletest.Options{})
	v := view(t, p, profile.Query{TagFocus: "nothing=x"})
	if got := v.Unmatched(); !slices.Equal(got, []string{"tag-focus"}) || v.Samples() != 0 {
		t.Errorf("unmatched %q, %d samples", got, v.Samples())
	}
}
