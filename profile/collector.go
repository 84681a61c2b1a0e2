package profile

import (
	"regexp"
	"strings"

	"github.com/whet-go/whet/internal/goruntime"
)

// CollectorPattern returns a pattern of the functions whose callees are all garbage collection:
// marking by the collector's goroutines and by those that allocate (assists), flushing of write
// barriers, sweeping, and returning memory to the operating system.
func CollectorPattern() string {
	names := goruntime.Collectors()
	for i := range names {
		names[i] = regexp.QuoteMeta(names[i])
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

// A Collection is the garbage collector's part of a CPU profile's value. Every share of the
// collector that is reported as CPU time of a profile is Total divided by All.
type Collection struct {
	All        int64 // of the profile
	Background int64 // in the collector's own goroutines
	InProgram  int64 // in the program's goroutines: assists, sweeping before allocating, write barriers
}

// Total returns the value of all garbage collection.
func (c Collection) Total() int64 { return c.Background + c.InProgram }

// Collection sums the samples with a function of the collector in their stacks, for one sample
// type.
func (p *Profile) Collection(typ int) Collection {
	is := make([]bool, len(p.Functions))
	outer := make([]bool, len(p.Functions))
	for i := range p.Functions {
		role := goruntime.Of(p.Functions[i].Name).Collector
		is[i], outer[i] = role != goruntime.NoRole, role == goruntime.Background
	}
	var c Collection
	var stack []uint32
	for i := range p.NumSamples() {
		v := p.Value(i, typ)
		c.All += v
		if v == 0 {
			continue
		}
		stack = p.AppendStack(stack[:0], i)
		found, background := false, false
		for _, li := range stack {
			loc := &p.Locations[li]
			for _, ln := range p.Lines[loc.First : loc.First+loc.Num] {
				if ln.Function != None && is[ln.Function] {
					found, background = true, background || outer[ln.Function]
				}
			}
		}
		switch {
		case background:
			c.Background += v
		case found:
			c.InProgram += v
		}
	}
	return c
}
