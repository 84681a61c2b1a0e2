package find_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
)

// A recording has what Find uses: profiles, the source as it was, the build, and the runtime
// statistics.
func ExampleFind() {
	rec, err := recording.Open("../recording/testdata/slug.whet")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	profiles, options, err := find.FromRecording(rec)
	if err != nil {
		log.Fatal(err)
	}
	options.Dir = "testdata/slug" // the default is the current directory

	r, err := find.Find(context.Background(), profiles, options)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range r.Findings[:2] {
		fmt.Printf("%s in %s: %s, saves at most %.0f%%\n", f.Where(), f.Function, f.Title, 100*f.Saving)
	}
	// Output:
	// main.go:28 in slug: regular expression where a search is enough, saves at most 12%
	// main.go:28 in slug: regular expression compiled on each call, saves at most 10%
}

// One profile is enough. The zero Options look for everything in the module of the current
// directory.
func ExampleFind_zeroOptions() {
	cpu, err := profile.ReadFile("testdata/slug.cpu.pb.gz", profile.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	if err := os.Chdir("testdata/slug"); err != nil {
		log.Fatal(err)
	}
	defer os.Chdir("../..")

	r, err := find.Find(context.Background(), find.Profiles{CPU: cpu}, find.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Module, r.Findings[0].Title)
	// Output: example.com/slug regular expression where a search is enough
}

// Charge returns the cost of each line, without looking for causes.
func ExampleCharge() {
	rec, err := recording.Open("../recording/testdata/slug.whet")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	profiles, options, err := find.FromRecording(rec)
	if err != nil {
		log.Fatal(err)
	}
	options.Dir = "testdata/slug"

	charged, err := find.Charge(context.Background(), profiles, options)
	if err != nil {
		log.Fatal(err)
	}
	evidence, _ := charged.Line("main.go", 28)
	for _, e := range evidence {
		fmt.Printf("%s %.1f%%\n", e.Cost, 100*e.Share)
	}
	// Output:
	// cpu 21.8%
	// alloc_space 36.3%
	// alloc_objects 48.8%
}
