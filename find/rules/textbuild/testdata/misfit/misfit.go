package misfit

import (
	"fmt"
	"math"
	"math/rand/v2"

	"test/values"
)

type named int

// What fmt writes for a verb that does not fit is a bug of the caller, which a rewrite must not mend.
func line(s string, b bool, i int8, u byte, r rune, f float64, f32 float32, n named) string {
	text := fmt.Sprintf("%s.", s)                          // want `begins as a string`
	text += fmt.Sprintf("%d|%t|%f|", s, s, s)              // want `new string of text`
	text += fmt.Sprintf("%s|%d|%q|", b, b, b)              // want `new string of text`
	text += fmt.Sprintf("%s|%s|%t|%g|", i, u, r, u)        // want `new string of text`
	text += fmt.Sprintf("%s:%s|%d|%q|%t", f, s, f, f32, f) // want `new string of text`
	text += fmt.Sprintf("%s|%s|%5d|%.2s", n, 7, s, f)      // want `new string of text`
	return text
}

func quiet(f float64) string { return fmt.Sprintf("%s", f) }

func Try(r *rand.Rand) string {
	f := r.NormFloat64() * math.Pow(10, float64(r.IntN(50)-25))
	switch r.IntN(9) {
	case 0:
		f = math.Inf(1 - 2*r.IntN(2))
	case 1:
		f = math.NaN()
	case 2:
		f = math.Copysign(0, -1)
	case 3:
		f = math.Round(f)
	}
	i := int8(r.Uint32())
	return line(values.String(r), r.IntN(2) == 0, i, byte(i), rune(r.Int32()), f, float32(f), named(i)) + quiet(f)
}
