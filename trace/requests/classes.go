package requests

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"time"
)

// Times are durations by cause.
type Times [causes]time.Duration

// Sum returns the sum over all causes.
func (t *Times) Sum() time.Duration {
	sum := time.Duration(0)
	for _, d := range t {
		sum += d
	}
	return sum
}

// Largest returns the cause with the most time.
func (t *Times) Largest() Cause {
	most := Running
	for c, d := range t {
		if d > t[most] {
			most = Cause(c)
		}
	}
	return most
}

// A Class is the requests with one handler, or the tasks of one type.
type Class struct {
	Name  string // the handler's function, or "task " and the task's type
	Task  bool
	Count int
	// P50, P90 and P99 are within 2%: requests with latencies that close are counted at their
	// mean. Max is exact.
	P50, P90, P99, Max time.Duration
	// Middle and Slow are the average times of requests: of those between the 40% and 60%
	// quantiles, and of those above the 99% quantile.
	Middle, Slow Times
	// Path is the average of the critical paths that were found.
	Path    Times
	Slowest []*Request // slowest first, at most Options.Slowest
}

// A bucket sums requests of nearly the same latency.
type bucket struct {
	count   int
	latency time.Duration
	times   Times
}

// A group is a class while requests are added. Its memory depends on the spread of the latencies,
// not on the number of requests.
type group struct {
	name    string
	task    bool
	count   int
	latency time.Duration // of all together
	buckets map[uint16]*bucket
	slowest []*Request
}

// perDouble is the number of buckets from a latency to twice that, as a power of two.
const perDouble = 6

// bucketOf returns the number of a latency's bucket, in the order of latencies: exact below 128 ns,
// and with as many bits above.
func bucketOf(latency time.Duration) uint16 {
	v := uint64(max(latency, 0))
	shift := max(bits.Len64(v)-perDouble-1, 0)
	return uint16(shift<<perDouble) + uint16(v>>shift)
}

// add adds a request, and keeps it if it is among the slowest.
func (g *group) add(r *Request, slowest int) {
	g.count++
	g.latency += r.Latency()
	key := bucketOf(r.Latency())
	b := g.buckets[key]
	if b == nil {
		b = &bucket{}
		g.buckets[key] = b
	}
	b.count++
	b.latency += r.Latency()
	for c, d := range r.Times {
		b.times[c] += d
	}
	if n := len(g.slowest); n == slowest && slower(g.slowest[n-1], r) < 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(g.slowest, r, slower)
	kept := *r
	g.slowest = slices.Insert(g.slowest, at, &kept)
	g.slowest = g.slowest[:min(len(g.slowest), slowest)]
}

// slower orders the slowest first.
func slower(a, b *Request) int {
	return cmp.Or(cmp.Compare(b.Latency(), a.Latency()), cmp.Compare(a.From, b.From),
		cmp.Compare(a.Goroutine, b.Goroutine))
}

// class returns the class of a group.
func (g *group) class() Class {
	c := Class{Name: g.name, Task: g.task, Count: g.count, Max: g.slowest[0].Latency(), Slowest: g.slowest}
	keys := slices.Sorted(maps.Keys(g.buckets))
	at := func(q float64) time.Duration {
		rank := min(int(q*float64(g.count)), g.count-1)
		for _, key := range keys {
			b := g.buckets[key]
			if rank < b.count {
				return b.latency / time.Duration(b.count)
			}
			rank -= b.count
		}
		return c.Max
	}
	c.P50, c.P90, c.P99 = at(0.5), at(0.9), at(0.99)
	c.Middle = g.mean(keys, g.count*4/10, max(g.count*6/10, g.count*4/10+1))
	c.Slow = g.mean(keys, min(g.count*99/100, g.count-1), g.count)
	return c
}

// mean returns the average times of the requests of some ranks. From a bucket that also has
// requests of other ranks, it takes the right number of average ones.
func (g *group) mean(keys []uint16, from, to int) (times Times) {
	var sums [causes]float64
	rank := 0
	for _, key := range keys {
		b := g.buckets[key]
		if inside := min(to, rank+b.count) - max(from, rank); inside > 0 {
			for c, d := range b.times {
				sums[c] += float64(d) * float64(inside) / float64(b.count)
			}
		}
		rank += b.count
	}
	for c, sum := range sums {
		times[c] = time.Duration(sum / float64(to-from))
	}
	return times
}

// maxClasses bounds the number of classes: about 100 MB if each has requests of all latencies.
// Those beyond share one.
const maxClasses = 500

// others is the class of the requests beyond maxClasses.
const others = "(others)"

// classes groups requests into classes.
type classes struct {
	all     map[string]*group
	slowest int // kept of each
}

func (cs *classes) add(name string, task bool, r *Request) {
	g := cs.all[name]
	if g == nil && len(cs.all) >= maxClasses-1 {
		name, task = others, false
		g = cs.all[name]
	}
	if g == nil {
		g = &group{name: name, task: task, buckets: map[uint16]*bucket{}}
		cs.all[name] = g
	}
	g.add(r, cs.slowest)
}

// sorted returns the classes by descending time.
func (cs *classes) sorted() []Class {
	groups := slices.SortedFunc(maps.Values(cs.all), func(a, b *group) int {
		return cmp.Or(cmp.Compare(b.latency, a.latency), cmp.Compare(a.name, b.name))
	})
	list := make([]Class, len(groups))
	for i, g := range groups {
		list[i] = g.class()
	}
	return list
}
