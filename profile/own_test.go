package profile_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	gprofile "github.com/google/pprof/profile"

	"github.com/whet-go/whet/profile"
)

// frame is one frame of a stack of stacksOf.
type frame struct {
	function, file string
	line           int64
}

// stacksOf makes a profile of one sample of 1 for each stack, leaf first.
func stacksOf(t *testing.T, stacks ...[]frame) *profile.Profile {
	t.Helper()
	p := &gprofile.Profile{SampleType: []*gprofile.ValueType{{Type: "cpu", Unit: "nanoseconds"}}}
	functions := map[frame]*gprofile.Function{}
	for _, stack := range stacks {
		s := &gprofile.Sample{Value: []int64{1}}
		for _, f := range stack {
			key := frame{f.function, f.file, 0}
			fn := functions[key]
			if fn == nil {
				fn = &gprofile.Function{ID: uint64(len(p.Function) + 1), Name: f.function, SystemName: f.function, Filename: f.file}
				functions[key] = fn
				p.Function = append(p.Function, fn)
			}
			l := &gprofile.Location{
				ID: uint64(len(p.Location) + 1), Address: uint64(len(p.Location) + 1),
				Line: []gprofile.Line{{Function: fn, Line: f.line}},
			}
			p.Location = append(p.Location, l)
			s.Location = append(s.Location, l)
		}
		p.Sample = append(p.Sample, s)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return parsed(t, b.Bytes())
}

// TestOwnInjected checks that samples below a frame that the runtime injected belong to the interrupted
// code: to the line itself, or to what the line really called.
func TestOwnInjected(t *testing.T) {
	loop := frame{"main.loop", "main.go", 7}
	index := frame{"strings.Index", "strings.go", 9}
	preempt := []frame{{"runtime.asyncPreempt2", "preempt.go", 320}, {"runtime.asyncPreempt", "preempt_amd64.s", 53}}
	p := stacksOf(t,
		append(slices.Clone(preempt), loop),
		append([]frame{{"runtime.mcall", "asm.s", 1}}, append(slices.Clone(preempt), loop)...),
		append(slices.Clone(preempt[1:]), index, loop),
		[]frame{{"runtime.morestack", "asm.s", 5}, loop},
		append(slices.Clone(preempt), frame{"net/http.(*conn).serve", "server.go", 3}),
		preempt,
	)
	r := view(t, p, profile.Query{}).Own(profile.OwnMatcher(nil, nil))
	want := []profile.OwnLine{{
		Function: "main.loop", File: "main.go", Line: 7, Self: 2, Cost: 4,
		Callees: []profile.OwnCallee{{Function: "runtime.morestack", Cost: 1}, {Function: "strings.Index", Cost: 1}},
	}}
	if !slices.EqualFunc(r.Lines, want, equalOwn) {
		t.Errorf("own lines %+v, want %+v", r.Lines, want)
	}
	if want := []profile.OwnCallee{
		{Function: "net/http.(*conn).serve", Cost: 1},
		{Function: "runtime.asyncPreempt", Cost: 1},
	}; !slices.Equal(r.None, want) {
		t.Errorf("no own code: %+v, want %+v", r.None, want)
	}
}

func equalOwn(a, b profile.OwnLine) bool {
	return a.Function == b.Function && a.File == b.File && a.Line == b.Line && a.Self == b.Self && a.Cost == b.Cost &&
		slices.Equal(a.Callees, b.Callees)
}

// TestOwnGeneric checks that a line has one row however often its code was compiled: instantiated, or
// inlined into several functions.
func TestOwnGeneric(t *testing.T) {
	sum := func(typ string) frame { return frame{"main.Sum[go.shape." + typ + "]", "main.go", 7} }
	add := func(typ string) frame { return frame{"slices.Grow[go.shape." + typ + "]", "slices.go", 3} }
	p := stacksOf(t,
		[]frame{sum("int")}, []frame{sum("float64")}, []frame{sum("string")},
		[]frame{add("int"), sum("int")}, []frame{add("string"), sum("string")},
		[]frame{{"main.a.Values.func1", "main.go", 20}},
		[]frame{{"main.b.Values.func1", "main.go", 20}}, []frame{{"main.b.Values.func1", "main.go", 20}},
		[]frame{{"main.x", "", 0}}, []frame{{"main.y", "", 0}},
	)
	r := view(t, p, profile.Query{}).Own(profile.OwnMatcher(nil, nil))
	want := []profile.OwnLine{
		{
			Function: "main.Sum[...]", File: "main.go", Line: 7, Self: 3, Cost: 5,
			Callees: []profile.OwnCallee{{Function: "slices.Grow[...]", Cost: 2}},
		},
		{Function: "main.b.Values.func1", File: "main.go", Line: 20, Self: 3, Cost: 3},
		{Function: "main.x", Self: 1, Cost: 1},
		{Function: "main.y", Self: 1, Cost: 1},
	}
	if !slices.EqualFunc(r.Lines, want, equalOwn) {
		t.Errorf("own lines %+v, want %+v", r.Lines, want)
	}
}

// TestCanceled adds up nothing once a view's query is canceled, in any of the passes over samples.
func TestCanceled(t *testing.T) {
	p := stacksOf(t, []frame{{"main.a", "main.go", 1}}, []frame{{"main.b", "main.go", 2}})
	var canceled error
	v := view(t, p, profile.Query{Canceled: func() error { return canceled }})
	if r := v.Own(profile.OwnMatcher(nil, nil)); len(r.Lines) != 2 {
		t.Errorf("own lines %+v, want 2", r.Lines)
	}
	canceled = errors.New("canceled")
	if r := v.Own(profile.OwnMatcher(nil, nil)); len(r.Lines) != 0 {
		t.Errorf("own lines %+v, want none", r.Lines)
	}
	for s := range v.Stacks() {
		t.Errorf("a stack: %v", s)
	}
	if nodes := v.Nodes(true); len(nodes) != 0 {
		t.Errorf("nodes: %v", nodes)
	}
}
