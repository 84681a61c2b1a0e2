package pgo_test

import (
	"fmt"
	"log"

	"github.com/whet-go/whet/pgo"
	"github.com/whet-go/whet/recording"
)

// Reduce makes the default.pgo of a CPU profile: only the calls that the compiler looks at.
func ExampleReduce() {
	rec, err := recording.Open("../recording/testdata/slug.whet")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	cpu, err := rec.Profile("cpu")
	if err != nil {
		log.Fatal(err)
	}
	reduced, err := pgo.Reduce(cpu)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(cpu.NumSamples(), "stacks become", reduced.NumSamples())
	for _, e := range pgo.Edges(reduced)[:3] {
		fmt.Println(e.Caller, "calls", e.Callee)
	}
	// Output:
	// 82 stacks become 78
	// syscall.RawSyscall6 calls internal/runtime/syscall/linux.Syscall6
	// internal/runtime/syscall/linux.EpollWait calls internal/runtime/syscall/linux.Syscall6
	// regexp.(*Regexp).backtrack calls regexp.(*Regexp).tryBacktrack
}
