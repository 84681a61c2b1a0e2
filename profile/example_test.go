package profile_test

import (
	"fmt"
	"log"
	"regexp"

	"github.com/whet-go/whet/profile"
)

// read reads a CPU profile of a small server, as pprof handlers and go test write them.
func read() *profile.Profile {
	p, err := profile.ReadFile("../find/testdata/slug.cpu.pb.gz", profile.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	return p
}

// The functions that take most of the CPU time, as in go tool pprof -top.
func ExampleView_Nodes() {
	p := read()
	cpu, err := p.TypeIndex("cpu")
	if err != nil {
		log.Fatal(err)
	}
	v, err := p.View(profile.Query{Type: cpu})
	if err != nil {
		log.Fatal(err)
	}
	for _, w := range v.Nodes(true)[:3] {
		fmt.Printf("%4.1f%% %s\n", 100*float64(w.Cum)/float64(v.Total()), v.Node(w.ID).Name)
	}
	// Output:
	// 81.5% net/http.(*conn).serve
	// 36.1% net/http.(*response).finishRequest
	// 35.3% internal/runtime/syscall/linux.Syscall6
}

// The lines of the user's own code that cause the cost, whatever they call.
func ExampleView_Own() {
	p := read()
	v, err := p.View(profile.Query{Type: -1})
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range v.Own(profile.OwnMatcher([]string{"example.com/slug"}, nil)).Lines {
		fmt.Println(l.Function, l.Line, l.Cost)
	}
	// Output:
	// main.slug 28 260000000
	// main.handle 23 50000000
}

// A query filters samples by the functions in their stacks, as pprof does.
func ExampleQuery() {
	v, err := read().View(profile.Query{Type: -1, Focus: regexp.MustCompile(`^regexp\.`)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(v.Samples(), "samples below package regexp")
	// Output: 25 samples below package regexp
}

// A Builder makes a profile of any measurement.
func ExampleBuilder() {
	b := profile.NewBuilder(profile.ValueType{Type: "requests", Unit: "count"})
	handle := b.Function(profile.Function{Name: "main.handle", File: "main.go"})
	at := b.Location(0, profile.None, false, profile.Line{Function: handle, Line: 23})
	if err := b.Sample([]uint32{at}, nil, 7); err != nil {
		log.Fatal(err)
	}
	p := b.Profile(nil)
	fmt.Println(p.Sum(p.SampleTypes[0]), p.SampleTypes[0].Type)
	// Output: 7 requests
}
