package find

import (
	"testing"
	"time"
)

func TestPerRequest(t *testing.T) {
	for _, test := range []struct {
		total    Total
		requests float64
		whole    time.Duration
		saved    time.Duration
	}{
		{Total{Cost: CPU, Unit: "nanoseconds", Value: 4e9}, 2000, 2 * time.Millisecond, 500 * time.Microsecond},
		{Total{Cost: CPU, Unit: "nanoseconds", Value: 4e9}, 0, 0, 0},
		{Total{Cost: CPU, Unit: "count", Value: 4e9}, 2000, 0, 0},
		{Total{Cost: Mutex, Unit: "nanoseconds", Value: 4e9}, 2000, 0, 0},
	} {
		r := &Result{Totals: []Total{test.total}, Findings: []Finding{{Saving: 0.25}}}
		r.perRequest(test.requests)
		if r.PerRequest != test.whole || r.Findings[0].PerRequest != test.saved {
			t.Errorf("%+v, %g requests: %v, of which "+
				"%v", test.total, test.requests, r.PerRequest, r.Findings[0].PerRequest)
		}
	}
}
