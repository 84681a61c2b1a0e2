package automaton

import (
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Reduce simplifies an automaton without changing what it finds.
func (a *Automaton) Reduce() {
	a.prune()
	a.override()
	if a.Match {
		a.acceptEarly()
	}
	a.dropDead()
	a.minimize()
	a.mergeClasses()
	a.Bytes = a.readsBytes()
}

// prune lets the search end where no match can follow.
func (a *Automaton) prune() {
	alive := a.fixpoint(func(s State, alive []bool) bool {
		return slices.ContainsFunc(s.Next, func(e Edge) bool { return e.Accept != nil || e.To >= 0 && alive[e.To] })
	})
	for i := range a.Begin {
		if a.Begin[i] >= 0 && !alive[a.Begin[i]] {
			a.Begin[i] = -1
		}
	}
	a.Edges(func(e *Edge) {
		if e.To >= 0 && !alive[e.To] {
			e.To, e.Set = -1, nil
		}
	})
}

// fixpoint returns the smallest set of states that is closed under a condition.
func (a *Automaton) fixpoint(holds func(s State, in []bool) bool) []bool {
	in := make([]bool, len(a.States))
	for changed := true; changed; {
		changed = false
		for q := len(in) - 1; q >= 0; q-- {
			if !in[q] && holds(a.States[q], in) {
				in[q], changed = true, true
			}
		}
	}
	return in
}

// Edges calls a function for all edges, which it may change.
func (a *Automaton) Edges(f func(e *Edge)) {
	for _, s := range a.States {
		for i := range s.Next {
			f(&s.Next[i])
		}
	}
}

// accepting returns the states in which a match is accepted whatever follows.
func (a *Automaton) accepting() []bool {
	all := make([]bool, len(a.States))
	for q, s := range a.States {
		all[q] = !slices.ContainsFunc(s.Next, func(e Edge) bool { return e.Accept == nil })
	}
	return all
}

// override does not accept a match if a later one certainly replaces it.
func (a *Automaton) override() {
	accepting := a.accepting()
	a.Edges(func(e *Edge) {
		if e.To >= 0 && accepting[e.To] {
			e.Accept = nil
		}
	})
}

// acceptEarly accepts a match as soon as it is certain, if its end does not matter.
func (a *Automaton) acceptEarly() {
	for again := true; again; {
		again = false
		accepting := a.accepting()
		a.Edges(func(e *Edge) {
			if e.To >= 0 && accepting[e.To] {
				e.To, e.Accept, again = -1, &Match{}, true
			}
		})
	}
}

// Live returns the registers that are read after each state.
func (a *Automaton) Live() []map[Register]bool {
	live := make([]map[Register]bool, len(a.States))
	for q := range live {
		live[q] = map[Register]bool{}
	}
	for changed := true; changed; {
		changed = false
		use := func(q, slot int, v Value) {
			r := Register{slot, int(v)}
			if v >= 0 && !live[q][r] {
				live[q][r], changed = true, true
			}
		}
		for q, s := range a.States {
			for _, e := range s.Next {
				if e.Accept != nil {
					for slot, v := range e.Accept.Slots {
						use(q, slot, v)
					}
				}
				if e.To < 0 {
					continue
				}
				for r := range live[e.To] {
					i := slices.IndexFunc(e.Set, func(s Assign) bool { return s.Reg == r })
					if i < 0 {
						use(q, r.Slot, Value(r.N))
						continue
					}
					use(q, r.Slot, e.Set[i].From)
				}
			}
		}
	}
	return live
}

// dropDead drops what sets registers that are not read.
func (a *Automaton) dropDead() {
	live := a.Live()
	a.Edges(func(e *Edge) {
		if e.To >= 0 {
			e.Set = slices.DeleteFunc(e.Set, func(s Assign) bool { return !live[e.To][s.Reg] })
		}
	})
}

// Key identifies what an edge does, with the blocks of states.
func (e Edge) Key(block []int) string {
	to := e.To
	if to >= 0 && block != nil {
		to = block[to]
	}
	key := fmt.Sprint(to, e.Set)
	if e.Accept != nil {
		key += fmt.Sprint(" accept", e.Accept.Slots)
	}
	return key
}

// minimize merges states that do the same from then on, and drops those that are not reached. The
// states are numbered in the order in which they are first reached.
func (a *Automaton) minimize() {
	block := make([]int, len(a.States))
	for n := 1; ; {
		byKey := map[string]int{}
		next := make([]int, len(block))
		for q, s := range a.States {
			key := ""
			for _, e := range s.Next {
				key += e.Key(block) + ";"
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
	for i, q := range a.Begin {
		a.Begin[i] = visit(q)
	}
	var states []State
	for i := 0; i < len(order); i++ {
		next := slices.Clone(a.States[order[i]].Next)
		for j := range next {
			next[j].To = visit(next[j].To)
		}
		states = append(states, State{next})
	}
	a.States = states
}

// mergeClasses merges classes that no state tells apart.
func (a *Automaton) mergeClasses() {
	byKey := map[string]int{}
	var classes []Set
	var keep []int
	for c, s := range a.Classes {
		key := ""
		for _, q := range a.States {
			key += q.Next[c].Key(nil) + ";"
		}
		n, ok := byKey[key]
		if !ok {
			byKey[key] = len(classes)
			classes, keep = append(classes, slices.Clone(s)), append(keep, c)
			continue
		}
		classes[n] = classes[n].Union(s)
	}
	keep = append(keep, len(a.Classes))
	for q := range a.States {
		next := make([]Edge, len(keep))
		for i, c := range keep {
			next[i] = a.States[q].Next[c]
		}
		a.States[q].Next = next
	}
	a.Classes = classes
}

// readsBytes reports whether the automaton may read bytes: all runes beyond ASCII are of one
// class, and reading it again from where it led changes nothing, so that it does not matter how
// many bytes a rune has.
func (a *Automaton) readsBytes() bool {
	beyond := slices.IndexFunc(a.Classes, func(s Set) bool { return s.Contains(unicode.MaxRune) })
	if n := len(a.Classes[beyond]); a.Classes[beyond][n-2] > utf8.RuneSelf {
		return false
	}
	for _, s := range a.States {
		to := s.Next[beyond].To
		if to < 0 {
			continue
		}
		if again := a.States[to].Next[beyond]; again.To != to || again.Accept != nil || len(again.Set) > 0 {
			return false
		}
	}
	return true
}

// Samples returns a text for each state that leads to it, as short as can be.
func (a *Automaton) Samples() []string {
	texts := make([]string, len(a.States))
	seen := make([]bool, len(a.States))
	var queue []int
	for _, q := range a.Begin {
		if q >= 0 && !seen[q] {
			seen[q] = true
			queue = append(queue, q)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		q := queue[0]
		for class, s := range a.Classes {
			if to := a.States[q].Next[class].To; to >= 0 && !seen[to] {
				seen[to] = true
				texts[to] = texts[q] + string(s.Sample())
				queue = append(queue, to)
			}
		}
	}
	return texts
}
