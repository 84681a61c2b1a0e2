package prove_test

import (
	"fmt"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/prove"
)

func ExampleFigure() {
	u := &ab.Unit{Unit: "sec/op", Better: bench.Lower, Ratio: 0.52, Low: 0.5, High: 0.55}
	fmt.Println(prove.Figure("text.Join", u))
	// Output: text.Join sec/op: -48.0% (95%: -50.0% to -45.0%)
}
