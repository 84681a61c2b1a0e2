package indexfile

import (
	"testing"

	"github.com/whet-go/whet/trace/model"
)

// TestPacked checks that packing of codes and processors can be reversed.
func TestPacked(t *testing.T) {
	seen := map[byte]bool{}
	for c := range model.Code(model.MaxCodes) {
		for with := range uint32(60) {
			b, whole := packed(c, with)
			gotCode, gotWith, gotWhole := unpacked(b)
			if gotCode != c || gotWhole != whole || whole && gotWith != with || whole && seen[b] {
				t.Fatalf("state %d of %d: %d, %v: state %d of %d, %v", c, with, b, whole, gotCode, gotWith, gotWhole)
			}
			if whole {
				seen[b] = true
			}
		}
	}
	if len(seen) != 2*packProcs {
		t.Errorf("%d bytes are of use", len(seen))
	}
}
