package fix_test

import (
	"fmt"
	"strings"

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

// fix.Run returns a result like this one.
func ExampleResult_Patches() {
	r := &fix.Result{Module: "example.com/shop", Attempts: []fix.Attempt{{
		Stage: fix.StageKept, Tested: 2, Diff: "--- a/cart/cart.go\n+++ b/cart/cart.go\n",
		Answers: &fix.Answers{Functions: []string{"Key"}, Inputs: 51200},
		Finding: find.Finding{
			Rule: "sprintf", Title: "string formatted by fmt", Function: "Key",
			Why:      "fmt parses the format and boxes its arguments on each call",
			Evidence: []find.Evidence{{Cost: find.CPU, Share: 0.12}},
			Places:   []find.Place{{File: "cart/cart.go", Line: 12}},
			Fix:      &find.Fix{Message: "Concatenate the strings"},
		},
	}}}
	for _, p := range r.Patches("whet <whet@example.com>") {
		fmt.Println(p.Name)
		message, _, _ := strings.Cut(p.Text, "\n---\n")
		fmt.Println(message)
	}
	// Output:
	// 0001-sprintf-Key.patch
	// From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001
	// From: whet <whet@example.com>
	// Subject: [PATCH 1/1] cart: concatenate the strings (Key)
	//
	// cart/cart.go:12: fmt parses the format and boxes its arguments on each call.
	//
	// cpu: 12.0% of the profile
	//
	// It builds, go vet reports nothing new, and the tests of all packages it can affect (2) pass.
	//
	// The old and the new Key behave the same on 51200 inputs.
}
