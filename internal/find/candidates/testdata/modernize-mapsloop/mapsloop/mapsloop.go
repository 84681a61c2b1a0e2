package mapsloop

import (
	"fmt"
	"math/rand/v2"
)

func Merge(to, from map[string]int) {
	for k, v := range from { // want `maps.Copy`
		to[k] = v
	}
}

func Doubled(to, from map[string]int) {
	for k, v := range from {
		to[k] = 2 * v
	}
}

func Try(r *rand.Rand) string {
	m := map[string]int{"x": 1}
	Merge(m, map[string]int{"x": r.IntN(5), "y": 2})
	return fmt.Sprint(m)
}
