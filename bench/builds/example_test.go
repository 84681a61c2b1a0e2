package builds_test

import (
	"fmt"
	"log"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/bench/history"
)

func ExampleResult_Check() {
	// builds.Run(ctx, builds.Side{Ref: "HEAD~1"}, builds.Side{}, builds.Options{}) measures this.
	r := &builds.Result{Result: ab.Result{Alpha: 0.05, Subjects: []ab.SubjectResult{{
		Name: "Parse", Units: []ab.Unit{{
			Unit: "sec/op", Better: bench.Lower, Ratio: 1.08, Low: 1.07, High: 1.09, Verdict: ab.Worse,
		}},
	}}}}
	gates, err := history.ParseGates("sec/op<+3%")
	if err != nil {
		log.Fatal(err)
	}
	failed, err := r.Check(gates)
	fmt.Println(failed, err)
	// Output: [Parse: +8.00% (+7.00% to +9.00%) is not within sec/op<+3%] <nil>
}
