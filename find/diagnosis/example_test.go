package diagnosis_test

import (
	"fmt"

	"github.com/whet-go/whet/find/diagnosis"
)

// A line spends most of its CPU time in package fmt, which allocates.
func Example() {
	kind := diagnosis.Kind("")
	for _, function := range []string{"runtime.mallocgc", "runtime.convTstring", "fmt.(*pp).doPrintf", "fmt.Sprintf"} {
		kind = diagnosis.Class(function).Around(kind)
	}
	d := diagnosis.Of(diagnosis.Input{
		Resource: "cpu", Costs: map[diagnosis.Kind]float64{kind: 0.1, diagnosis.Own: 0.02}, Rules: []string{"sprintf"},
	})
	fmt.Printf("%s: at most %.2f of %.2f\n", d.Kind, d.Saves, d.Line)
	fmt.Println(d.Considered, d.Rewrite)
	// Output:
	// formatting: at most 0.10 of 0.12
	// [sprintf] false
}
