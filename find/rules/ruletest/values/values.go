package values

import (
	"math"
	"math/rand/v2"
	"strings"
)

// words are texts on which rewrites may fail: the empty string, multi-byte characters, invalid
// UTF-8, and characters with a meaning in formats and protocols.
var words = [...]string{
	"", "a", "test", "héllo", "日本語", "\xff", "a\xffb", "\xe6\x97", "é", "\u0130", "\u212a", "ſ", "\u2028",
	"%", "%s", "%!d(string=x)", "$1", `\`, `"`, "'", "<&>", "\x00", "\n", "\r\n", "\t", "\v\f\u0085\u00a0", " ", "  a  b ",
	":", "|", "@", ",", ";", "=", "a,b,,c", "k=v", "true", "null", "-1", "0x1f", "1e9", "NaN", "00", "+5",
}

// String draws an edge value, or several concatenated.
func String(r *rand.Rand) string {
	switch r.IntN(4) {
	case 0:
		return words[r.IntN(len(words))]
	case 1:
		return strings.Repeat(words[r.IntN(len(words))], r.IntN(70))
	}
	var b strings.Builder
	for range r.IntN(6) {
		b.WriteString(words[r.IntN(len(words))])
	}
	return b.String()
}

// Bytes draws the bytes of a String; sometimes nil.
func Bytes(r *rand.Rand) []byte {
	if r.IntN(8) == 0 {
		return nil
	}
	return []byte(String(r))
}

// Strings draws nil, an empty slice, or a few strings.
func Strings(r *rand.Rand) []string {
	return Slice(r, String)
}

// Slice draws nil, an empty slice, or a few elements.
func Slice[T any](r *rand.Rand, draw func(*rand.Rand) T) []T {
	n := r.IntN(6) - 1
	if n < 0 {
		return nil
	}
	s := make([]T, 0, n+r.IntN(3))
	for range n {
		s = append(s, draw(r))
	}
	return s
}

// Int draws an edge value of any size, or a small number.
func Int(r *rand.Rand) int {
	switch r.IntN(6) {
	case 0:
		return []int{
			0, 1, -1, 9, 10, 99, 100, -100,
			math.MaxInt8, math.MinInt8, math.MaxInt32, math.MinInt32, math.MaxInt, math.MinInt,
		}[r.IntN(14)]
	case 1:
		return int(r.Uint64())
	}
	return r.IntN(40) - 8
}

// Float draws an edge value, or any number.
func Float(r *rand.Rand) float64 {
	switch r.IntN(4) {
	case 0:
		return []float64{
			0, math.Copysign(0, -1), 1, -1, 0.1, 1e21, 1e-7,
			math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1), math.NaN(),
		}[r.IntN(12)]
	case 1:
		return math.Float64frombits(r.Uint64())
	}
	return float64(r.IntN(2000)-1000) / 8
}

// Rune draws a rune of any length in UTF-8, a surrogate, or a value beyond the last rune.
func Rune(r *rand.Rand) rune {
	return []rune{
		0, 'a', ' ', '*', '\n', 0x7f, 0x80, 'é', 0x7ff, 0x800,
		'日', 0xd800, 0xfffd, 0xffff, 0x10000, 0x10ffff, 0x110000, -1,
	}[r.IntN(18)]
}

// Bool reports whether a coin comes up heads.
func Bool(r *rand.Rand) bool { return r.IntN(2) == 0 }
