package scan

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

func Value(s string, quote byte) (string, int) {
	i := 0
	for i < len(s) && s[i] != '=' { // want `Search for '=' with IndexByte`
		i++
	}
	from := i
	for ; i < len(s) && s[i] != quote; i++ { // want `Search for quote with IndexByte`
	}
	return s[from:i], i
}

func Lines(b []byte) (n int) {
	for i := range b { // want `Count with bytes.Count`
		if b[i] == '\n' {
			n++
		}
	}
	return n
}

func Commas(s string) (n int) {
	for i := 0; i < len(s); i++ { // want `Count with strings.Count`
		if s[i] == ',' {
			n++
		}
	}
	return n
}

// Two bytes end the loop, the end is another one, and the loop counts characters.
func Others(s string, end int) (n int) {
	i := 0
	for i < len(s) && s[i] != ':' && s[i] != '=' {
		i++
	}
	for i < end && s[i] != ':' {
		i++
	}
	for at := range s {
		if s[at] == ',' {
			n++
		}
	}
	return n + i
}

func Try(r *rand.Rand) string {
	s := values.String(r)
	value, end := Value(s, ',')
	return fmt.Sprint(value, end, Lines(values.Bytes(r)), Commas(s), Others(s, len(s)/2))
}
