package service_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/service"
)

func ExampleParseCommand() {
	c, err := service.ParseCommand(`GOGC=200 ./server -addr {addr} -name 'two words'`)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q\n%q\n", c.Env, c.Args)
	// Output:
	// ["GOGC=200"]
	// ["./server" "-addr" "{addr}" "-name" "two words"]
}

// Two builds of a service are started, each at its own address, and loaded in turn. Here both are
// this test binary.
func ExampleRun() {
	before := service.Command{
		Args: []string{os.Args[0], "-addr", "{addr}"}, Env: []string{"WHET_SERVICES_TEST_ROLE=1"},
	}
	after := before

	r, err := service.Run(context.Background(), service.Options{
		Commands: [2]service.Command{before, after},
		URLs:     []string{"http://{addr}/"},
		Load:     load.Options{Connections: 2, Timeout: time.Minute},
		Start:    time.Minute,
		AB:       ab.Options{MaxTime: 2 * time.Second},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Answers.Requests, "request compared,", len(r.Answers.Differences), "answered differently")
	for _, u := range r.AB.Subjects[0].Units {
		if u.Unit == service.UnitRate {
			fmt.Println("ratio of rates:", u.Low <= u.Ratio && u.Ratio <= u.High)
		}
	}
	// Output:
	// 1 request compared, 0 answered differently
	// ratio of rates: true
}
