package shorttext

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"test/values"
)

func common(a, b []rune) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func sum(data []byte, text string) (n int) {
	for _, c := range data {
		n += int(c)
	}
	return n + len(text)
}

func Prefix(a, b string) int {
	return common([]rune(a), []rune(b)) // want `Use an array for short texts`
}

func Sum(text string) int {
	n := sum([]byte(text), text) // want `Use an array for short texts`
	return n
}

// The function is of another package, or the text is made by a call.
func Others(text string) string {
	n := common([]rune(strings.ToUpper(text)), []rune(fmt.Sprint(text)))
	return fmt.Sprint(n, string([]rune(text)), fmt.Sprintf("%x", []byte(text)))
}

func Try(r *rand.Rand) string {
	a, b := values.String(r), values.String(r)
	long := strings.Repeat(a, r.IntN(40))
	return fmt.Sprint(Prefix(a, b), Prefix(long, a), Prefix(long, long), Sum(a), Sum(long), Others(a))
}
