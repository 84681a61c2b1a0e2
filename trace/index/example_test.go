package index_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/whet-go/whet/trace/index"
)

func Example() {
	f, err := os.Open("../../internal/trace/testdata/go1.22.trace")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	x, err := index.BuildTemporary(context.Background(), f, index.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = x.Close() }()

	fmt.Println(x.Info.Goroutines, "goroutines,", x.Info.Spans, "spans")
	waits := 0
	err = x.Spans(0, x.Info.Duration, func(s index.Span) bool {
		if x.Code(s.Code) == "chan receive" {
			waits++
		}
		return true
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("waits to receive from a channel:", waits)
	// Output:
	// 104 goroutines, 2513 spans
	// waits to receive from a channel: 1
}
