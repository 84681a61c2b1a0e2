package dependencies_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/whet-go/whet/find/dependencies"
	"github.com/whet-go/whet/profile"
)

// Find describes calls of other modules in a profile. This one is made here; programs read it with package profile.
func ExampleFind() {
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	frame := func(function, file string, line int32) uint32 {
		f := b.Function(profile.Function{Name: function, File: file})
		return b.Location(0, profile.None, false, profile.Line{Function: f, Line: line})
	}
	err := b.Sample([]uint32{
		frame("strings.Cut", "strings/strings.go", 1),
		frame("golang.org/x/mod/semver.parse", "golang.org/x/mod/semver/semver.go", 200),
		frame("golang.org/x/mod/semver.IsValid", "golang.org/x/mod/semver/semver.go", 50),
		frame("example.com/service.check", "example.com/service/check.go", 12),
	}, nil, 1e9)
	if err != nil {
		log.Fatal(err)
	}
	calls, err := dependencies.Find(context.Background(), dependencies.Input{
		CPU:  b.Profile(nil),
		Own:  func(f profile.Function) bool { return strings.HasPrefix(f.Name, "example.com/service") },
		File: func(name string) string { return strings.TrimPrefix(name, "example.com/service/") },
	})
	if err != nil {
		log.Print(err)
	}
	for _, c := range calls {
		fmt.Printf("%s:%d calls %s, %.0f%% of the CPU time in %s\n", c.File, c.Line, c.Callee, 100*c.CPU.Share, c.Module)
		fmt.Println(c.Hottest[0].File, c.Work[0].Kind, c.Work[0].Functions)
	}
	// Output:
	// check.go:12 calls golang.org/x/mod/semver.IsValid, 100% of the CPU time in golang.org/x/mod
	// semver/semver.go text processing [strings.Cut]
}
