package bench_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/whet-go/whet/bench"
)

// Two sets of results, as go test -bench prints them.
func Example() {
	results := func(toolchain string, ns ...int) string {
		text := "toolchain: " + toolchain + "\n"
		for _, n := range ns {
			text += fmt.Sprintf("BenchmarkParse 1000 %d ns/op\n", n)
		}
		return text
	}
	both := results("go1.26", 100, 101, 102, 103, 104, 105) + results("go1.27", 80, 81, 82, 83, 84, 85)
	c, err := bench.Compare(context.Background(), bench.ParseInputs([]string{"-"}), bench.Options{
		Column: "toolchain", Stdin: strings.NewReader(both),
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, table := range c.Tables {
		for _, row := range table.Rows {
			change := row.Cells[1].Change
			fmt.Println(row.Name, table.Unit, change.Text, change.Holds)
		}
	}
	// Output: Parse sec/op -19.51% true
}
