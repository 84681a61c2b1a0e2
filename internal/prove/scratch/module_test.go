package scratch

import (
	"errors"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/diag"
)

// TestNoModule checks that the error has a hint where a version is no module.
func TestNoModule(t *testing.T) {
	t.Parallel()
	_, err := New(t.Context(), t.TempDir(), Options{})
	var failed *diag.Error
	if !errors.As(err, &failed) || failed.Hint == "" || !strings.Contains(err.Error(), "no go.mod") {
		t.Errorf("%v", err)
	}
}
