package fast

import (
	"bytes"
	"testing"
)

// TestRecentLetsGo checks that one large word does not stay in memory forever.
func TestRecentLetsGo(t *testing.T) {
	var r Recent
	var buf bytes.Buffer
	r.Write(&buf, make([]byte, 1<<20))
	r.Write(&buf, []byte("short"))
	if got := cap(r.last); got > maxKept {
		t.Errorf("room for %d bytes is kept after a short word, want at most %d", got, maxKept)
	}
	if r.Last() != "short" {
		t.Errorf("Last is %q, want short", r.Last())
	}
}
