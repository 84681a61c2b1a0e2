package appendclipped

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

func Cloned(list []string) []string {
	return append([]string(nil), list...) // want `slices.Clone`
}

func Added(list []string) []string { return append(list, "x") }

func Try(r *rand.Rand) string { return fmt.Sprint(Cloned(values.Strings(r))) }
