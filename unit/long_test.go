package unit

import (
	"strings"
	"testing"
)

// TestLongUnit truncates the name of a unit, because it follows every value.
func TestLongUnit(t *testing.T) {
	if got := Of(7, "x").In(strings.Repeat("é", 1<<20)); len(got) > 2*maxUnit || !strings.HasPrefix(got, "7é") {
		t.Errorf("%d bytes", len(got))
	}
}
