package memory_test

import (
	"fmt"
	"log"

	"github.com/whet-go/whet/memory"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/unit"
)

// New explains the memory of a program from the statistics in a recording, or from the response of
// /debug/pprof/heap?debug=1.
func ExampleNew() {
	rec, err := recording.Open("../recording/testdata/slug.whet")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	part, err := rec.Part(recording.MemStatsEndPart)
	if err != nil {
		log.Fatal(err)
	}
	defer part.Close()
	stats, err := memory.ParseMemStats(part)
	if err != nil {
		log.Fatal(err)
	}

	r, err := memory.New(memory.Input{End: stats})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range r.Parts {
		if p.Bytes > 1<<20 {
			fmt.Println(p.ID, unit.Bytes(p.Bytes))
		}
	}
	fmt.Println("total", unit.Bytes(r.Go))
	// Output:
	// objects 2.17MB
	// free 2.34MB
	// buckets 1.39MB
	// gc 2.53MB
	// total 10.80MB
}
