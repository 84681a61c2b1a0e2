package timeline

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/trace/tracetest"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/index/indextest"
)

// TestProcessorFunctions compares the parts of processors with the spans of the goroutines: each
// has the time of each function.
func TestProcessorFunctions(t *testing.T) {
	for _, rounds := range []int{500, 4000} {
		x := tracetest.Index(t, indextest.Record(t, rounds))
		tl := New(x, "test")
		states := tl.Trace().States
		var ids []string
		for p := range x.Procs() {
			ids = append(ids, formatID(Proc, uint64(p)))
		}
		r := rand.New(rand.NewPCG(1, 2))
		parts := 0
		for range 30 {
			from := r.Int64N(x.Info.Duration)
			q := SpanQuery{From: from, To: from + 1 + r.Int64N(x.Info.Duration-from), Width: 1 + r.IntN(8), IDs: ids}
			answer, err := tl.Spans(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for p, row := range answer.Rows {
				for _, part := range row.Parts {
					parts++
					got := map[string]time.Duration{}
					for _, one := range part.Times {
						if states[one.State].Group == "running" {
							t.Errorf("%s has a part that is running, without a function", row.ID)
						}
						if states[one.State].Group == FunctionGroup {
							got[states[one.State].Name] += one.Time
						}
					}
					want := map[string]time.Duration{}
					if err := x.Spans(part.From, part.To, func(s index.Span) bool {
						if s.Code == index.Running && int(s.With) == p+1 {
							if took := min(s.To, part.To) - max(s.From, part.From); took > 0 {
								g, err := x.Goroutine(s.Goroutine)
								if err != nil {
									t.Fatal(err)
								}
								want[x.Kinds()[g.Kind].Name] += time.Duration(took)
							}
						}
						return true
					}); err != nil {
						t.Fatal(err)
					}
					if len(got) != len(want) {
						t.Fatalf("part %d-%d of %s: %v, want %v", part.From, part.To, row.ID, got, want)
					}
					for fn, took := range want {
						if got[fn] != took {
							t.Errorf("%s on %s: %v, want %v", fn, row.ID, got[fn], took)
						}
					}
				}
			}
		}
		if parts == 0 {
			t.Errorf("%d rounds: no parts", rounds)
		}
	}
}
