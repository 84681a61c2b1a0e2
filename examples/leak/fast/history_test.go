package fast

import "testing"

// TestBounded adds many times as many events as are kept.
func TestBounded(t *testing.T) {
	var h History
	for i := range 20 * MaxLast {
		if err := h.Add(make([]byte, i%(MaxEvent+1))); err != nil {
			t.Fatal(err)
		}
	}
	kept := 0
	for _, event := range h.ring {
		kept += cap(event)
	}
	if len(h.ring) != MaxLast || kept > MaxLast*MaxEvent {
		t.Errorf("%d events in %d bytes, want at most %d in %d", len(h.ring), kept, MaxLast, MaxLast*MaxEvent)
	}
}
