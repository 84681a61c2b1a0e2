package goroutines_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/whet-go/whet/goroutines"
)

const dump = `goroutine 1 [chan receive, 5 minutes]:
main.main()
	/app/main.go:12 +0x1d

goroutine 7 [select]:
main.work()
	/app/work.go:30 +0x45
created by main.main in goroutine 1
	/app/main.go:9 +0x2a

goroutine 8 [select]:
main.work()
	/app/work.go:30 +0x45
created by main.main in goroutine 1
	/app/main.go:9 +0x2a
`

func ExampleFromDump() {
	s, err := goroutines.FromDump(strings.NewReader(dump), goroutines.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, g := range s.Groups {
		fmt.Printf("%d in %s: %s, created by %q\n", g.Count, g.Stack[0].Func, g.Reason, g.Creator.Func)
	}
	// Output:
	// 2 in main.work: select, created by "main.main"
	// 1 in main.main: chan receive, created by ""
}
