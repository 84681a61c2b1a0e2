package index_test

import (
	"fmt"

	"github.com/whet-go/whet/find/rules/index"
)

func ExampleRules() {
	r := index.Rules()[0]
	fmt.Println(r.Analyzer.Name + ": " + r.Doc.Title)
	// Output: appendform: a value is formatted as a new string only to be appended to a buffer
}
