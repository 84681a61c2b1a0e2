package flame

import (
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/whet-go/whet/internal/goruntime"
	"github.com/whet-go/whet/profile"
)

// Views returns one view for each sample type of p: first that of v, then the others with the same filters.
// frame describes the nodes.
func Views(
	p *profile.Profile, first *profile.View, frame func(profile.Node) Frame,
) ([]View, error) {
	types := []int{first.Query().Type}
	for t := range p.SampleTypes {
		if t != types[0] && p.SampleTypes[t] != p.SampleTypes[types[0]] {
			types = append(types, t)
		}
	}
	views := make([]View, len(types))
	scaled := make([]ratio, len(types)) // to the values of the first type, where there is such a ratio
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, t := range types {
		if i > 0 {
			if scaled[i] = proportion(p, types[0], t); scaled[i].of != 0 {
				continue
			}
		}
		g.Go(func() error {
			v := first
			if i > 0 {
				q := first.Query()
				q.Type = t
				var err error
				if v, err = p.View(q); err != nil {
					return err
				}
			}
			views[i] = View{
				Type: v.Type(), Total: v.Total(), Frame: func(id uint32) Frame { return frame(v.Node(id)) },
			}
			var both sync.WaitGroup
			both.Go(func() { views[i].Weights = v.Nodes(false) })
			views[i].Tree = v.Tree(MaxNodes, false)
			both.Wait()
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i, r := range scaled {
		if r.of != 0 {
			views[i] = View{
				Type: p.SampleTypes[types[i]], Total: r.apply(views[0].Total), Tree: r.tree(views[0].Tree),
				Weights: r.weights(views[0].Weights), Frame: views[0].Frame,
			}
		}
	}
	return views, nil
}

// Below returns the view of the part of v's tree below a path, which has the names of frames from the root's child
// down; false if there is none. frame describes the nodes.
func Below(v *profile.View, path []string, frame func(profile.Node) Frame) (View, bool) {
	names := make(map[uint32]string)
	name := func(id uint32) string {
		text, ok := names[id]
		if !ok {
			text = frame(v.Node(id)).Name
			names[id] = text
		}
		return text
	}
	steps := make([]func(uint32) bool, len(path))
	for i, want := range path {
		steps[i] = func(id uint32) bool { return name(id) == want }
	}
	tree := v.TreeBelow(steps, MaxNodes)
	return View{
		Type: v.Type(), Total: v.Total(), Frame: func(id uint32) Frame { return frame(v.Node(id)) }, Tree: tree,
	}, len(tree.Nodes) > 1 || tree.Nodes[0].Total != 0
}

// A ratio converts the values of one sample type to another: times/of, in lowest terms. The zero ratio is none.
type ratio struct{ times, of int64 }

// proportion returns the ratio of type b's values to type a's if it is the same for all samples, as in CPU profiles,
// where the time is the samples times the period. Their trees are then one tree, and building it takes most of the
// time.
func proportion(p *profile.Profile, a, b int) ratio {
	var r ratio
	for i := range p.NumSamples() {
		x, y := p.Value(i, a), p.Value(i, b)
		switch {
		case x == 0 && y == 0:
			continue
		case x == 0 || y == 0:
			return ratio{}
		case r.of == 0:
			d := gcd(x, y)
			if r = (ratio{y / d, x / d}); r.of < 0 {
				r = ratio{-r.times, -r.of}
			}
		}
		// x/of*times without overflow, as apply does it.
		if r.times < 0 || x%r.of != 0 || y%r.times != 0 || x/r.of != y/r.times {
			return ratio{}
		}
	}
	return r
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// apply scales a sum of the first type's values. It is exact: times and of have no common factor, so of divides each
// value, and each sum.
func (r ratio) apply(v int64) int64 { return v / r.of * r.times }

func (r ratio) tree(t *profile.Tree) *profile.Tree {
	nodes := slices.Clone(t.Nodes)
	for i := range nodes {
		nodes[i].Self, nodes[i].Total = r.apply(nodes[i].Self), r.apply(nodes[i].Total)
	}
	return &profile.Tree{Nodes: nodes}
}

func (r ratio) weights(ws []profile.Weight) []profile.Weight {
	ws = slices.Clone(ws)
	for i := range ws {
		ws[i].Flat, ws[i].Cum = r.apply(ws[i].Flat), r.apply(ws[i].Cum)
	}
	return ws
}

// Frames returns a function that describes nodes of views of p by the key by: whose code they are, and where a
// function begins if the view does not tell lines apart. own reports whether a function is own code; nil means that
// this is unknown.
func Frames(
	p *profile.Profile, by profile.By, own func(profile.Function) bool,
) func(profile.Node) Frame {
	begins := make(map[string]int64)
	isGo := false // in other languages, what looks like a package is not one
	for _, fn := range p.Functions {
		isGo = isGo || goruntime.In(fn.Name)
		if _, ok := begins[fn.Name]; !ok && fn.StartLine > 0 && by == profile.ByFunction {
			begins[fn.Name] = fn.StartLine
		}
	}
	return func(n profile.Node) Frame {
		f := NewFrame(n, Unknown)
		if f.Line == 0 && n.Name != "" {
			f.Line = int(begins[n.Name])
		}
		symbol := n.Name
		switch by {
		case profile.ByLabel, profile.ByFile:
			return f
		case profile.ByPackage, profile.ByModule:
			f.Package = n.Name
			symbol = n.Name + "." // as the name of a function in it
		case profile.ByFunction, profile.ByLine, profile.ByAddress:
		}
		switch {
		case f.Package == "":
		case !isGo && own == nil:
		case own != nil && own(profile.Function{Name: symbol, File: n.File}):
			f.Kind = Own
		case f.Package == "std" || profile.IsStd(f.Package):
			f.Kind = Std
		default:
			f.Kind = Dependency
		}
		return f
	}
}
