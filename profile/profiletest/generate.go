package profiletest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/whet-go/whet/profile"
)

// Options describe a profile. The zero value is a small CPU profile.
type Options struct {
	Seed      uint64
	Samples   int     // 0: 1000
	Functions int     // 0: 200
	Lines     int     // lines in all functions, one location each; 0: 4 per function
	MinDepth  int     // 0: 5
	MaxDepth  int     // 0: 20
	Leave     float64 // share of calls that leave the hot callee; 0: 0.12
	Far       float64 // share of those that go anywhere, not to one of a few; 0: none
	Inlines   bool    // every fifth location has an inlined frame
	Labels    bool    // every second sample has labels
	Heap      bool    // the four heap sample types instead of the two of CPU
}

// fanOut is how many callees a line has.
const fanOut = 3

func or(x, def int) int {
	if x == 0 {
		return def
	}
	return x
}

// Large is the profile of half a million samples whose stacks hardly share: 20
// million frames fold into 12 million nodes of a call tree.
func Large() Options {
	return Options{Samples: 500_000, Functions: 20_000, Lines: 80_000, MinDepth: 20, MaxDepth: 60, Leave: 0.12, Far: 0.3}
}

// LargeShared is Large with stacks that share prefixes as real ones do: 2.2
// frames a node (real profiles have 1.2 to 6.4).
func LargeShared() Options {
	o := Large()
	o.Far = 0
	return o
}

// Generate builds the profile. Equal options give equal profiles.
func Generate(o Options) *profile.Profile {
	o.Samples, o.Functions = or(o.Samples, 1000), or(o.Functions, 200)
	o.Lines = max(or(o.Lines, 4*o.Functions), o.Functions)
	o.MinDepth, o.MaxDepth = or(o.MinDepth, 5), or(o.MaxDepth, 20)
	if o.Leave == 0 {
		o.Leave = 0.12
	}
	rnd := rand.New(rand.NewPCG(o.Seed, 1))
	types := []profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}
	meta := &profile.Profile{
		PeriodType: types[1], Period: 1e7, Time: time.Unix(1_700_000_000, 0), Duration: 30 * time.Second,
	}
	if o.Heap {
		types = []profile.ValueType{
			{Type: "alloc_objects", Unit: "count"},
			{Type: "alloc_space", Unit: "bytes"},
			{Type: "inuse_objects", Unit: "count"},
			{Type: "inuse_space", Unit: "bytes"},
		}
		meta.PeriodType, meta.Period = profile.ValueType{Type: "space", Unit: "bytes"}, 512<<10
		meta.DefaultSampleType = "inuse_space"
	}
	b := profile.NewBuilder(types...)
	mapping := b.Mapping(profile.Mapping{
		Start: 0x400000, Limit: 0x400000 + uint64(o.Lines)*64, File: "/bin/service", BuildID: "generated",
		HasFunctions: true, HasFilenames: true, HasLineNumbers: true,
	})
	// Location i is line i/functions of function i%functions. Like a real profile,
	// this one holds only what its samples use.
	function := func(i int) uint32 {
		pkg := []string{
			"runtime", "net/http", "encoding/json", "example.com/service/api", "example.com/service/store",
			"github.com/lib/codec",
		}[i%6]
		name := fmt.Sprintf("%s.(*T%d).method%d", pkg, i/7, i)
		return b.Function(profile.Function{
			Name: name, SystemName: name, File: fmt.Sprintf("/src/%s/file%d.go", pkg, i/20), StartLine: int64(i%20)*50 + 1,
		})
	}
	locations := make([]uint32, o.Lines) // index plus one
	location := func(i uint32) uint32 {
		if locations[i] > 0 {
			return locations[i] - 1
		}
		f := int(i) % o.Functions
		lines := []profile.Line{{Function: function(f), Line: int32(f%20*50 + 2 + int(i)/o.Functions)}}
		if o.Inlines && i%5 == 0 {
			g := (f*31 + 7) % o.Functions
			lines = []profile.Line{{Function: function(g), Line: int32(g%20*50 + 3)}, lines[0]}
		}
		l := b.Location(0x400000+uint64(i)*64, mapping, false, lines...)
		locations[i] = l + 1
		return l
	}
	// Each location calls its hot callee, or now and then one of a few others.
	callees := make([]uint32, o.Lines*fanOut)
	for i := range callees {
		callees[i] = uint32(rnd.IntN(o.Lines))
	}
	stack := make([]uint32, o.MaxDepth)
	var labels []profile.Label
	for s := 0; s < 2*o.Samples && b.NumSamples() < o.Samples; s++ { // equal samples are merged
		depth := o.MinDepth + rnd.IntN(o.MaxDepth-o.MinDepth+1)
		at := uint32(rnd.IntN(min(16, o.Lines)))
		for d := depth - 1; d >= 0; d-- {
			stack[d] = location(at)
			switch {
			case rnd.Float64() >= o.Leave:
				at = callees[at*fanOut]
			case rnd.Float64() < o.Far:
				at = uint32(rnd.IntN(o.Lines))
			default:
				at = callees[at*fanOut+1+rnd.Uint32N(fanOut-1)]
			}
		}
		labels = labels[:0]
		if o.Labels && s%2 == 0 {
			labels = append(labels,
				profile.Label{Key: "endpoint", Str: fmt.Sprintf("/v1/%d", rnd.IntN(5))},
				profile.Label{Key: "bytes", Num: 16 << rnd.IntN(10), Numeric: true})
		}
		n := 1 + rnd.Int64N(3)
		values := []int64{n, n * 1e7}
		if o.Heap {
			size := int64(16) << rnd.IntN(12)
			values = []int64{n * 10, n * 10 * size, n, n * size}
		}
		if err := b.Sample(stack[:depth], labels, values...); err != nil {
			panic(err) // the value count is right above
		}
	}
	return b.Profile(meta)
}
