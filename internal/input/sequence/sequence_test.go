package sequence

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"testing"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/profile/flame"
	"github.com/whet-go/whet/internal/trace/tracetest"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/trace/index"
)

// spin and turn cost CPU time, with different stacks.
//
//go:noinline
func spin(n int) (sum int) {
	for i := range n {
		sum ^= sum<<1 + i
	}
	return sum
}

//go:noinline
func turn(n int) int { return spin(n) + 1 }

// traced returns a trace with at least some CPU samples.
func traced(t *testing.T) *index.Index {
	t.Helper()
	const enough = 20
	for n := 1 << 22; ; n *= 2 {
		var out bytes.Buffer
		if err := pprof.StartCPUProfile(io.Discard); err != nil {
			t.Fatal(err)
		}
		err := trace.Start(&out)
		sum := 0
		for range 4 {
			sum += spin(n)
			sum += turn(n)
		}
		trace.Stop()
		pprof.StopCPUProfile()
		if err != nil || sum == 42 {
			t.Fatal(sum, err)
		}
		x := tracetest.Index(t, out.Bytes())
		if x.Info.Samples >= enough {
			return x
		}
		if n > 1<<34 {
			t.Fatalf("%d CPU samples", x.Info.Samples)
		}
	}
}

// open returns the index of a trace with CPU samples, and a function that binds an input to filters.
func open(t *testing.T) (x *index.Index, bind func(profile.Query) *input.Input) {
	t.Helper()
	p := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"}).Profile(nil)
	return traced(t), func(q profile.Query) *input.Input {
		v, err := p.View(q)
		if err != nil {
			t.Fatal(err)
		}
		return &input.Input{Profile: p, View: v}
	}
}

// stacksOf returns the functions of each sample in the order of time, the outermost first.
func stacksOf(t *testing.T, x *index.Index) [][]string {
	t.Helper()
	var all [][]string
	err := x.Records(index.Samples, 0, x.Info.Duration, func(r *index.Record) bool {
		var names []string
		for _, f := range x.Stack(r.Stack) {
			names = append([]string{f.Func}, names...)
		}
		if len(names) > 0 {
			all = append(all, names)
		}
		return true
	})
	if err != nil || len(all) == 0 {
		t.Fatal(len(all), err)
	}
	return all
}

// leaves returns the stacks of a view's nodes with a cost without calls, as often as they cost, in the order of the
// nodes.
func leaves(v flame.View) []string {
	paths := make([]string, len(v.Tree.Nodes))
	var list []string
	for i, n := range v.Tree.Nodes {
		if i > 0 {
			paths[i] = paths[n.Parent] + "/" + v.Frame(n.Node).Name
		}
		for range n.Self {
			list = append(list, paths[i])
		}
	}
	return list
}

// TestNew compares the boxes with the samples, one by one.
func TestNew(t *testing.T) {
	x, bind := open(t)
	all := stacksOf(t, x)
	v, warnings, err := New(x, bind(profile.Query{}))
	if err != nil || len(warnings) > 0 || !v.Ordered || v.Total != int64(len(all)) {
		t.Fatalf("total %d of %d samples, ordered %v: %v, %v", v.Total, len(all), v.Ordered, err, warnings)
	}
	sums := map[string]int{}
	for _, names := range all {
		sums["/"+strings.Join(names, "/")]++
	}
	for _, path := range leaves(v) {
		sums[path]--
	}
	for path, n := range sums {
		if n != 0 {
			t.Errorf("%s: %d samples too few", path, n)
		}
	}
	// The leaves whose boxes have no calls are in the order of the samples.
	at := 0
	for i, n := range v.Tree.Nodes {
		if i == 0 || n.Self == 0 || i+1 < len(v.Tree.Nodes) && int(v.Tree.Nodes[i+1].Parent) == i {
			continue
		}
		name := v.Frame(n.Node).Name
		for at < len(all) && all[at][len(all[at])-1] != name {
			at++
		}
	}
	if at >= len(all) {
		t.Error("the boxes are not in the order of the samples")
	}
}

// TestNoSamples has the reason in the error.
func TestNoSamples(t *testing.T) {
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	trace.Stop()
	_, bind := open(t)
	if _, _, err := New(tracetest.Index(t, out.Bytes()), bind(profile.Query{})); !errors.Is(err, errNoSamples) {
		t.Error(err)
	}
}

func TestFilters(t *testing.T) {
	x, bind := open(t)
	all := stacksOf(t, x)
	innermost := all[0][len(all[0])-1]
	one := regexp.MustCompile("^" + regexp.QuoteMeta(innermost) + "$")
	with := 0
	for _, names := range all {
		if strings.Contains("/"+strings.Join(names, "/")+"/", "/"+innermost+"/") {
			with++
		}
	}
	total := func(q profile.Query) int64 {
		v, _, err := New(x, bind(q))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range leaves(v) {
			if q.Hide != nil && strings.Contains(path+"/", "/"+innermost+"/") {
				t.Errorf("%s is not hidden in %s", innermost, path)
			}
		}
		return v.Total
	}
	if n := total(profile.Query{Focus: one}); n != int64(with) {
		t.Errorf("focus keeps %d samples, want %d", n, with)
	}
	if n := total(profile.Query{Ignore: one}); n != int64(len(all)-with) {
		t.Errorf("ignore keeps %d samples, want %d", n, len(all)-with)
	}
	total(profile.Query{Hide: one})
	for _, q := range []profile.Query{
		{TagFocus: "a=b"}, {Show: one}, {ShowFrom: one}, {PruneFrom: one}, {By: profile.ByLine},
	} {
		if _, _, err := New(x, bind(q)); err == nil {
			t.Errorf("%+v: no error", q)
		}
	}
}
