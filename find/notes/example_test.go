package notes_test

import (
	"context"
	"fmt"
	"log"

	"github.com/whet-go/whet/find/notes"
)

func ExampleCompile() {
	packages, err := notes.Compile(context.Background(), notes.Options{
		Dir:  "../testdata/slug",
		Want: func(kind string) bool { return kind == "cannotInlineFunction" },
	}, "./...")
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range packages {
		for _, list := range p.Files {
			for _, n := range list {
				fmt.Println(p.Path, n.Line, n.Kind)
			}
		}
	}
	// Output:
	// example.com/slug 15 cannotInlineFunction
	// example.com/slug 22 cannotInlineFunction
	// example.com/slug 27 cannotInlineFunction
}
