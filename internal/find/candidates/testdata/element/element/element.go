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

func Find[E interface{ [3]int | [4]int }](list []E, x int) (found E) {
	from, to := 0, len(list)
	for from < to {
		middle := (from + to) / 2
		e := list[middle] // want `Refer to the element in place`
		switch {
		case x < e[0]:
			to = middle
		case x > e[1]:
			from = middle + 1
		default:
			return e
		}
	}
	return found
}

func Swapped(items []item, at int) (last item) {
	for i := range at {
		x := items[i]
		items[i] = items[at]
		last = x
	}
	return last
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
	list := [][3]int{{1, 2, r.IntN(9)}, {4, 7, 8}, {9, 9, 9}}
	return fmt.Sprint(Sum(items[:r.IntN(3)])) + fmt.Sprint(Find(list, r.IntN(12)), Swapped(items, 1))
}
