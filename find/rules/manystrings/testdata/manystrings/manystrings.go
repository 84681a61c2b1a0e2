package manystrings

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"test/values"
)

type item struct{ a, b string }

// Sum is a hash of two strings.
func Sum(a, b string) string {
	digest := sha256.Sum256([]byte(a + b))
	var encoded [64]byte
	return string(hex.AppendEncode(encoded[:0], digest[:])) // want `each string of Sum is memory of its own`
}

func number(n int) string {
	var room [24]byte
	if n < 0 {
		n = -n
	}
	return string(strconv.AppendInt(room[:0], int64(n), 10)) // want `each string of number`
}

func clock(t time.Time, to string) string {
	var room [4]byte                                         // too short
	return string(t.AppendFormat(room[:0], time.RFC3339+to)) // want `each string of clock`
}

func Sums(items []item) []string {
	var sums []string
	for _, it := range items {
		sums = append(sums, Sum(it.a, it.b))
	}
	return sums
}

func Numbers(list []int) (texts []string) {
	// Of those that are not zero.
	for i := range list {
		if list[i] != 0 {
			texts = append(texts, number(list[i]))
		}
	}
	// And once more.
	for _, n := range list {
		texts = append(texts, number(n+1))
	}
	return texts
}

func Clocks(n int, strings string) []string {
	var list []string
	for i := 0; i < n; i++ {
		list = append(list, clock(time.Unix(int64(i), 0).UTC(), strings))
	}
	return list
}

func Clocks2(times []time.Time, strings string) []string {
	var list []string
	for i := 0; i < len(times); i++ {
		list = append(list, clock(times[i], strings))
	}
	return list
}

func Try(r *rand.Rand) string {
	items := values.Slice(r, func(r *rand.Rand) item { return item{values.String(r), values.String(r)} })
	ints := values.Slice(r, values.Int)
	sums := Sums(items)
	return fmt.Sprint(sums, sums == nil, Numbers(ints), Clocks(len(ints), values.String(r)), Clocks2(make([]time.Time, len(ints)), "x"), Sum("a", "b"), number(7))
}
