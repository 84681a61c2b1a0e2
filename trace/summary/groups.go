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

// A Grouping is a way to group goroutines.
type Grouping string

// Groupings.
const (
	ByStart    Grouping = "start"    // the function that they run
	ByCreation Grouping = "creation" // where the go statement is
)

// An Order is the quantity to sort by, in descending order.
type Order string

// Orders.
const (
	ByLife     Order = "life" // how long they existed
	ByRunning  Order = "running"
	ByRunnable Order = "runnable"
	ByWaiting  Order = "waiting" // for any reason
	BySyscall  Order = "syscall"
)

// Orders returns all orders.
func Orders() []Order { return []Order{ByLife, ByRunning, ByRunnable, ByWaiting, BySyscall} }

// counts reports whether an order, other than life, includes time in a state.
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

// Options select goroutines and a window.
type Options struct {
	// From and To are in nanoseconds since the start of the trace; To 0 means its end.
	From, To int64
	// Goroutines selects goroutines, by the function that they run; nil means all.
	Goroutines *regexp.Regexp
	// Own reports whether a call is own code: [ByCreation] groups by the innermost own call in the
	// stack of the go statement. If Own is nil, or no call is own code, it groups by the go
	// statement itself.
	Own func(stacks.Frame) bool
	// Order is how [Goroutines] and [Groups] sort; "" means [ByRunning].
	Order Order
}

func (o *Options) window(x *index.Index) {
	if o.To == 0 || o.To > x.Info.Duration {
		o.To = x.Info.Duration
	}
	o.Order = cmp.Or(o.Order, ByRunning)
}

// A Group is goroutines that run the same function ([ByStart]) or were created at the same place
// ([ByCreation]). Name is the function that they run, "" if no stack shows it; or the function with
// the go statement, "" for goroutines older than the trace.
type Group struct {
	Kind
	// With [ByCreation], Place is where they were created. If no stack shows that, Place is zero
	// and Parent is the function that their creators run.
	Place   stacks.Frame
	Parent  string
	Created int64 // in the window
	Ended   int64 // in the window
	Longest Lifetime
	// Ranges are the garbage collector's work that the goroutines did, and stop-the-world phases
	// that they caused. They overlap with Stays.
	Ranges []Range
}

// A Lifetime is how long a goroutine existed within the window.
type Lifetime struct {
	ID   int64 // the runtime's number
	Life time.Duration
}

// An origin is what goroutines of a group have in common.
type origin struct {
	frame  stacks.Frame
	parent string
}

// Groups sums the goroutines of a window by group, sorted by o.Order.
func Groups(x *index.Index, by Grouping, o Options) ([]Group, error) {
	o.window(x)
	placeOf := func(g *index.Goroutine) origin { return origin{frame: stacks.Frame{Func: x.Kinds()[g.Kind].Name}} }
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
	groups := map[origin]*group{}
	byGoroutine := make([]*group, x.Info.Goroutines)
	if _, err := gather(x, o.From, o.To, func(g *index.Goroutine) *group {
		if !o.chosen(x, g) {
			return nil
		}
		p := placeOf(g)
		one := groups[p]
		if one == nil {
			one = &group{ranges: map[uint32]*staySum{}}
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

// by returns the value of an order.
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

// creations finds where goroutines were created.
func creations(x *index.Index, own func(stacks.Frame) bool) (func(*index.Goroutine) origin, error) {
	kind := make([]uint32, x.Info.Goroutines)
	if err := x.Goroutines(func(g *index.Goroutine) bool {
		kind[g.Index] = g.Kind
		return true
	}); err != nil {
		return nil, err
	}
	known := map[uint32]origin{} // by the stack of the go statement
	return func(g *index.Goroutine) origin {
		if g.Created == 0 {
			if g.Parent > 0 && int(g.Parent) <= len(kind) {
				return origin{parent: x.Kinds()[kind[g.Parent-1]].Name}
			}
			return origin{}
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

// rangesOf adds the garbage collector's work, and stop-the-world phases, to the groups of the
// goroutines that did it.
func rangesOf(x *index.Index, from, to int64, of []*group) error {
	hists := 0
	return x.Records(index.Ranges, from, to, func(r *index.Record) bool {
		if r.Goroutine == 0 || int(r.Goroutine) > len(of) || of[r.Goroutine-1] == nil {
			return true
		}
		all := of[r.Goroutine-1].ranges
		a := all[r.Name]
		if a == nil {
			a = &staySum{Stay: Stay{Name: x.Name(r.Name)}}
			all[r.Name] = a
		}
		a.add(time.Duration(min(r.To, to)-max(r.From, from)), &hists)
		return true
	})
}
