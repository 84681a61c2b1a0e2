package regexpcode

import (
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"
)

// reduce simplifies an automaton without changing what it finds.
func (a *automaton) reduce() {
	a.prune()
	a.override()
	if a.match {
		a.acceptEarly()
	}
	a.dropDead()
	a.minimize()
	a.mergeClasses()
	a.bytes = a.readsBytes()
}

// prune lets the search end where no match can follow.
func (a *automaton) prune() {
	alive := a.fixpoint(func(s state, alive []bool) bool {
		return slices.ContainsFunc(s.next, func(e edge) bool { return e.accept != nil || e.to >= 0 && alive[e.to] })
	})
	for i := range a.begin {
		if a.begin[i] >= 0 && !alive[a.begin[i]] {
			a.begin[i] = -1
		}
	}
	a.edges(func(e *edge) {
		if e.to >= 0 && !alive[e.to] {
			e.to, e.set = -1, nil
		}
	})
}

// fixpoint returns the smallest set of states that is closed under a condition.
func (a *automaton) fixpoint(holds func(s state, in []bool) bool) []bool {
	in := make([]bool, len(a.states))
	for changed := true; changed; {
		changed = false
		for q := len(in) - 1; q >= 0; q-- {
			if !in[q] && holds(a.states[q], in) {
				in[q], changed = true, true
			}
		}
	}
	return in
}

func (a *automaton) edges(f func(e *edge)) {
	for _, s := range a.states {
		for i := range s.next {
			f(&s.next[i])
		}
	}
}

// accepting returns the states in which a match is accepted whatever follows.
func (a *automaton) accepting() []bool {
	all := make([]bool, len(a.states))
	for q, s := range a.states {
		all[q] = !slices.ContainsFunc(s.next, func(e edge) bool { return e.accept == nil })
	}
	return all
}

// override does not accept a match if a later one certainly replaces it.
func (a *automaton) override() {
	accepting := a.accepting()
	a.edges(func(e *edge) {
		if e.to >= 0 && accepting[e.to] {
			e.accept = nil
		}
	})
}

// acceptEarly accepts a match as soon as it is certain, if its end does not matter.
func (a *automaton) acceptEarly() {
	for again := true; again; {
		again = false
		accepting := a.accepting()
		a.edges(func(e *edge) {
			if e.to >= 0 && accepting[e.to] {
				e.to, e.accept, again = -1, &match{}, true
			}
		})
	}
}

// live returns the registers that are read after each state.
func (a *automaton) live() []map[register]bool {
	live := make([]map[register]bool, len(a.states))
	for q := range live {
		live[q] = map[register]bool{}
	}
	for changed := true; changed; {
		changed = false
		use := func(q, slot int, v value) {
			r := register{slot, int(v)}
			if v >= 0 && !live[q][r] {
				live[q][r], changed = true, true
			}
		}
		for q, s := range a.states {
			for _, e := range s.next {
				if e.accept != nil {
					for slot, v := range e.accept.slots {
						use(q, slot, v)
					}
				}
				if e.to < 0 {
					continue
				}
				for r := range live[e.to] {
					i := slices.IndexFunc(e.set, func(s assign) bool { return s.reg == r })
					if i < 0 {
						use(q, r.slot, value(r.n))
						continue
					}
					use(q, r.slot, e.set[i].from)
				}
			}
		}
	}
	return live
}

// dropDead drops what sets registers that are not read.
func (a *automaton) dropDead() {
	live := a.live()
	a.edges(func(e *edge) {
		if e.to >= 0 {
			e.set = slices.DeleteFunc(e.set, func(s assign) bool { return !live[e.to][s.reg] })
		}
	})
}

// key identifies what an edge does, with the blocks of states.
func (e edge) key(block []int) string {
	to := e.to
	if to >= 0 && block != nil {
		to = block[to]
	}
	key := fmt.Sprint(to, e.set)
	if e.accept != nil {
		key += fmt.Sprint(" accept", e.accept.slots)
	}
	return key
}

// minimize merges states that do the same from then on, and drops those that are not reached. The
// states are numbered in the order in which they are first reached.
func (a *automaton) minimize() {
	block := make([]int, len(a.states))
	for n := 1; ; {
		byKey := map[string]int{}
		next := make([]int, len(block))
		for q, s := range a.states {
			key := ""
			for _, e := range s.next {
				key += e.key(block) + ";"
			}
			if _, ok := byKey[key]; !ok {
				byKey[key] = len(byKey)
			}
			next[q] = byKey[key]
		}
		block = next
		if len(byKey) == n {
			break
		}
		n = len(byKey)
	}
	first := map[int]int{} // the first state of a block
	for q, b := range block {
		if _, ok := first[b]; !ok {
			first[b] = q
		}
	}
	number := map[int]int{}
	var order []int
	visit := func(q int) int {
		if q < 0 {
			return -1
		}
		b := block[q]
		if _, ok := number[b]; !ok {
			number[b] = len(order)
			order = append(order, first[b])
		}
		return number[b]
	}
	for i, q := range a.begin {
		a.begin[i] = visit(q)
	}
	var states []state
	for i := 0; i < len(order); i++ {
		next := slices.Clone(a.states[order[i]].next)
		for j := range next {
			next[j].to = visit(next[j].to)
		}
		states = append(states, state{next})
	}
	a.states = states
}

// mergeClasses merges classes that no state tells apart.
func (a *automaton) mergeClasses() {
	byKey := map[string]int{}
	var classes []set
	var keep []int
	for c, s := range a.classes {
		key := ""
		for _, q := range a.states {
			key += q.next[c].key(nil) + ";"
		}
		n, ok := byKey[key]
		if !ok {
			byKey[key] = len(classes)
			classes, keep = append(classes, slices.Clone(s)), append(keep, c)
			continue
		}
		classes[n] = classes[n].union(s)
	}
	keep = append(keep, len(a.classes))
	for q := range a.states {
		next := make([]edge, len(keep))
		for i, c := range keep {
			next[i] = a.states[q].next[c]
		}
		a.states[q].next = next
	}
	a.classes = classes
}

// union returns the runes of both of two sets.
func (s set) union(t set) set {
	type span struct{ lo, hi rune }
	var spans []span
	for _, x := range []set{s, t} {
		for i := 0; i < len(x); i += 2 {
			spans = append(spans, span{x[i], x[i+1]})
		}
	}
	slices.SortFunc(spans, func(x, y span) int { return int(x.lo - y.lo) })
	var out set
	for _, x := range spans {
		if n := len(out); n > 0 && x.lo <= out[n-1]+1 {
			out[n-1] = max(out[n-1], x.hi)
			continue
		}
		out = append(out, x.lo, x.hi)
	}
	return out
}

// readsBytes reports whether the automaton may read bytes: all runes beyond ASCII are of one
// class, and reading it again from where it led changes nothing, so that it does not matter how
// many bytes a rune has.
func (a *automaton) readsBytes() bool {
	beyond := slices.IndexFunc(a.classes, func(s set) bool { return s.contains(unicode.MaxRune) })
	if n := len(a.classes[beyond]); a.classes[beyond][n-2] > utf8.RuneSelf {
		return false
	}
	for _, s := range a.states {
		to := s.next[beyond].to
		if to < 0 {
			continue
		}
		if again := a.states[to].next[beyond]; again.to != to || again.accept != nil || len(again.set) > 0 {
			return false
		}
	}
	return true
}
