package advice_test

import (
	"fmt"
	"log"

	"github.com/whet-go/whet/find/advice"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/trace/stacks"
)

// Find needs to know which frames are own code; what else it is not given, it does not judge.
func ExampleFind() {
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	var stack []uint32
	for _, f := range []struct {
		function, file string
		line           int32
	}{
		{"html/template.ParseFiles", "template.go", 1},
		{"main.page", "pages.go", 12},
		{"net/http.serverHandler.ServeHTTP", "server.go", 1},
	} {
		fn := b.Function(profile.Function{Name: f.function, File: f.file})
		stack = append(stack, b.Location(0, profile.None, false, profile.Line{Function: fn, Line: f.line}))
	}
	if err := b.Sample(stack, nil, 5e8); err != nil {
		log.Fatal(err)
	}
	all := advice.Find(advice.Input{
		CPU: b.Profile(&profile.Profile{}),
		Locate: func(f stacks.Frame) (file string, line int, ok bool) {
			return f.File, f.Line, f.File == "pages.go"
		},
	})
	for _, a := range all {
		fmt.Println(a.Where(), a.Title)
	}
	// Output: pages.go:12 template parsed on each call
}
