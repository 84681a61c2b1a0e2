package index

import "golang.org/x/exp/trace"

// alive are the goroutines that have not ended.
type alive struct {
	all    map[trace.GoID]*goroutine
	recent [4096]*goroutine // by the last bits of the id: each event looks for one or two
	dead   []*goroutine     // whose memory is used again
}

// of finds a goroutine; nil is none.
func (a *alive) of(id trace.GoID) *goroutine {
	g := a.recent[uint64(id)%uint64(len(a.recent))]
	if g != nil && g.id == id {
		return g
	}
	if g = a.all[id]; g != nil {
		a.recent[uint64(id)%uint64(len(a.recent))] = g
	}
	return g
}

// add makes a goroutine, of which nothing is known but its id.
func (a *alive) add(id trace.GoID) *goroutine {
	var g *goroutine
	if n := len(a.dead); n > 0 {
		g, a.dead = a.dead[n-1], a.dead[:n-1]
	} else {
		g = new(goroutine)
	}
	*g = goroutine{
		id: id, head: -1, tail: -1, lastSlice: -1, procAt: trace.NoProc,
		sums: g.sums[:0], slices: chain{rest: g.slices.rest[:0]},
	}
	a.all[id] = g
	a.recent[uint64(id)%uint64(len(a.recent))] = g
	return g
}

// remove takes away a goroutine that has ended.
func (a *alive) remove(id trace.GoID) {
	delete(a.all, id)
	if at := &a.recent[uint64(id)%uint64(len(a.recent))]; *at != nil && (*at).id == id {
		*at = nil
	}
}

// bury takes a goroutine that was removed, and that nothing refers to any more.
func (a *alive) bury(g *goroutine) {
	if len(a.dead) < len(a.recent) {
		a.dead = append(a.dead, g)
	}
}
