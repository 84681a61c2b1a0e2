package results

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"test/values"
)

// Width returns how wide a text is.
func Width(s string, wide bool) int { // want `Keep the results of Width in a table`
	n := 0
	for _, r := range s {
		if n++; wide && r > 0x1100 {
			n++
		}
	}
	return n
}

func split(s string) (string, bool) { // want `Keep the results of split`
	head, tail, ok := strings.Cut(strings.ToLower(s), ",")
	return strings.TrimSpace(head) + "|" + tail, ok
}

var calls int

// Counted has an effect.
func Counted(s string) (n int) {
	for range s {
		calls++
	}
	return calls
}

// Short does too little, Sum has a slice, and Scaled a number that is not equal to itself.
func Short(s string) int { return len(s) }

func Sum(list []int) (n int) {
	for _, x := range list {
		n += x
	}
	return n
}

func Scaled(x float64) float64 {
	for x > 1 {
		x /= 2
	}
	return x
}

func Try(r *rand.Rand) string {
	text := ""
	for range 3 {
		s := values.String(r)
		head, ok := split(s)
		text += fmt.Sprint(Width(s, values.Bool(r)), head, ok, Short(s), Sum(nil), Scaled(3))
	}
	return text + fmt.Sprint(Counted("ab") > 0)
}
