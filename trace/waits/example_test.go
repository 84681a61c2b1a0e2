package waits_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/waits"
)

func Example() {
	f, err := os.Open("../../internal/trace/testdata/go1.26.trace")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	x, err := index.BuildTemporary(context.Background(), f, index.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = x.Close() }()
	report, err := waits.NewReport(x)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range report.Creations {
		fmt.Println(c.Count, c.Start, "by", c.Creator.Func)
	}
	// Output:
	// 1 runtime.traceStartReadCPU.func1 by runtime.traceStartReadCPU
	// 1 runtime.(*traceAdvancerState).start.func1 by runtime.(*traceAdvancerState).start
	// 1 runtime/trace.(*traceMultiplexer).startLocked.func1 by runtime/trace.(*traceMultiplexer).startLocked
	// 1 main.main.func2 by main.main
}
