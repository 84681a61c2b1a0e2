package sortslice

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"time"

	"test/values"
)

type good struct {
	Name   string
	Cents  int
	Number int
	Weight float64
	At     time.Time
	Tags   []string
}

type goods []good

type shop struct{ goods goods }

func Cents(s []good) {
	sort.Slice(s, func(i, j int) bool { return s[i].Cents < s[j].Cents }) // want `sort.Slice moves the elements through reflection`
}

func Descending(s []good) {
	sort.Slice(s, func(i, j int) bool { return s[i].Cents > s[j].Cents }) // want `reflection`
}

func Backwards(s []good) {
	sort.Slice(s, func(x, y int) bool { return s[y].Name < s[x].Name }) // want `reflection`
}

func Select(selected []good, order string) {
	sort.Slice(selected, func(i, j int) bool { // want `reflection`
		a, b := selected[i], selected[j]
		switch {
		case order == "name" && a.Name != b.Name:
			return a.Name < b.Name // by name
		case order == "price" && a.Cents != b.Cents:
			return a.Cents < b.Cents
		}
		return a.Number < b.Number
	})
}

func (s *shop) Sort() {
	sort.SliceStable(s.goods, func(i, j int) bool { // want `sort.SliceStable moves`
		// The cheapest first.
		if s.goods[i].Cents != s.goods[j].Cents {
			return s.goods[i].Cents < s.goods[j].Cents
		} else if s.goods[i].At.Equal(s.goods[j].At) {
			return len(s.goods[i].Tags) < len(s.goods[j].Tags)
		}
		return s.goods[i].At.Before(s.goods[j].At)
	})
}

func Weights(a []good) {
	sort.Slice(a, func(i, j int) bool { return a[i].Weight < a[j].Weight }) // want `reflection`
}

func After(a []*good) {
	sort.Slice(a, func(i, j int) bool { return a[i].At.After(a[j].At) }) // want `reflection`
}

func Plain(words []string) {
	sort.Slice(words, func(i, j int) bool { return words[i] < words[j] }) // want `reflection`
}

func Numbers(words []float64) {
	sort.Slice(words, func(i, j int) bool { return words[i] < words[j] }) // want `reflection`
}

func Names(p *[]string) {
	sort.Slice(*p, func(i, j int) bool { return strings.Compare((*p)[i], (*p)[j]) < 0 }) // want `reflection`
}

func Local(n int) string {
	type pair struct {
		key string
		n   int8
	}
	pairs := []pair{{"a", int8(n)}, {"b", 3}, {"c", 3}, {"d", 1}}
	sort.Slice(pairs, func(i, j int) bool { return int(pairs[i].n) < int(pairs[j].n) }) // want `reflection`
	return fmt.Sprint(pairs)
}

// What follows is reported without a rewrite.

func Both(s []good) {
	sort.Slice(s, func(i, j int) bool { // want `reflection`
		return s[i].Cents < s[j].Cents || s[i].Cents == s[j].Cents && s[i].Name < s[j].Name
	})
}

func Index(s, t []good) {
	sort.Slice(s, func(i, j int) bool { return t[i].Cents < t[j].Cents }) // want `reflection`
}

func (g *good) key() string { g.Number++; return g.Name }

func Changes(s []good) {
	sort.Slice(s, func(i, j int) bool { // want `reflection`
		if s[i].key() == s[j].key() {
			return s[i].Number < s[j].Number
		}
		return s[i].Name < s[j].Name
	})
}

func Counts(s []good) (n int) {
	sort.Slice(s, func(i, j int) bool { // want `reflection`
		n++
		return s[i].Cents < s[j].Cents
	})
	return n
}

func LessFunc(s []good, less func(i, j int) bool) {
	sort.Slice(s, less) // want `reflection`
}

func Odd(s []good) {
	sort.Slice(s, func(i, j int) bool { return s[i].Cents < s[j].Number })    // want `reflection`
	sort.Slice(s, func(i, j int) bool { return s[i].Cents <= s[j].Cents })    // want `reflection`
	sort.Slice(s, func(i, j int) bool { return s[0].Cents < s[j].Cents })     // want `reflection`
	sort.Slice(s, func(i, _ int) bool { return s[i].Cents < 10 })             // want `reflection`
	sort.Slice(s, func(i, j int) bool { return len(s) > 1 && i == j })        // want `reflection`
	sort.Slice(s[1:], func(i, j int) bool { return s[i].Cents < s[j].Cents }) // want `reflection`
}

type byName []good

func (s byName) Len() int           { return len(s) }
func (s byName) Less(i, j int) bool { return s[i].Name < s[j].Name }
func (s byName) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }

func ByName(s []good) {
	sort.Sort(byName(s)) // want `sort.Sort calls Less and Swap through an interface`
}

func Try(r *rand.Rand) string {
	draw := func() []good {
		n := r.IntN(40)
		if r.IntN(50) == 0 {
			n = 1000
		}
		var s []good
		for range n {
			s = append(s, good{values.String(r)[:0] + string(rune('a'+r.IntN(5))), r.IntN(6), len(s), values.Float(r), time.Unix(int64(r.IntN(3)), 0).UTC(), make([]string, r.IntN(3))})
		}
		return s
	}
	var out strings.Builder
	show := func(s []good) {
		for _, g := range s {
			fmt.Fprint(&out, g.Number, " ")
		}
		out.WriteString("\n")
	}
	for _, sorts := range []func([]good){Cents, Descending, Backwards, Weights, ByName, Both, Changes} {
		s := draw()
		sorts(s)
		show(s)
	}
	for _, order := range []string{"", "name", "price"} {
		s := draw()
		Select(s, order)
		show(s)
	}
	s := &shop{draw()}
	s.Sort()
	show(s.goods)
	pointers := []*good{}
	for _, g := range draw() {
		pointers = append(pointers, &g)
	}
	After(pointers)
	for _, g := range pointers {
		fmt.Fprint(&out, g.Number, " ")
	}
	words := values.Strings(r)
	Plain(words)
	fmt.Fprintf(&out, "%q", words)
	words = values.Strings(r)
	Names(&words)
	fmt.Fprintf(&out, "%q", words)
	numbers := values.Slice(r, values.Float)
	Numbers(numbers)
	fmt.Fprint(&out, numbers, Local(values.Int(r)))
	return out.String()
}
