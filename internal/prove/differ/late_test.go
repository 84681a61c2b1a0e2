package differ_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/differ/pace"
	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// TestLate checks that functions for which no time is left are not called, and that the result says so.
func TestLate(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	const before = "package p\n\n// Limit is exported.\nconst Limit = 3\n\n" +
		"func Half(n int) int { return n / (Limit - 1) }\n"
	after := bytes.Replace([]byte(before), []byte("const Limit = 3"), []byte("const Limit = 2 + 1 - 0*4"), 1)
	after = bytes.Replace(after, []byte("n / (Limit - 1)"), []byte("n / 2"), 1)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo 1.26\n"))
	write(t, filepath.Join(dir, "p", "p.go"), []byte(before))
	write(t, filepath.Join(dir, "q", "q.go"), []byte("package q\n\nimport \"example.com/m/p\"\n\n"+
		"func Within(n int) bool { return n < p.Limit }\n"))
	m, err := scratch.New(t.Context(), dir, scratch.Options{Timeout: time.Minute, Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = m.Close() }()
	changes := scratch.Changes{"p/p.go": {Before: []byte(before), After: after}}
	o := differ.Options{Timeout: time.Minute, Pace: pace.Until(time.Second, time.Nanosecond)}
	r, err := differ.Compare(t.Context(), m, "p", changes, o)
	const late = "Half was not compared: the time for that was up"
	if err != nil || len(r.Outcomes) > 0 || !slices.Contains(r.NotCompared, late) {
		t.Errorf("outcomes %+v, not compared %q, %v", r.Outcomes, r.NotCompared, err)
	}
	o.Pace = pace.Until(500*time.Millisecond, time.Hour)
	if r, err = differ.Compare(t.Context(), m, "p", changes, o); err != nil || len(r.Outcomes) == 0 {
		t.Errorf("with enough time: outcomes %+v, not compared %q, %v", r.Outcomes, r.NotCompared, err)
	}
}
