package summary_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/summary"
)

func ExampleNew() {
	f, err := os.Open("../../internal/trace/testdata/go1.26.trace")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	x, err := index.BuildTemporary(context.Background(), f, index.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()

	s, err := summary.New(x, 0, x.Info.Duration)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Goroutines, "goroutines in", s.To-s.From)
	for _, k := range s.Kinds[:3] { // those that ran longest
		fmt.Println(k.Name, "ran", k.Of(index.Running), "and waited", k.Waiting())
	}
	// Output:
	// 11 goroutines in 10.375745ms
	// main.main ran 197.953µs and waited 10.169664ms
	// runtime/trace.(*traceMultiplexer).startLocked.func1 ran 2.624µs and waited 10.193537ms
	// runtime.traceStartReadCPU.func1 ran 576ns and waited 10.215489ms
}
