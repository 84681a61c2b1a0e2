package work_test

import (
	"fmt"
	"log"

	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/recording/work"
)

// Between counts the requests behind the CPU profiles of two recordings, and Compare determines
// whether one request costs more.
func ExampleBetween() {
	before, err := recording.Open("../testdata/slug.whet")
	if err != nil {
		log.Fatal(err)
	}
	defer before.Close()
	after, err := recording.Open("../testdata/slug.whet") // the same: nothing changes
	if err != nil {
		log.Fatal(err)
	}
	defer after.Close()

	pair, err := work.Between(
		work.Profile{Name: "before", Recording: before, Profile: "cpu"},
		work.Profile{Name: "after", Recording: after, Profile: "cpu"},
	)
	if err != nil {
		log.Fatal(err)
	}
	change := work.Compare(pair.A.Clocked(1, 0), pair.B.Clocked(1, 0))
	fmt.Println(pair.A.Rounded(), "requests,", pair.A.CPU, "of CPU time each")
	fmt.Printf("%+.1f%%: %s\n", 100**change.Relative, change.Verdict)
	// Output:
	// 46352 requests, 29.493µs of CPU time each
	// +0.0%: noise
}
