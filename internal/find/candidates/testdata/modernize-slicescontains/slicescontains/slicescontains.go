package slicescontains

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

func Has(list []string, x string) bool {
	for _, s := range list { // want `slices.Contains`
		if s == x {
			return true
		}
	}
	return false
}

func Count(list []string, x string) (n int) {
	for _, s := range list {
		if s == x {
			n++
		}
	}
	return n
}

func Try(r *rand.Rand) string { return fmt.Sprint(Has(values.Strings(r), values.String(r))) }
