package ab_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/whet-go/whet/bench/ab"
)

// parser is a subject whose build B takes a tenth less time.
type parser struct{}

func (parser) Name() string { return "Parse" }

func (parser) Measure(_ context.Context, r ab.Round) (ab.Measurement, error) {
	seconds := 1e-6
	if r.Side == ab.B {
		seconds = 0.9e-6
	}
	return ab.Measurement{Values: ab.Values{"sec/op": seconds}}, nil
}

func ExampleRun() {
	r, err := ab.Run(context.Background(), []ab.Subject{parser{}}, ab.Options{
		Sides: [2]string{"main", "working tree"},
		Plans: []ab.Plan{{Length: time.Millisecond}}, Trial: time.Millisecond,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range r.Subjects {
		for _, u := range s.Units {
			fmt.Printf("%s: %s is %s than %s: %+.0f%% %s\n", s.Name, r.Sides[ab.B], u.Verdict, r.Sides[ab.A],
				100*float64(u.Ratio-1), u.Unit)
		}
	}
	// Output: Parse: working tree is better than main: -10% sec/op
}
