package copylarge

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"test/values"
)

type good struct {
	Name, Group string
	Cents       int
	sizes       [14]int
}

type shop struct{ goods []good }

func Select(goods []good, group string) []good {
	var selected []good
	for _, g := range goods { // want `each iteration copies the 152 bytes of an element to g`
		if group == "" || strings.EqualFold(g.Group, group) {
			selected = append(selected, g)
		}
	}
	return selected
}

func Sum(goods []good) (n int) {
	i := 0
	for at, g := range goods { // want `152 bytes`
		for _, size := range g.sizes {
			n += size * g.Cents * at
		}
		i++
	}
	return n + i
}

func Blank(goods []good) (n int, last good) {
	i := 3
	for _, g := range goods { // want `152 bytes`
		last = g
		n += i * len(good{Name: g.Name}.Name)
	}
	return n, last
}

// What follows is reported without a rewrite.

func Compact(goods []good) []good {
	kept := goods[:0]
	for _, g := range goods { // want `152 bytes`
		kept = append(kept, good{Name: "new"})
		if g.Cents > 3 {
			kept = append(kept, g)
		}
	}
	return kept
}

func (s *shop) Names() (all string) {
	for _, g := range s.goods { // want `152 bytes`
		all += g.Name
	}
	return all
}

func Written(goods []good) (n int) {
	for i, g := range goods { // want `152 bytes`
		goods[i].Cents = 7
		n += g.Cents
	}
	return n
}

func Called(goods []good, f func(good)) (n int) {
	for _, g := range goods { // want `152 bytes`
		f(g)
		n += g.Cents
	}
	return n
}

func Moved(goods []good) (n int) {
	for _, g := range goods { // want `152 bytes`
		goods = goods[1:]
		n += g.Cents
	}
	return n
}

func Shadowed(goods []good) (n int) {
	for _, g := range goods { // want `152 bytes`
		goods := 3
		n += g.Cents * goods
	}
	return n
}

func Key(goods []good) (n int) {
	for i, g := range goods { // want `152 bytes`
		i = 0
		n += g.Cents + i
	}
	return n
}

func Try(r *rand.Rand) string {
	draw := func() []good {
		return values.Slice(r, func(r *rand.Rand) good {
			return good{values.String(r), []string{"a", "A", "b"}[r.IntN(3)], values.Int(r), [14]int{1, values.Int(r)}}
		})
	}
	goods := draw()
	n, last := Blank(goods)
	called := draw()
	out := fmt.Sprint(Select(goods, "a"), Select(goods, "") == nil, Sum(goods), n, last, (&shop{goods}).Names(),
		Called(called, func(good) { called[0].Cents++ }), Moved(goods), Shadowed(goods), Key(goods))
	return out + fmt.Sprint(Written(draw()), Compact(draw()), Changed(draw()), Kept(draw()))
}
