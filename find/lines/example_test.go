package lines_test

import (
	"context"
	"fmt"
	"log"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/lines"
	"github.com/whet-go/whet/recording"
)

// With profiles, the lines that cost most come first.
func ExampleList() {
	rec, err := recording.Open("../../recording/testdata/slug.whet")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	profiles, _, err := find.FromRecording(rec)
	if err != nil {
		log.Fatal(err)
	}
	r, err := lines.List(context.Background(), lines.Options{
		Dir: "../testdata/slug", Profiles: &profiles, Kinds: []lines.Kind{lines.Escape},
	})
	if err != nil {
		log.Fatal(err)
	}
	first := r.Lines[0]
	fmt.Printf("%s:%d %.0f%%\n", first.File, first.Line, 100*first.Share)
	for _, n := range first.Notes {
		fmt.Println(n.Group)
	}
	// Output:
	// main.go:23 5%
	// escape
}
