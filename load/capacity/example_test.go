package capacity_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/load/capacity"
	"github.com/whet-go/whet/load/compare"
)

func ExampleSearch() {
	slo, err := compare.ParseObjectives("p99<50ms,errors<0.1%")
	if err != nil {
		log.Fatal(err)
	}
	// A server whose answers take 10 ms, and half a second above 12 000 requests per second.
	// Against a real one, pass load.Run.
	run := func(_ context.Context, o load.Options) (*load.Result, error) {
		took := 10 * time.Millisecond
		if o.Rate > 12_000 {
			took = 500 * time.Millisecond
		}
		requests := int64(o.Rate * o.Duration.Seconds())
		return &load.Result{
			Requests: requests, Responses: requests, Elapsed: o.Duration, Rate: o.Rate,
			Latency: load.Latency{Mean: took, P50: took, P99: took, Max: took}, SendDelay: &load.SendDelay{},
		}, nil
	}

	r, err := capacity.Search(context.Background(), capacity.Options{
		Load: load.Options{URL: "http://127.0.0.1:8080/"}, SLO: slo, Min: 1000, Precision: 0.1,
	}, run)
	if err != nil {
		log.Fatal(err)
	}
	for _, step := range r.Steps {
		fmt.Printf("%s %.0f/s: %s\n", step.Kind, step.Requested, step.Verdict)
	}
	fmt.Printf("between %.0f/s and %.0f/s, limit: %s\n", r.Rate, r.High, r.Limit)
	// Output:
	// climb 1000/s: held
	// climb 2000/s: held
	// climb 4000/s: held
	// climb 8000/s: held
	// climb 16000/s: missed
	// bisect 11314/s: held
	// bisect 13454/s: missed
	// bisect 12338/s: missed
	// confirm 11314/s: held
	// confirm 12338/s: missed
	// between 11314/s and 12338/s, limit: server
}
