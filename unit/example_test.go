package unit_test

import (
	"fmt"
	"time"

	"github.com/whet-go/whet/unit"
)

// A quantity knows its unit at run time only, as the values of a profile do.
func ExampleOf() {
	fmt.Println(unit.Of(1_250_000_000, "nanoseconds"))
	fmt.Println(unit.Of(13_107_200, "bytes"))
	fmt.Println(unit.Of(1_250_000_000, "nanoseconds").In("ms"))
	// Output:
	// 1.25s
	// 12.50MB
	// 1250ms
}

// All values of a column have the same unit.
func ExampleCommonUnit() {
	column := []int64{120_000_000, 3_500_000_000}
	u := unit.CommonUnit(column[0], column[1], "nanoseconds")
	for _, v := range column {
		fmt.Println(unit.Of(v, "nanoseconds").In(u))
	}
	// Output:
	// 0.12s
	// 3.50s
}

func ExampleParseBytes() {
	size, err := unit.ParseBytes("1.5GB")
	fmt.Println(int64(size), size, err)
	// Output: 1610612736 1.50GB <nil>
}

func ExamplePercent() {
	fmt.Println(unit.Percent(1, 8), unit.Percent(1, 8000), unit.Duration(340*time.Millisecond))
	// Output: 12.50% 0.013% 340ms
}
