package regressions_test

import (
	"context"
	"fmt"

	"github.com/whet-go/whet/store/regressions"
	"github.com/whet-go/whet/store/regressions/fleettest"
)

func ExampleFind() {
	// A service on six hosts, of which the second deploy makes a function 50% slower.
	service := fleettest.New(fleettest.Options{Hosts: 6, Days: 4, Slower: 0.5}, 1, 1, fleettest.Slower)
	r, err := regressions.Find(context.Background(), fleettest.Fleet{service}, regressions.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range r.Regressions {
		fmt.Println(c.Function == service.Victim, c.Deploy.Before, c.Deploy.After)
		fmt.Println(c.Low > 0.3*c.Before, c.High < 0.7*c.Before)
	}
	// Output:
	// true v2 v3
	// true true
}
