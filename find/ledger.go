package find

import (
	"context"
	"path"
	"strings"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/internal/find/patterns"
	"github.com/whet-go/whet/profile"
)

// A spot is a line of a file, as a profile names it.
type spot struct {
	file string
	line int32
}

// A ledger holds what a profile charges to own lines, by the patterns that match the functions
// below them.
type ledger struct {
	cost   Cost
	unit   string
	total  int64
	own    int64
	typ    int                // index of the value in the profile
	itself int64              // of own, spent in own lines themselves
	gc     profile.Collection // of CPU profiles
	spots  map[spot]*account
}

// An account is what is charged to a spot.
type account struct {
	function string // of the hottest kind of sample: there may be several, for generic code
	start    int64  // line where the function starts; 0 if unknown
	value    int64
	matched  map[patterns.Mask]int64
	kinds    map[diagnosis.Kind]int64
	callees  map[string]int64 // by the first function below the line; excludes the line itself
}

// newLedger reads one value of a profile, the sample type name, under the given cost. It returns
// nil if the profile has no such type. It reads no further when ctx ends.
func newLedger(
	ctx context.Context, p *profile.Profile, cost Cost, name string, own func(profile.Function) bool, pats *patterns.Set,
) *ledger {
	typ, err := p.TypeIndex(name)
	if err != nil {
		return nil
	}
	l := &ledger{cost: cost, typ: typ, unit: p.SampleTypes[typ].Unit, spots: map[spot]*account{}}

	// Per function: whether it is own, and which patterns it matches.
	isOwn := make([]bool, len(p.Functions))
	isInjected := make([]bool, len(p.Functions))
	names := make([]string, len(p.Functions))
	matches := make([]patterns.Mask, len(p.Functions))
	files := make([]string, len(p.Functions))
	kinds := make([]diagnosis.Kind, len(p.Functions))
	for i, f := range p.Functions {
		if i%64 == 0 && ctx.Err() != nil {
			break
		}
		isOwn[i] = own(f)
		isInjected[i] = profile.IsInjected(f.Name)
		names[i] = profile.Generic(f.Name)
		matches[i] = pats.Match(f.Name)
		kinds[i] = diagnosis.Class(f.Name)
		if isOwn[i] && f.File != "" {
			files[i] = path.Clean(strings.ReplaceAll(f.File, `\`, "/"))
		}
	}
	itself := pats.Match("")
	if cost == CPU {
		l.gc = p.Collection(typ)
	}

	var stack []uint32
	for i := range p.NumSamples() {
		if i%4096 == 0 && ctx.Err() != nil {
			break
		}
		v := p.Value(i, typ)
		if v == 0 {
			continue
		}
		l.total += v
		stack = p.AppendStack(stack[:0], i)
		below, first := patterns.Mask{}, profile.None // patterns matched below the line, and the function called first
		kind := diagnosis.Kind("")
		line := profile.Line{Function: profile.None}
	frames:
		for _, loc := range stack {
			at := p.Locations[loc]
			for _, ln := range p.Lines[at.First : at.First+at.Num] {
				if ln.Function == profile.None {
					continue
				}
				if isOwn[ln.Function] {
					line = ln
					break frames
				}
				if isInjected[ln.Function] {
					// Forget all: neither this frame nor what is below it was called by the line.
					below, first, kind = patterns.Mask{}, profile.None, ""
					continue
				}
				kind = kinds[ln.Function].Around(kind)
				below.Or(matches[ln.Function])
				first = ln.Function
			}
		}
		if line.Function == profile.None {
			continue
		}
		l.own += v
		fn := p.Functions[line.Function]
		key := spot{files[line.Function], line.Line}
		a := l.spots[key]
		if a == nil {
			a = &account{
				function: names[line.Function], start: fn.StartLine, matched: map[patterns.Mask]int64{},
				callees: map[string]int64{}, kinds: map[diagnosis.Kind]int64{},
			}
			l.spots[key] = a
		}
		a.value += v
		if first == profile.None {
			below, kind = itself, diagnosis.Own
			l.itself += v
		} else {
			a.callees[names[first]] += v
		}
		a.matched[below] += v
		a.kinds[kind] += v
	}
	return l
}

// charged returns what an account has below frames that match a pattern.
func (a *account) charged(pattern int) int64 {
	var sum int64
	for m, v := range a.matched {
		if m.Has(pattern) {
			sum += v
		}
	}
	return sum
}
