package gotest_test

import (
	"context"
	"fmt"
	"log"

	"github.com/whet-go/whet/bench/gotest"
)

func ExampleList() {
	flags, env, err := gotest.ParseFlags("-tags fast GOGC=off")
	if err != nil {
		log.Fatal(err)
	}
	src := gotest.Source{Dir: "../../examples/leftpad", Flags: flags, Env: env}
	packages, failures, err := gotest.List(context.Background(), src, []string{"./..."})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range failures {
		log.Print(f.Error())
	}
	for _, p := range packages {
		fmt.Println(p.ImportPath)
		for _, name := range p.Benchmarks {
			fmt.Println(" ", name)
		}
	}
	// Next: gotest.Compile builds a package, and Binary.Run runs one of its benchmarks.

	// Output:
	// github.com/whet-go/whet/examples/leftpad
	//   BenchmarkTimedHandler
	//   BenchmarkLeftpadHandler
	//   BenchmarkLeftpad10
	//   BenchmarkLeftpad50
	//   BenchmarkStatsD
}
