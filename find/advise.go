package find

import (
	"github.com/whet-go/whet/find/advice"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/trace/stacks"
)

// advice returns the causes that no single line shows. A module after rewrites gets none: its lines
// are not those of the recording.
func (p Profiles) advice(c *lineCosts, code *hotCode, o Options) []advice.Advice {
	if o.OriginalDir != "" {
		return nil
	}
	in := advice.Input{
		Packages: code.packages, Relative: c.module.Relative, CPU: p.CPU, Allocs: p.Allocs, Heap: p.Heap,
		Goroutines: p.Goroutines, Window: p.Window,
		Locate: func(f stacks.Frame) (string, int, bool) {
			if f.File == "" || !o.Own(profile.Function{Name: f.Func, File: f.File}) {
				return "", 0, false
			}
			at, reason := c.source.locateFrame(f)
			return at.file, at.line, reason == ""
		},
		Describe: func(file string, line int) (function, code string) {
			return c.source.function(file, line), c.source.placeOf(file, line, 1, line).Code
		},
	}
	if p.Waits != nil {
		in.Traces = &p.Waits.traces
	}
	return advice.Find(in)
}
