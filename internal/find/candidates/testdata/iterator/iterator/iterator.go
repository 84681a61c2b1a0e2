package iterator

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"test/values"
)

func Last(list []string) (all []string, at int) {
	for i, s := range slices.Backward(list) { // want `Loop without slices.Backward`
		if s == "" {
			continue
		}
		at += i
		all = append(all, s)
	}
	for _, s := range slices.Backward(list[:len(list)/2]) { // want `Loop without slices.Backward`
		all = append(all, s)
	}
	for i := range slices.Backward(list) { // want `Loop without slices.Backward`
		at -= i * i
	}
	return all, at
}

func Params(query string) (n int, text string) {
	for pair := range strings.SplitSeq(query, ",") { // want `Loop without strings.SplitSeq`
		if pair == "b" {
			continue
		}
		if pair == "=" {
			break
		}
		n++
		text += pair + "|"
	}
	return n, text
}

func Sum(m map[string]int, list []int) (n int) {
	for k := range maps.Keys(m) { // want `Loop without maps.Keys`
		n += len(k)
	}
	for v := range maps.Values(m) { // want `Loop without maps.Values`
		n += v
	}
	for v := range slices.Values(list) { // want `Loop without slices.Values`
		n += v
	}
	for i, v := range slices.All(list) { // want `Loop without slices.All`
		n += i * v
	}
	return n
}

// The separator is not constant, the loop has a label, or the variable is set.
func Others(s, sep string, list []string) (text string) {
	for part := range strings.SplitSeq(s, sep) {
		text += part
	}
outer:
	for part := range strings.SplitSeq(s, ",") {
		for range 2 {
			text += part
			continue outer
		}
	}
	for i, part := range slices.Backward(list) {
		i++
		text += fmt.Sprint(i, part)
	}
	return text
}

func Try(r *rand.Rand) string {
	list := values.Strings(r)
	all, at := Last(list)
	query := values.String(r) + []string{"", ",", "a,b,c=d", ",,=,"}[r.IntN(4)]
	n, text := Params(query)
	m := map[string]int{}
	for i, s := range list {
		m[s] = i
	}
	return fmt.Sprint(all, at, n, text, Sum(m, []int{3, 4, 5}), Others(query, ",", list))
}
