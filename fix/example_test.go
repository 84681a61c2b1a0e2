package fix_test

import (
	"fmt"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
)

// Run returns a result like this one.
func ExampleResult() {
	r := &fix.Result{Module: "example.com/shop", Attempts: []fix.Attempt{
		{
			Stage: fix.StageKept, Tested: 2, Diff: "--- a/cart/cart.go\n+++ b/cart/cart.go\n",
			Answers: &fix.Answers{Functions: []string{"Key"}, Inputs: 51200},
			Finding: find.Finding{Title: "string formatted by fmt", Function: "Key"},
		},
		{
			Stage: fix.StageMeasure, Reason: "no gain distinguishable from noise",
			Finding: find.Finding{Title: "value boxed", Function: "Sum"},
		},
	}}
	for _, a := range r.Attempts {
		if !a.Kept() {
			fmt.Printf("%s: dropped at %s: %s\n", a.Finding.Function, a.Stage, a.Reason)
			continue
		}
		fmt.Printf("%s: the same results for %d inputs\n%s", a.Finding.Function, a.Answers.Inputs, a.Diff)
	}
	// Output:
	// Key: the same results for 51200 inputs
	// --- a/cart/cart.go
	// +++ b/cart/cart.go
	// Sum: dropped at measure: no gain distinguishable from noise
}
