package lazy

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

type frame struct {
	name string
	vars map[string]int
	seen map[string]bool
	all  map[string]bool
}

func newFrame(name string) *frame {
	return &frame{
		name: name,
		vars: make(map[string]int),  // want `Make vars when an entry is set`
		seen: map[string]bool{},     // want `Make seen when an entry is set`
		all:  make(map[string]bool), // returned
	}
}

func (f *frame) set(name string, n int) {
	f.vars[name] = n
}

func (f *frame) count(name string) int {
	if !f.seen[name] {
		f.seen[name] = true
		f.vars[name]++
	}
	delete(f.seen, "")
	return len(f.vars) + f.vars[name]
}

func (f *frame) names() map[string]bool {
	f.all[f.name] = true
	return f.all
}

func Distinct(words []string) int {
	seen := make(map[string]bool) // want `Make seen when an entry is set`
	for _, w := range words {
		if len(w) > 3 {
			seen[w] = true
		}
	}
	return len(seen)
}

// An entry is always set, or the map is returned.
func Always(words []string) (int, map[string]bool) {
	seen, m := map[string]bool{}, map[string]bool{}
	seen[""] = true
	for _, w := range words {
		seen[w], m[w] = true, true
	}
	return len(seen), m
}

// A copy shares the map only if there is one.
type copied struct{ m map[string]int }

func Copied() int {
	c := &copied{m: make(map[string]int)}
	d := *c
	pd := &d
	pd.m["a"] = 1
	return len(c.m)
}

func Try(r *rand.Rand) string {
	f := newFrame(values.String(r))
	before := f.vars["x"]
	for _, name := range values.Strings(r) {
		f.set(name, len(name))
		f.count(name)
	}
	return fmt.Sprint(before, len(f.vars), len(f.seen), f.count("x"), f.names(), Copied(), Distinct(values.Strings(r)))
}
