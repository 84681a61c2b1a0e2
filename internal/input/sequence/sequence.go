package sequence

import (
	"errors"
	"regexp"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/profile/flame"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/trace/index"
)

// maxSamples is how many samples a view has: those of the first minutes of a busy machine.
const maxSamples = 1 << 20

// errNoSamples is the error of a trace without CPU samples.
var errNoSamples = errors.New("the execution trace has no CPU samples")

// New returns the view of the CPU samples of x, a trace of the same program as in, in the order of
// their times. The filters are those of in's query that select by function or file; it returns an
// error if others are set. The warnings report samples that are left out.
func New(x *index.Index, in *input.Input) (view flame.View, warnings diag.Warnings, err error) {
	q := in.View.Query()
	if q.By != profile.ByFunction || q.TagFocus != "" || q.TagIgnore != "" || q.Show != nil || q.ShowFrom != nil ||
		q.PruneFrom != nil {
		return view, nil, diag.Usagef("order", "samples in the order of time have functions, and no labels",
			"only focus, ignore and hide apply to them")
	}
	r := &reader{x: x, q: q, ids: map[profile.Node]uint32{}, stacks: map[uint32][]uint32{}}
	s := flame.NewSequence()
	n := 0
	err = x.Records(index.Samples, 0, x.Info.Duration, func(one *index.Record) bool {
		if n++; n > maxSamples {
			return false
		}
		if stack := r.stack(one.Stack); len(stack) > 0 {
			s.Add(stack, 1)
		}
		return true
	})
	switch {
	case err != nil:
		return view, nil, err
	case n == 0:
		return view, nil, &diag.Error{
			Op: "order by time", Err: errNoSamples, Kind: diag.Usage,
			Hint: "record the CPU profile while the trace is taken: `whet record --trace` of the profile's duration",
		}
	case n > maxSamples:
		warnings.Addf("only the first %d CPU samples are shown", maxSamples)
	}
	frame := flame.Frames(in.Profile, profile.ByFunction, in.Own.Matcher())
	tree := s.Tree()
	return flame.View{
		Type: profile.ValueType{Type: "samples", Unit: "count"}, Total: tree.Nodes[0].Total,
		Tree: flame.Prune(tree, flame.MaxNodes), Ordered: true,
		Frame: func(id uint32) flame.Frame { return frame(r.nodes[id]) },
	}, warnings, nil
}

// A reader translates stacks of a trace.
type reader struct {
	x      *index.Index
	q      profile.Query
	nodes  []profile.Node
	ids    map[profile.Node]uint32
	stacks map[uint32][]uint32 // by number; nil if the filters drop the samples
}

// stack returns the functions of a stack that the filters keep, the outermost first.
func (r *reader) stack(n uint32) []uint32 {
	if known, ok := r.stacks[n]; ok {
		return known
	}
	frames := r.x.Stack(n)
	var stack []uint32
	focused := r.q.Focus == nil
	for i := len(frames) - 1; i >= 0; i-- {
		f := frames[i]
		node := profile.Node{Name: f.Func, File: f.File}
		if matches(r.q.Ignore, node) {
			stack, focused = nil, false
			break
		}
		focused = focused || matches(r.q.Focus, node)
		if matches(r.q.Hide, node) {
			continue
		}
		id, ok := r.ids[node]
		if !ok {
			id = uint32(len(r.nodes))
			r.ids[node] = id
			r.nodes = append(r.nodes, node)
		}
		stack = append(stack, id)
	}
	if !focused {
		stack = nil
	}
	r.stacks[n] = stack
	return stack
}

// matches reports whether a filter matches a function, by its name or file.
func matches(re *regexp.Regexp, n profile.Node) bool {
	return re != nil && (re.MatchString(n.Name) || re.MatchString(n.File))
}
