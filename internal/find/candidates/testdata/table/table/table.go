package table

import (
	"fmt"
	"math/rand/v2"
)

var units = map[string]int{"ns": 1, "us": 1e3, "ms": 1e6}

type kind struct {
	name string
	size int
}

var kinds = map[byte]kind{'a': {"first", 1}, 'b': {name: "second"}}

var changed = map[string]int{"x": 1}

var later map[string]int

func init() {
	later = map[string]int{"x": 1, "y": 2}
}

func Later(name string) int {
	return later[name] // want `Use a switch for the entries of later`
}

var ranged = map[string]int{"x": 1}

func Unit(name string) (int, bool) {
	n, ok := units[name] // want `Use a switch`
	return n, ok
}

func Kind(c byte) string {
	return kinds[c].name // want `Use a switch`
}

func Changed(name string) int {
	changed[name]++
	return changed[name]
}

func Ranged(name string) (n int) {
	for k := range ranged {
		n += len(k)
	}
	return n + ranged[name]
}

func Conditional(c byte) bool { return c > 'a' && kinds[c].size > 0 }

func Try(r *rand.Rand) string {
	n, ok := Unit([]string{"ns", "ms", "", "s"}[r.IntN(4)])
	return fmt.Sprint(Later("x"), Later(""), n, ok, Kind("abc"[r.IntN(3)]))
}
