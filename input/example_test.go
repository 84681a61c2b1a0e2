package input_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/profile"
)

// small encodes a CPU profile of a program with one hot function.
func small() []byte {
	b := profile.NewBuilder(
		profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{Type: "cpu", Unit: "nanoseconds"},
	)
	at := func(name, file string, line int32) uint32 {
		f := b.Function(profile.Function{Name: name, File: file})
		return b.Location(0, profile.None, false, profile.Line{Function: f, Line: line})
	}
	pad := at("example.com/pad.Left", "/src/pad/pad.go", 12)
	grow := at("runtime.growslice", "/usr/local/go/src/runtime/slice.go", 178)
	for range 3 {
		if err := b.Sample([]uint32{grow, pad}, nil, 100, 1e9); err != nil {
			log.Fatal(err)
		}
	}
	var buf bytes.Buffer
	if err := b.Profile(&profile.Profile{}).Write(&buf); err != nil {
		log.Fatal(err)
	}
	return buf.Bytes()
}

func ExampleOpener_Open() {
	o := &input.Opener{Stdin: bytes.NewReader(small())}
	in, err := o.Open(context.Background(), []string{"-"}, input.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	fmt.Println(in.Name, in.Type.Type, in.Samples(), "samples")
	for _, l := range in.View.Own(in.Own.Match).Lines {
		fmt.Println(l.Function, l.Line, l.Cost)
	}
	// Output:
	// standard input cpu 300 samples
	// example.com/pad.Left 12 3000000000
}

func ExampleOwnCode() {
	p, err := profile.Parse(small(), profile.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	own := input.OwnCode(p, nil, nil)
	fmt.Println(own.Known, own.Modules, own.From)
	// Output: true [example.com/pad] its source paths
}
