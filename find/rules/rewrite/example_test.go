package rewrite_test

import (
	"fmt"
	"log"

	"github.com/whet-go/whet/find/rules/rewrite"
)

// Apply removes imports that the edits leave unused.
func ExampleApply() {
	source := []byte(`package slug

import "fmt"

func text(s string) string { return fmt.Sprintf("%s", s) }
`)
	const call = `fmt.Sprintf("%s", s)`
	at := len("package slug\n\nimport \"fmt\"\n\nfunc text(s string) string { return ")
	after, err := rewrite.Apply(source, []rewrite.Edit{{From: at, To: at + len(call), Text: "s"}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(string(after))
	// Output:
	// package slug
	//
	// func text(s string) string { return s }
}
