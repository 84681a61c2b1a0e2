package prove_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/prove"
)

// counts is a package that counts in goroutines. Without the lock, its results do not change.
const counts = `
-- go.mod --
module example.com/counts

go 1.26
-- counts.go --
package counts

import "sync"

// Letters counts letters.
func Letters(words []string) int {
	var wg sync.WaitGroup
	var mu sync.Mutex
	total, last := 0, ""
	for _, w := range words {
		total += len(w)
		wg.Go(func() {
			mu.Lock()
			last = w
			mu.Unlock()
		})
	}
	wg.Wait()
	_ = last
	return total
}

// Longest returns the longest word.
func Longest(words []string) string {
	best := ""
	for _, w := range words {
		if len(w+"") > len(best+"") {
			best = w
		}
	}
	return best
}
-- counts_test.go --
package counts

import "testing"

func TestLetters(t *testing.T) {
	if n := Letters([]string{"a", "bc"}); n != 3 {
		t.Fatal(n)
	}
}
`

// TestRace finds a data race that a change brings, and ignores one that was there before.
func TestRace(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no C compiler")
	}
	unlocked := strings.NewReplacer("\t\t\tmu.Lock()\n", "", "\t\t\tmu.Unlock()\n", "", "\tvar mu sync.Mutex\n", "")
	racy := unlocked.Replace(counts)
	race := func(q *prove.Request) { q.Race = true }
	r := proveDirs(t, writeModule(t, counts), writeModule(t, racy), race)
	if r.Outcome != prove.OutcomeDifferent || r.Verdict.Stage != prove.StageRace ||
		!strings.Contains(r.Reason, "TestLetters") || !strings.Contains(r.Reason, "race") {
		t.Errorf("a new race: %s: %s", r.Outcome, r.Reason)
	}
	r = proveDirs(t, writeModule(t, racy), writeModule(t, strings.ReplaceAll(racy, `+""`, "")), race)
	if r.Verdict.Stage == prove.StageRace || r.Verdict.Raced || r.Outcome == prove.OutcomeDifferent {
		t.Errorf("an old race: %s: %s", r.Outcome, r.Reason)
	}
	r = proveDirs(t, writeModule(t, counts), writeModule(t, strings.ReplaceAll(counts, `+""`, "")), race)
	if !r.Verdict.Raced || r.Outcome == prove.OutcomeDifferent {
		t.Errorf("no race: %s: %s", r.Outcome, r.Reason)
	}
}
