package compare_test

import (
	"fmt"
	"log"
	"time"

	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/load/compare"
)

func ExampleObjectives_Check() {
	objectives, err := compare.ParseObjectives("p99<50ms, errors<0.1%")
	if err != nil {
		log.Fatal(err)
	}
	// As load.Run returns it.
	r := &load.Result{
		Requests: 1000, Responses: 998, Errors: load.Errors{Timeout: 2},
		Latency: load.Latency{P99: 12 * time.Millisecond},
	}
	outcomes := objectives.Check(r)
	for _, o := range outcomes {
		fmt.Println(o)
	}
	fmt.Println(compare.Held(outcomes))
	// Output:
	// p99<50ms held: 12ms
	// errors<0.001 missed: 0.2%
	// false
}
