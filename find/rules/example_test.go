package rules_test

import (
	"fmt"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/index"
)

// A rule is an ordinary analyzer, and the causes of cost that its diagnostics name.
func ExampleRule() {
	for _, r := range index.Rules() {
		if r.Analyzer.Name != "percall" {
			continue
		}
		fmt.Println(r.Doc.Title)
		fmt.Println(r.Cause("regexp").Title, r.Cause("regexp").Needs == rules.Free)
	}
	// Output:
	// a value that depends only on constants is built on every call
	// regular expression compiled on each call true
}

// A setting is written as in a shell.
func ExampleSetting() {
	s := rules.Setting{Build: []string{"GOAMD64=v3"}, Run: []string{"GOGC=400"}}
	fmt.Println(s.String())
	// Output: GOAMD64=v3 GOGC=400
}
