package boxing

import (
	"fmt"
	"io"
	"math/rand/v2"
	"sync/atomic"

	"test/values"
)

type pair struct{ a, b int }

func (p pair) String() string { return fmt.Sprintln(p.a, p.a) } // want `p.a \(int\) and 1 more are copied to the heap to be converted to an interface \(any\) for fmt.Sprintln`

func Print(w io.Writer, n int, s string, p pair, b []byte) {
	fmt.Fprintln(w, n, s)   // want `n \(int\) and 1 more are copied to the heap`
	fmt.Fprintln(w, any(p), // want `p \(pair\) is copied to the heap to be converted to an interface \(any\) for a conversion`
		b) // want `b \(\[\]byte\)`
	take(p)               // want `p \(pair\) .* interface \(fmt.Stringer\) for take`
	func(x any) {}(n + 1) // want `n \+ 1 \(int\) .* for a function`
}

func take(fmt.Stringer) {}

func Store(v *atomic.Value, n float64) {
	v.Store(n) // want `n \(float64\) .* for Store`
}

func Try(r *rand.Rand) string { return fmt.Sprintln(values.Int(r)) } // want `values.Int\(r\) \(int\)`
