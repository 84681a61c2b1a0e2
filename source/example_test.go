package source_test

import (
	"fmt"
	"log"

	"github.com/whet-go/whet/source"
)

func ExampleFinder_File() {
	f := source.NewFinder(source.Options{Dirs: []string{"."}})
	// A profile may have the path of another machine.
	file, err := f.File("/home/ci/whet/source/doc.go")
	if err != nil {
		log.Fatal(err)
	}
	line, ok := file.Line(len(file.Lines))
	fmt.Println(line, ok)
	// Output:
	// package source true
}
