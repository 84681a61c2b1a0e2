package provetest_test

import (
	"fmt"
	"testing"

	"github.com/whet-go/whet/internal/prove/provetest"
)

// TestInPart checks that each name is in one part.
func TestInPart(t *testing.T) {
	const parts = 3
	counts := [parts]int{}
	for i := range 300 {
		for part := range parts {
			t.Setenv(provetest.PartEnv, fmt.Sprintf("%d/%d", part+1, parts))
			if provetest.InPart(t, fmt.Sprint("name ", i)) {
				counts[part]++
			}
		}
	}
	if counts[0]+counts[1]+counts[2] != 300 || min(counts[0], counts[1], counts[2]) < 60 {
		t.Errorf("parts of %v names, of 300", counts)
	}
	t.Setenv(provetest.PartEnv, "")
	if !provetest.InPart(t, "any") {
		t.Error("there are parts without the variable")
	}
}
