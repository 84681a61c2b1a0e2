package fix

import (
	"fmt"
	"strings"
	"testing"

	"github.com/whet-go/whet/find"
)

// TestString checks that logs print attempts as text, since they hold files as bytes.
func TestString(t *testing.T) {
	t.Parallel()
	a := Attempt{
		Finding: find.Finding{Title: "slow"}, Stage: StageTest, Reason: "it fails", undo: map[string][]byte{
			"a.go": []byte("abc"),
		},
	}
	for _, got := range []string{fmt.Sprintf("%+v", []Attempt{a}), fmt.Sprintf("%v", &a)} {
		if strings.Contains(got, "97 98 99") || !strings.Contains(got, "slow: test: it fails") {
			t.Error(got)
		}
	}
}
