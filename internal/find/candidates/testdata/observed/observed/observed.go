package observed

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"test/values"
)

func Words(text string) (list []string, err error) {
	for text != "" {
		word, rest, _ := strings.Cut(text, " ")
		list = append(list, word) // want `Allocate list for 22 elements, as most recorded results need`
		text = rest
	}
	return list, nil
}

func Counted(text string) map[rune]int {
	counts := map[rune]int{}
	for _, r := range text {
		counts[r]++ // want `Allocate counts for 22 elements, as most recorded results need`
	}
	return counts
}

func Quoted(text string) string {
	var b strings.Builder
	b.WriteByte('"') // want `Let b grow once to 22 bytes, as most recorded results need`
	b.WriteString(text)
	return b.String()
}

func Upper(next func() byte) string {
	text := []byte{}
	for c := next(); c != 0; c = next() {
		text = append(text, c-'a'+'A') // want `Allocate text for 22 elements, as most recorded results need`
	}
	return string(text)
}

func Second(text string) (int, []string) {
	var list []string
	list = append(list, text)
	return 1, list
}

func Inner(text string) int {
	var list []string
	list = append(list, text)
	return len(list)
}

func Try(r *rand.Rand) string {
	text := values.String(r)
	words, err := Words(text)
	n := r.IntN(9)
	upper := Upper(func() byte {
		if n--; n < 0 {
			return 0
		}
		return 'a' + byte(n)
	})
	return fmt.Sprintf("%#v %v %v %q %q", words, err, Counted(text), Quoted(text), upper)
}
