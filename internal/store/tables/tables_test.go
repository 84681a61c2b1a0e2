package tables

import (
	"strings"
	"testing"
)

// TestGranules keeps the granules of tables that are there: replicas have equal ones.
func TestGranules(t *testing.T) {
	for coarse, want := range map[bool]bool{true: false, false: true} {
		text := Schema{Database: "whet", Coarse: coarse}.Migrations()[0][0]
		if got := strings.Contains(text, "profiles (") && strings.Contains(text, "index_granularity=128"); got != want {
			t.Errorf("coarse %t: %s", coarse, text)
		}
	}
}
