package recorded

import (
	"errors"
	"io"
	"slices"

	"github.com/whet-go/whet/internal/capture/arguments"
	"github.com/whet-go/whet/internal/capture/support"
	"github.com/whet-go/whet/recording"
)

// minCalls is the number of recorded calls from which on the sizes of results say something about other calls.
const minCalls = 2

// A function is one whose calls were copied.
type function struct{ pkg, name string }

// readSizes reads how long the results of functions were in calls that were copied (--capture). A part that is
// damaged is left out with a warning: sizes only serve candidates.
func (p *Program) readSizes() {
	if p.Recording == nil || !p.Recording.Has(recording.ArgumentsPart) {
		return
	}
	d, err := readCalls(p.Recording)
	if err != nil {
		p.warn(err)
		return
	}
	p.sizes = map[function][]int{}
	for i := range d.Functions {
		f := &d.Functions[i]
		if lengths := resultLengths(f); lengths != nil {
			p.sizes[function{f.Package, f.Name}] = lengths
		}
	}
}

// readCalls reads the calls in a recording.
func readCalls(rec *recording.Recording) (_ *arguments.Document, err error) {
	part, err := rec.Part(recording.ArgumentsPart)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, part.Close()) }()
	data, err := io.ReadAll(io.LimitReader(part, arguments.MaxDocument+1))
	if err != nil {
		return nil, err
	}
	return arguments.Decode(data)
}

// resultLengths returns the length that nine of ten results of a function do not exceed, for each result: 0 for
// what has no length. It returns nil if too few calls were copied.
func resultLengths(f *support.Function) []int {
	lengths := make([]int, len(f.Results))
	known := false
	for at := range f.Results {
		var all []int
		for _, c := range f.Calls {
			if at >= len(c.Results) {
				continue
			}
			switch v := &c.Results[at]; v.Kind {
			case support.KindString, support.KindBytes, support.KindSlice, support.KindMap:
				all = append(all, v.Len)
			}
		}
		if len(all) < minCalls {
			continue
		}
		slices.Sort(all)
		lengths[at], known = all[(len(all)-1)*9/10], true
	}
	if !known {
		return nil
	}
	return lengths
}
