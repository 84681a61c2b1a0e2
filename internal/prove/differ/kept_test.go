package differ_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// TestKept checks that a comparison keeps those of its first inputs that ran new code, and few others: benchmarks and
// mutants go through them.
func TestKept(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	const before = `package p

// Sum adds up what is positive.
func Sum(list []int, twice bool) (sum int) {
	for _, n := range list {
		if n < 0 {
			continue
		}
		if twice {
			n *= 2
		}
		sum += n
	}
	return sum
}
`
	after := bytes.Replace([]byte(before), []byte("n *= 2"), []byte("n += n"), 1)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo 1.26\n"))
	write(t, filepath.Join(dir, "p", "p.go"), []byte(before))
	m, err := scratch.New(t.Context(), dir, scratch.Options{Timeout: time.Minute, Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = m.Close() }()
	corpus := t.TempDir()
	r, err := differ.Compare(t.Context(), m, "p", scratch.Changes{"p/p.go": {Before: []byte(before), After: after}},
		differ.Options{FuzzTime: "1s", Timeout: time.Minute, Corpus: corpus})
	if err != nil || len(r.Outcomes) != 1 || r.Reached != r.Blocks {
		t.Fatalf("outcomes %+v, %d of %d blocks, %v", r.Outcomes, r.Reached, r.Blocks, err)
	}
	kept, err := filepath.Glob(filepath.Join(corpus, "FuzzWhetDiffer1", "whet-*"))
	if err != nil || len(kept) == 0 || len(kept) > 8 { // as many as blocks, at most
		t.Fatalf("%d inputs were kept, %v", len(kept), err)
	}
	text, err := os.ReadFile(kept[0])
	if err != nil || !bytes.HasPrefix(text, []byte("go test fuzz v1\n[]byte(\"")) {
		t.Errorf("%s, %v", text, err)
	}
}
