package findings_test

import (
	"fmt"
	"strings"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/report/findings"
)

// fix.Run returns a result like this one.
func ExamplePatches() {
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
	for _, p := range findings.Patches(r, "whet <whet@example.com>") {
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
