package load

import (
	"fmt"
	"math/rand/v2"
)

type table struct {
	weights []int
	n       int
}

func (t *table) Sum(values []int) (n int) {
	for i := range values {
		n += t.weights[i%len(t.weights)] * values[i] // want `Read t.weights once`
	}
	return n
}

func (t *table) Below(limit int) (n int) {
	for i := 0; i < len(t.weights); i++ { // want `Read t.weights once`
		if i < limit {
			n++
		}
	}
	return n
}

func (t *table) Grown(values []int) (n int) {
	for i := range values {
		n += t.weights[i]
		t.weights = append(t.weights, n)
	}
	return n
}

func (t *table) reset() { t.weights = nil }

func (t *table) Called(values []int) (n int) {
	for i := range values {
		n += t.weights[i]
		t.reset()
	}
	return n
}

func Try(r *rand.Rand) string {
	t := &table{weights: []int{1, r.IntN(5), 3}}
	return fmt.Sprint(t.Sum([]int{r.IntN(9), 2, 3, 4}), t.Sum(nil), t.Below(r.IntN(5)))
}
