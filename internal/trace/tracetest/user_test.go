package tracetest

import (
	"bytes"
	"testing"

	"golang.org/x/exp/trace"
)

// TestUser reads what User recorded with the reader of golang.org/x/exp.
func TestUser(t *testing.T) {
	const name = "<b>order</b>"
	r, err := trace.NewReader(bytes.NewReader(User(t, name)))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for {
		e, err := r.ReadEvent()
		if err != nil {
			break
		}
		switch e.Kind() {
		case trace.EventTaskBegin:
			found["task "+e.Task().Type]++
		case trace.EventRegionBegin:
			found["region "+e.Region().Type]++
		case trace.EventLog:
			found["message "+e.Log().Message]++
		}
	}
	for _, kind := range []string{"task ", "region ", "message "} {
		if found[kind+name] != 20 {
			t.Errorf("%s%s: %d, want 20 (%v)", kind, name, found[kind+name], found)
		}
	}
}
