package history_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/whet-go/whet/bench/history"
)

// Ten commits, the sixth of which made a benchmark slower.
func ExampleRead() {
	dir, err := os.MkdirTemp("", "history")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for i := range 10 {
		ns := 100 + i%3
		if i >= 5 {
			ns += 20
		}
		at := time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC)
		hash := fmt.Sprintf("%012x", 0xabc0+i)
		text := fmt.Sprintf("commit: %s\ncommit-time: %s\nBenchmarkParse 1000 %d ns/op\n", hash, at.Format(time.RFC3339), ns)
		name := at.Format("20060102T150405Z") + "-" + hash + ".txt"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	r, err := history.Read(context.Background(), dir, history.Options{Repository: dir})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range r.Changes {
		fmt.Printf("%s is %s since %s: %+.0f%%\n", r.Series[c.Series].Benchmark, c.Verdict, r.Commits[c.At].Hash,
			100*float64(c.Delta))
	}
	// Output: Parse is worse since 00000000abc5: +20%
}

func ExampleReport_Check() {
	gates, err := history.ParseGates("sec/op<+5%,allocs/op<+0")
	if err != nil {
		log.Fatal(err)
	}
	for _, g := range gates {
		fmt.Println(g.Unit, g.Text)
	}
	// Output:
	// sec/op sec/op<+5%
	// allocs/op allocs/op<+0
}
