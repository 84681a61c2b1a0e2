package shape

import (
	"math"
	"testing"

	"github.com/whet-go/whet/profile"
)

// frame is a frame of a test's stack, innermost first.
type frame struct {
	symbol string
	start  int64
	line   int32
}

// cpuProfile builds a CPU profile of stacks and the numbers of their samples.
func cpuProfile(t *testing.T, stacks [][]frame, counts []int64) *profile.Profile {
	t.Helper()
	b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"},
		profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	address := uint64(0)
	for i, stack := range stacks {
		var locs []uint32
		for _, fr := range stack {
			fn := b.Function(profile.Function{Name: fr.symbol, File: "f.go", StartLine: fr.start})
			address++
			locs = append(locs, b.Location(address, profile.None, false, profile.Line{Function: fn, Line: fr.line}))
		}
		if err := b.Sample(locs, nil, counts[i], counts[i]*1e7); err != nil {
			t.Fatal(err)
		}
	}
	return b.Profile(nil)
}

// TestOf charges stacks below a function to the innermost line of the module and what it calls, in
// any binary.
func TestOf(t *testing.T) {
	t.Parallel()
	of := &Subject{Module: "example.com/m.v1", Package: "example.com/m.v1/cmd/s", Main: true, Symbol: "(*Set).Add"}
	recorded := cpuProfile(t, [][]frame{
		{ // in a literal of a generic method, where the runtime allocates
			{"runtime.mallocgc", 9, 10},
			{"main.(*Set[go.shape.int]).Add.func1", 20, 25},
			{"main.(*Set[go.shape.int]).Add", 10, 30},
			{"main.main", 1, 2},
		},
		{ // in another package of the module, calling the standard library
			{"unicode/utf8.DecodeRune", 5, 6},
			{"strings.ToUpper", 5, 7},
			{"example.com/m.v1/text.Upper", 40, 44},
			{"main.(*Set[go.shape.string]).Add", 10, 12},
		},
		{{"main.(*Setting).Add", 1, 2}}, // another function
		{{"runtime.gcBgMarkWorker", 1, 2}},
	}, []int64{30, 70, 500, 500})
	got, err := of.Of(recorded)
	if err != nil {
		t.Fatal(err)
	}
	want := map[spot]float64{
		{function: "example.com/m.v1/cmd/s.(*Set).Add.func1", line: 5}:               0.3,
		{function: "example.com/m.v1/text.Upper", line: 4, calls: "strings.ToUpper"}: 0.7,
	}
	if got.Samples != 100 || len(got.parts) != len(want) {
		t.Errorf("%d samples, %v", got.Samples, got.parts)
	}
	for at, share := range want {
		if math.Abs(got.parts[at]-share) > 1e-9 {
			t.Errorf("%v: %v, want %v", at, got.parts[at], share)
		}
	}
	// The same code in a test binary, moved by seven lines and in other proportions.
	measured, err := of.Of(cpuProfile(t, [][]frame{
		{
			{"example.com/m.v1/cmd/s.(*Set[go.shape.int]).Add.func1", 27, 32},
			{"example.com/m.v1/cmd/s.(*Set[go.shape.int]).Add", 17, 37},
			{"example.com/m.v1/cmd/s.BenchmarkWhet", 1, 2},
		},
		{
			{"strings.ToUpper", 5, 8},
			{"example.com/m.v1/text.Upper", 40, 44},
			{"example.com/m.v1/cmd/s.(*Set[go.shape.int]).Add", 17, 19},
		},
	}, []int64{90, 10}))
	if err != nil {
		t.Fatal(err)
	}
	if s := Similarity(got, measured); math.Abs(s-0.4) > 1e-9 {
		t.Errorf("similarity is %v, want 0.3 + 0.1", s)
	}
	if s := Similarity(got, got); math.Abs(s-1) > 1e-9 {
		t.Errorf("similarity with itself is %v", s)
	}
	unknown, err := of.Of(cpuProfile(t, [][]frame{{{"main.(*Set[go.shape.int]).Add", 0, 12}}}, []int64{100}))
	if err != nil || unknown.Samples != 0 {
		t.Errorf("without first lines: %d samples, %v", unknown.Samples, err)
	}
}
