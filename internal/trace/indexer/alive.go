package indexer

import "golang.org/x/exp/trace"

// alive holds the goroutines that have not ended.
type alive struct {
	all    map[trace.GoID]*goroutine
	recent [4096]*goroutine // by the last bits of the id: each event looks up one or two
	dead   []*goroutine     // for reuse
}

// of returns a goroutine, or nil.
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

// add adds a goroutine of which only the id is known.
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

// remove removes a goroutine that has ended.
func (a *alive) remove(id trace.GoID) {
	delete(a.all, id)
	if at := &a.recent[uint64(id)%uint64(len(a.recent))]; *at != nil && (*at).id == id {
		*at = nil
	}
}

// bury takes back a goroutine that was removed and is no longer referenced.
func (a *alive) bury(g *goroutine) {
	if len(a.dead) < len(a.recent) {
		a.dead = append(a.dead, g)
	}
}
