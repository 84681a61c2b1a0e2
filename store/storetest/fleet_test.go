package storetest_test

import (
	"strings"
	"testing"

	"github.com/whet-go/whet/store/storetest"
)

// TestSmallFleet cannot be generated, which once took forever.
func TestSmallFleet(t *testing.T) {
	for _, stacks := range []int{100, 249 * storetest.FleetServices} {
		if _, err := storetest.WriteFleet(t.TempDir(), storetest.FleetServices, stacks); err == nil ||
			!strings.Contains(err.Error(), "samples of different ones") {
			t.Errorf("%d stacks: %v", stacks, err)
		}
	}
}
