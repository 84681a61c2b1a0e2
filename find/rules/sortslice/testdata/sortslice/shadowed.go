package sortslice

import (
	"sort"
	"strings"
)

func Shadowed(s []good) {
	cmp := strings.ToLower
	sort.Slice(s, func(i, j int) bool { return s[i].Cents < s[j].Cents }) // want `reflection`
	_ = cmp
}
