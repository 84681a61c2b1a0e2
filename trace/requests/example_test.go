package requests_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"log"
	"os"

	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/requests"
)

func ExampleFind() {
	f, err := os.Open("testdata/echo.trace.gz")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		log.Fatal(err)
	}
	x, err := index.BuildTemporary(context.Background(), r, index.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()

	result, err := requests.Find(x, requests.Options{Slowest: 1})
	if err != nil {
		log.Fatal(err)
	}
	for _, class := range result.Classes {
		slow := class.Slowest[0]
		fmt.Println(class.Count, "requests,", class.Name)
		fmt.Println("  the slowest took", slow.Latency().String()+", mostly", slow.Times.Largest())
	}
	// Output:
	// 6 requests, main.echoPage
	//   the slowest took 3.9344ms, mostly sleep
	// 6 requests, main.echoBeta
	//   the slowest took 3.680384ms, mostly sleep
	// 6 requests, main.echoAlpha
	//   the slowest took 2.471168ms, mostly sleep
}
