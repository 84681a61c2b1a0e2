package load_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/whet-go/whet/load"
)

// The closed model sends requests as fast as they are answered.
func ExampleRun() {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()

	r, err := load.Run(context.Background(), load.Options{
		URL: server.URL, Connections: 4, Requests: 10_000, Timeout: time.Minute,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Responses, "answers,", r.Errors.Total(), "errors")
	fmt.Println(r.Rate > 0, r.Latency.P50 <= r.Latency.P99)
	// r.Verdict lists reasons to distrust these numbers, each with a hint.

	// Output:
	// 10000 answers, 0 errors
	// true true
}

// The open model sends requests at a rate, whether or not the server keeps up.
func ExampleRun_rate() {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()

	r, err := load.Run(context.Background(), load.Options{
		Targets: []load.Target{
			{Name: "list", URL: server.URL + "/things", Weight: 3},
			{Name: "add", Method: http.MethodPost, URL: server.URL + "/things", Body: []byte(`{"n": 1}`)},
		},
		Rate: 1000, Arrivals: load.Poisson, Requests: 400, Duration: time.Minute, Timeout: time.Minute,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range r.PerTarget {
		fmt.Println(t.Name, t.Responses, t.Status)
	}
	// Output:
	// list 300 map[404:300]
	// add 100 map[404:100]
}
