package index

import (
	"bytes"
	"fmt"
	"runtime/trace"
	"testing"
)

// Limits of internal/trace/indexer.
const (
	maxGiven = 1 << 16
	tooMany  = "(one of too many)"
)

// TestGiven records more texts than are kept: all those of logs are there, and the table is
// bounded.
func TestGiven(t *testing.T) {
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	const logs = 20_000
	for n := range logs {
		trace.Log(t.Context(), "at", fmt.Sprint("message ", n))
	}
	for n := range maxGiven + 1000 {
		trace.StartRegion(t.Context(), fmt.Sprint("region ", n)).End()
	}
	trace.Stop()
	x := build(t, out.Bytes())
	n := 0
	if err := x.Records(Logs, 0, x.Info.Duration, func(r *Record) bool {
		if want := fmt.Sprint("message ", n); x.Name(r.Name) != "at" || r.Text != want {
			t.Errorf("%s: %q, want %q", x.Name(r.Name), r.Text, want)
		}
		n++
		return !t.Failed()
	}); err != nil || n != logs {
		t.Errorf("%d logs, %v", n, err)
	}
	regions, others := 0, 0
	if err := x.Records(Regions, 0, x.Info.Duration, func(r *Record) bool {
		regions++
		if x.Name(r.Name) == tooMany {
			others++
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if regions != maxGiven+1000 || others < 1000 || others > 1200 {
		t.Errorf("%d regions, %d of which share a name", regions, others)
	}
	if len(x.tables.Names) > maxGiven+2*len(x.tables.Frames)+100 {
		t.Errorf("%d names", len(x.tables.Names))
	}
}
