package sizes_test

import (
	"errors"
	"math"
	"testing"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/prove/judgment"
	"github.com/whet-go/whet/internal/prove/sizes"
)

// TestJudge checks that a change is slower only if no size gains, and that a gain and a loss are a trade-off.
func TestJudge(t *testing.T) {
	t.Parallel()
	unit := func(name string, v ab.Verdict, ratio float64) ab.Unit {
		return ab.Unit{Unit: name, Verdict: v, Ratio: bench.Float(ratio), Low: bench.Float(ratio), High: bench.Float(ratio)}
	}
	subject := func(name string, units ...ab.Unit) ab.SubjectResult {
		return ab.SubjectResult{Name: name, Units: units}
	}
	varied := subject("Whet_F/size=1", unit("sec/op", ab.Worse, 1.04))
	varied.VariedLayout = true
	zero := unit("allocs/op", ab.Worse, math.NaN())
	zero.B.Median = 1
	for _, test := range []struct {
		name     string
		subjects []ab.SubjectResult
		err      error
		text     string
	}{
		{
			"each size loses",
			[]ab.SubjectResult{
				subject("Whet_F/size=1", unit("B/op", ab.Worse, 1.5)), subject("Whet_F/inputs=unusual", zero),
			},
			judgment.ErrLoss,
			"regression: only generated benchmarks run this line, and they show no gain at any size: " +
				"with inputs of size 1 (Whet_F B/op +50.0%); with unusual inputs (Whet_F allocs/op from 0 to 1)",
		},
		{
			"one loses, another is open",
			[]ab.SubjectResult{
				subject("Whet_F/size=1", unit("B/op", ab.Worse, 1.5)), subject("Whet_F/size=8", unit("sec/op", ab.Undecided, 0.9)),
			},
			judgment.ErrLoss,
			"regression: only generated benchmarks run this line, and they show no gain at any size: " +
				"with inputs of size 1 (Whet_F B/op +50.0%); no difference shows with inputs of size 8",
		},
		{
			"small ones lose, large ones gain",
			[]ab.SubjectResult{
				subject("Whet_F/size=1", unit("sec/op", ab.Worse, 1.5)), subject("Whet_F/size=64", unit("sec/op", ab.Better, 0.5)),
			},
			sizes.ErrTradeOff,
			"a trade-off, as far as generated benchmarks show: faster with inputs of size 64 (Whet_F sec/op -50.0%); " +
				"slower with inputs of size 1 (Whet_F sec/op +50.0%)",
		},
		{
			"time for memory",
			[]ab.SubjectResult{
				subject("Whet_F/inputs=captured", unit("sec/op", ab.Better, 0.5), unit("B/op", ab.Worse, 2)),
			},
			sizes.ErrTradeOff,
			"a trade-off, as far as generated benchmarks show: faster with captured inputs (Whet_F sec/op -50.0%); " +
				"slower with captured inputs (Whet_F B/op +100.0%)",
		},
		{"a layout may be the reason", []ab.SubjectResult{
			subject("Whet_F/size=1", unit("sec/op", ab.Worse, 1.04)),
		}, nil, ""},
		{
			"in many layouts",
			[]ab.SubjectResult{varied},
			judgment.ErrLoss,
			"regression: only generated benchmarks run this line, and they show no gain at any size: " +
				"with inputs of size 1 (Whet_F sec/op +4.0%)",
		},
		{"other processes may be the reason", []ab.SubjectResult{
			subject("Whet_F/size=1", unit("mean-sec/op", ab.Worse, 1.4)),
		}, nil, ""},
		{"nothing is sure", []ab.SubjectResult{
			subject("Whet_F/size=1", unit("sec/op", ab.Undecided, 1.2)),
			subject("Whet_F/size=8", unit("sec/op", ab.Better, 0.8)),
		}, nil, ""},
	} {
		err := sizes.Judge(&ab.Result{Subjects: test.subjects})
		text := ""
		if err != nil {
			text = err.Error()
		}
		if !errors.Is(err, test.err) || text != test.text {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, text, test.text)
		}
	}
}
