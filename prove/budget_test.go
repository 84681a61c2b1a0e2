package prove_test

import (
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/prove"
)

// TestBudget checks that a proof whose tests do not end is ended, and lists what is missing.
func TestBudget(t *testing.T) {
	t.Parallel()
	slow := strings.Replace(counts, "import \"testing\"\n", "import (\n\t\"testing\"\n\t\"time\"\n)\n", 1) +
		"\nfunc TestEndless(*testing.T) { time.Sleep(time.Hour) }\n"
	v, err := prove.Dirs(t.Context(), writeModule(t, slow), writeModule(t, strings.ReplaceAll(slow, `+""`, "")))
	if err != nil {
		t.Fatal(err)
	}
	q := prove.Request{Versions: v, Budget: 5 * time.Second, Options: prove.Options{Timeout: time.Hour, Temp: t.TempDir()}}
	r, err := prove.Run(t.Context(), q)
	if err != nil {
		if !strings.Contains(err.Error(), "the budget of 5s ran out before version A was read") {
			t.Error(err)
		}
		return
	}
	if r.Outcome != prove.OutcomeUnproven || r.Interrupted ||
		!strings.Contains(r.Reason, "the budget of 5s ran out at stage") ||
		len(r.Missing) != 1 || r.Missing[0].Do != "more time: --budget" {
		t.Errorf("%s: %s, missing %+v", r.Outcome, r.Reason, r.Missing)
	}
	if r, err = prove.Run(t.Context(), prove.Request{Versions: v, Budget: time.Nanosecond}); err == nil ||
		!strings.Contains(err.Error(), "the budget of 1ns ran out") {
		t.Errorf("a nanosecond: %+v, %v", r, err)
	}
}
