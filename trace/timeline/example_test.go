package timeline_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/timeline"
)

func Example() {
	ctx := context.Background()
	f, err := os.Open("../../internal/trace/testdata/go1.26.trace")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	x, err := index.BuildTemporary(ctx, f, index.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()

	// The two goroutines that ran longest, drawn on 200 pixels. Where a row has more spans than fit
	// there, it has Parts instead.
	t := timeline.New(x, f.Name())
	list, err := t.Rows(ctx, timeline.RowQuery{Type: timeline.Goroutine, Order: timeline.Busy, Limit: 2})
	if err != nil {
		log.Fatal(err)
	}
	query := timeline.SpanQuery{Width: 200}
	for _, row := range list.Rows {
		query.IDs = append(query.IDs, row.ID)
	}
	answer, err := t.Spans(ctx, query)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(list.Total, "goroutines")
	states := t.Trace().States
	for i, row := range answer.Rows {
		fmt.Println(list.Rows[i].Name, list.Rows[i].Kind, len(row.Spans), "spans")
		for _, s := range row.Spans {
			fmt.Println(" ", s.From, s.To, states[s.State].Name)
		}
	}
	// Output:
	// 11 goroutines
	// goroutine 1 main.main 4 spans
	//   0 157824 running
	//   157824 10327488 sleep
	//   10327488 10335616 runnable
	//   10335616 10375745 running
	// goroutine 10 runtime/trace.(*traceMultiplexer).startLocked.func1 7 spans
	//   156864 160768 runnable
	//   160768 162560 running
	//   162560 179968 syscall
	//   179968 180480 running
	//   180480 181888 syscall
	//   181888 182208 running
	//   182208 10375745 system goroutine wait
}
