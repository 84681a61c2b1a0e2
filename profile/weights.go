package profile

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
)

// sum is what one pass collects for one node.
type sum struct {
	flat, cum int64
	seen      uint32 // the sample that was last counted into cum, plus one
}

// sums adds up the kept samples k in [from, to).
func (v *View) sums(from, to int) []sum {
	acc := make([]sum, len(v.nodes))
	var stack []uint32
	for k := from; k < to && !v.stopped(k); k++ {
		i, packed := v.sample(k)
		w := v.values[i]
		if w == 0 {
			continue
		}
		if v.label != nil {
			s := &acc[v.label[i]]
			s.flat += w
			s.cum += w
			continue
		}
		stack = packed.appendTo(stack[:0])
		mark := uint32(k) + 1
		leaf := true
		for _, loc := range stack {
			n := v.one[loc]
			if n < several {
				s := &acc[n]
				if leaf {
					s.flat += w
					leaf = false
				}
				if s.seen != mark {
					s.seen = mark
					s.cum += w
				}
				continue
			}
			if n == hidden {
				continue
			}
			for _, n := range v.frameNode[v.start[loc]:v.start[loc+1]] {
				s := &acc[n]
				if leaf {
					s.flat += w
					leaf = false
				}
				if s.seen != mark {
					s.seen = mark
					s.cum += w
				}
			}
		}
	}
	return acc
}

// parallelFrom is the number of samples from which a pass is split over CPUs.
const parallelFrom = 50_000

// inParts runs a pass over the kept samples [from, to) in as many parts as there
// are CPUs, when it pays, and returns the parts' results in order.
func inParts[T any](v *View, pass func(from, to int) T) []T {
	n := v.Samples()
	parts := make([]T, max(min(runtime.GOMAXPROCS(0), n/parallelFrom, 8), 1))
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() { parts[i] = pass(n*i/len(parts), n*(i+1)/len(parts)) })
	}
	wg.Wait()
	return parts
}

// allSums is sums over all kept samples. It is computed once.
func (v *View) allSums() []sum {
	v.sumsOnce.Do(func() { v.sumsOfAll = v.computeSums() })
	return v.sumsOfAll
}

func (v *View) computeSums() []sum {
	v.needNodes()
	parts := inParts(v, v.sums)
	acc := parts[0]
	for _, part := range parts[1:] {
		for i := range acc {
			acc[i].flat += part[i].flat
			acc[i].cum += part[i].cum
		}
	}
	return acc
}

// Nodes returns all nodes with flat or cum weight: heaviest flat first, or with
// cum heaviest cum first; then by name, file, line and address.
func (v *View) Nodes(cum bool) []Weight {
	var ws []Weight
	for id, s := range v.allSums() {
		if s.flat != 0 || s.cum != 0 {
			ws = append(ws, Weight{v.nodes[id], uint32(id), s.flat, s.cum})
		}
	}
	sortWeights(ws, cum)
	if v.divisor != nil { // the order is that of the sums, as in go tool pprof
		n := v.divisor.allSums()
		for i := range ws {
			w := &ws[i]
			w.Flat, w.Cum = mean(w.Flat, n[w.ID].flat), mean(w.Cum, n[w.ID].cum)
		}
	}
	return ws
}

func abs(x int64) int64 {
	if x < 0 {
		return -x
	}
	return x
}

func sortWeights(ws []Weight, cum bool) {
	slices.SortFunc(ws, func(a, b Weight) int {
		x, y := abs(b.Flat)-abs(a.Flat), abs(b.Cum)-abs(a.Cum)
		if cum {
			x, y = y, x
		}
		switch {
		case x != 0:
			return cmp.Compare(x, 0)
		case y != 0:
			return cmp.Compare(y, 0)
		}
		return a.compare(b.Node)
	})
}

func (n Node) compare(m Node) int {
	return cmp.Or(cmp.Compare(n.Name, m.Name), cmp.Compare(n.File, m.File), cmp.Compare(n.Line, m.Line),
		cmp.Compare(n.Address, m.Address), cmp.Compare(n.Object, m.Object))
}
