package http1

import (
	"fmt"
	"strings"
	"testing"
)

// TestMemory checks which heads are cached.
func TestMemory(t *testing.T) {
	var m Memory
	read := func(answer string) string {
		t.Helper()
		if got, want := parseBy(t, m.Parse, []byte(answer), false, whole),
			parse(t, []byte(answer), false, whole); got != want {
			t.Errorf("%q: %+v, without a memory %+v", answer, got, want)
		}
		return string(m.head)
	}
	numbered := func(n int) string { return fmt.Sprintf("%sNumber: %d\r\nContent-Length: 2\r\n\r\n", ok, n) }
	if held := read(numbered(1) + "ok"); held != numbered(1) {
		t.Errorf("held after the first answer: %q", held)
	}
	read(numbered(1) + "ok")
	if held := read(numbered(2) + "ok"); held != numbered(2) {
		t.Errorf("held after another head: %q", held)
	}
	for n := 3; n < 3+heldMisses-1; n++ {
		if held := read(numbered(n) + "ok"); held != numbered(2) {
			t.Errorf("held where each head is different: %q", held)
		}
	}
	if held := read(numbered(20) + "ok"); held != numbered(20) {
		t.Errorf("held after %d others: %q", heldMisses, held)
	}
	read(numbered(20) + "ok")
	if held := read(ok + "X: " + strings.Repeat("x", maxRemembered) + "\r\n\r\n"); held != numbered(20) {
		t.Errorf("held after one that is too long: %d bytes", len(held))
	}
}
