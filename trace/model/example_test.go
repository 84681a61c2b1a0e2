package model_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/model"
)

func ExampleAdd() {
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

	// What did goroutines do in the first tenth of the trace when they did not wait?
	to := x.Info.Duration / 10
	var sums []model.Sum
	err = x.Spans(0, to, func(s model.Span) bool {
		if s.Code < model.Waiting {
			sums = model.Add(sums, s.Code, time.Duration(min(s.To, to)-s.From))
		}
		return true
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, sum := range sums {
		fmt.Println(x.Code(sum.Code), sum.Time)
	}
	// Output:
	// running 161.856µs
	// runnable 21.184µs
	// syscall 18.816µs
}
