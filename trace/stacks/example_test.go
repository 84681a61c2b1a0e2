package stacks_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"golang.org/x/exp/trace"

	"github.com/whet-go/whet/trace/stacks"
)

func Example() {
	f, err := os.Open("../../internal/trace/testdata/go1.22.trace")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	r, err := trace.NewReader(f)
	if err != nil {
		log.Fatal(err)
	}

	table := stacks.New()
	events := map[uint32]int{} // by stack
	var most uint32
	for {
		e, err := r.ReadEvent()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		id := table.Add(e.Stack())
		if id == 0 { // the event has no stack
			continue
		}
		if events[id]++; events[id] > events[most] {
			most = id
		}
	}
	fmt.Println(table.Len(), "stacks")
	fmt.Println(events[most], "events have this one:")
	for _, frame := range table.Frames(most) {
		fmt.Println(frame.Func)
	}
	// Output:
	// 26 stacks
	// 457 events have this one:
	// runtime.gopark
	// runtime.gcBgMarkWorker
}
