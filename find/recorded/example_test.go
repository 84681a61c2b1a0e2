package recorded_test

import (
	"context"
	"fmt"
	"log"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/recorded"
	"github.com/whet-go/whet/input"
)

// Read opens recordings, profiles or addresses, as whet find does.
func ExampleRead() {
	ctx := context.Background()
	program, err := recorded.Read(ctx, &input.Opener{}, []string{"../../recording/testdata/slug.whet"}, recorded.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer program.Close()

	r, err := program.Find(ctx, find.Options{Dir: "../testdata/slug"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Program, r.Findings[0].Where(), r.Findings[0].Title)
	// Output: example.com/slug main.go:28 regular expression where a search is enough
}
