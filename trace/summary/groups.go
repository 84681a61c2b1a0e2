package summary

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/stacks"
)

// A Grouping says which goroutines are put together.
type Grouping string

// Groupings.
const (
	ByStart    Grouping = "start"    // the function that they run
	ByCreation Grouping = "creation" // where the go statement is
)

// An Order says what comes first: what has most of it.
type Order string

// Orders.
const (
	ByLife     Order = "life" // how long they were there
	ByRunning  Order = "running"
	ByRunnable Order = "runnable"
	ByWaiting  Order = "waiting" // for whatever reason
	BySyscall  Order = "syscall"
)

// Orders are all orders.
func Orders() []Order { return []Order{ByLife, ByRunning, ByRunnable, ByWaiting, BySyscall} }

// counts reports whether time in a state is what an order is by, other than life.
func (o Order) counts(code index.Code) bool {
	switch o {
	case ByRunning:
		return code == index.Running || code == index.Assist
	case ByRunnable:
		return code == index.Runnable
	case BySyscall:
		return code == index.Syscall || code == index.SyscallBlocked
	case ByWaiting:
		return code >= index.Waiting
	case ByLife:
	}
	return false
}

// Options choose goroutines and a window.
type Options struct {
	// From and To are in nanoseconds since the trace's begin; To 0 is its end.
	From, To int64
	// Goroutines are those that count, by the function that they run; nil: all.
	Goroutines *regexp.Regexp
	// Own tells whose own code a call is: [ByCreation], the innermost own one of a go statement's
	// stack counts. nil, and where there is none: the go statement itself.
	Own func(stacks.Frame) bool
	// Order is [ByRunning] when it is "".
	Order Order
}

func (o *Options) window(x *index.Index) {
	if o.To == 0 || o.To > x.Info.Duration {
		o.To = x.Info.Duration
	}
	o.Order = cmp.Or(o.Order, ByRunning)
}

// A Group is goroutines that have something in common. [ByStart], its Name is that of the function
// that they run, "" when no stack told; [ByCreation], of the function that has the go statement,
// and "" of those that are older than the trace.
type Group struct {
	Kind
	// Place is where they were made, [ByCreation]; Parent is instead the function that those run
	// who made them, when there is no stack of it.
	Place   stacks.Frame
	Parent  string
	Created int64 // in the window
	Ended   int64 // in the window
	Longest Lived
	// Ranges are the collector's work that the goroutines did, and stops of the world that they
	// made. They overlap with Stays.
	Ranges []Range
}

// Lived is how long a goroutine existed.
type Lived struct {
	ID   int64 // the runtime's number
	Life time.Duration
}

// A place is what goroutines of a group have in common.
type place struct {
	frame  stacks.Frame
	parent string
}

// Groups adds up goroutines in a window by what they have in common.
func Groups(x *index.Index, by Grouping, o Options) ([]Group, error) {
	o.window(x)
	placeOf := func(g *index.Goroutine) place { return place{frame: stacks.Frame{Func: x.Kinds()[g.Kind].Name}} }
	switch by {
	case ByStart:
	case ByCreation:
		made, err := creations(x, o.Own)
		if err != nil {
			return nil, err
		}
		placeOf = made
	default:
		return nil, fmt.Errorf("unknown grouping %q of goroutines (want %s or %s)", by, ByStart, ByCreation)
	}
	groups := map[place]*group{}
	byGoroutine := make([]*group, x.Info.Goroutines)
	if _, err := gather(x, o.From, o.To, func(g *index.Goroutine) *group {
		if !o.chosen(x, g) {
			return nil
		}
		p := placeOf(g)
		one := groups[p]
		if one == nil {
			one = &group{ranges: map[uint32]*adding{}}
			groups[p] = one
		}
		byGoroutine[g.Index] = one
		return one
	}); err != nil {
		return nil, err
	}
	if err := rangesOf(x, o.From, o.To, byGoroutine); err != nil {
		return nil, err
	}
	list := make([]Group, 0, len(groups))
	for p, g := range groups {
		one := Group{
			Kind: g.kind(p.frame.Func), Parent: p.parent, Created: g.created, Ended: g.ended, Longest: g.longest,
			Ranges: ranges(g.ranges),
		}
		if by == ByCreation {
			one.Place = p.frame
		}
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b Group) int {
		return cmp.Or(
			cmp.Compare(b.by(o.Order), a.by(o.Order)), cmp.Compare(b.Time, a.Time), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Place.File, b.Place.File),
			cmp.Compare(a.Place.Line, b.Place.Line), cmp.Compare(a.Parent, b.Parent),
		)
	})
	return list, nil
}

func (o *Options) chosen(x *index.Index, g *index.Goroutine) bool {
	return o.Goroutines == nil || o.Goroutines.MatchString(x.Kinds()[g.Kind].Name)
}

// by is the time that an order is by.
func (k *Kind) by(o Order) time.Duration {
	if o == ByLife {
		return k.Time
	}
	sum := time.Duration(0)
	for _, s := range k.Stays {
		if o.counts(s.Code) {
			sum += s.Total
		}
	}
	return sum
}

// creations finds out where goroutines were made.
func creations(x *index.Index, own func(stacks.Frame) bool) (func(*index.Goroutine) place, error) {
	kind := make([]uint32, x.Info.Goroutines)
	if err := x.Goroutines(func(g *index.Goroutine) bool {
		kind[g.Index] = g.Kind
		return true
	}); err != nil {
		return nil, err
	}
	known := map[uint32]place{} // by the stack of the go statement
	return func(g *index.Goroutine) place {
		if g.Created == 0 {
			if g.Parent > 0 && int(g.Parent) <= len(kind) {
				return place{parent: x.Kinds()[kind[g.Parent-1]].Name}
			}
			return place{}
		}
		p, ok := known[g.Created]
		if !ok {
			stack := x.Stack(g.Created)
			if len(stack) > 0 {
				p.frame = stack[0]
			}
			if i := slices.IndexFunc(stack, func(f stacks.Frame) bool { return own != nil && own(f) }); i >= 0 {
				p.frame = stack[i]
			}
			known[g.Created] = p
		}
		return p
	}, nil
}

// rangesOf adds the collector's work, and stops of the world, to the groups of the goroutines that
// did it.
func rangesOf(x *index.Index, from, to int64, of []*group) error {
	hists := 0
	return x.Records(index.Ranges, from, to, func(r *index.Record) bool {
		if r.Goroutine == 0 || int(r.Goroutine) > len(of) || of[r.Goroutine-1] == nil {
			return true
		}
		all := of[r.Goroutine-1].ranges
		a := all[r.Name]
		if a == nil {
			a = &adding{Stay: Stay{Name: x.Name(r.Name)}}
			all[r.Name] = a
		}
		a.add(time.Duration(min(r.To, to)-max(r.From, from)), &hists)
		return true
	})
}
