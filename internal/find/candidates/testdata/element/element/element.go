package element

import (
	"fmt"
	"math/rand/v2"
)

type item struct {
	name  string
	price int
	more  [4]int
}

func (i item) cost() int { return i.price }

func Sum(items []item) (n int, last item) {
	for i, x := range items { // want `in place`
		n += i*x.price + x.cost() + x.more[1]
		last = x
	}
	return n, last
}

func Changed(items []item) (n int) {
	for _, x := range items {
		x.price *= 2
		n += x.price
	}
	return n
}

func Pointers(items []item) (all []*item) {
	for _, x := range items {
		all = append(all, &x)
	}
	return all
}

func Small(items []int) (n int) {
	for _, x := range items {
		n += x
	}
	return n
}

func Later(items []item) (all []func() int) {
	for _, x := range items {
		all = append(all, func() int { return x.price })
	}
	return all
}

func Try(r *rand.Rand) string {
	items := []item{{name: "a", price: r.IntN(9)}, {price: 2, more: [4]int{1, r.IntN(7)}}}
	return fmt.Sprint(Sum(items[:r.IntN(3)]))
}
