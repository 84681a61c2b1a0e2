package recording_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/whet-go/whet/recording"
)

func ExampleOpen() {
	rec, err := recording.Open("testdata/slug.whet")
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	for _, w := range rec.Warnings { // what is incomplete, as after the recorder was killed
		log.Print(w)
	}
	meta := rec.Meta()
	fmt.Println(meta.Build.Main.Path, meta.GoVersion, rec.ProfileNames())

	cpu, err := rec.Profile("cpu")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(cpu.NumSamples(), "stacks, trace:", rec.Has(recording.TracePart))
	// Output:
	// example.com/slug go1.26.8 [cpu heap heap.live allocs goroutine goroutine.start threadcreate]
	// 82 stacks, trace: true
}

// Close moves the recording to its path; until then it is a partial file, which Open can read.
func ExampleCreate() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "run.whet")

	meta := recording.Meta{Target: recording.Target{Kind: recording.URL, Address: "http://localhost:6060/debug/pprof/"}}
	w, err := recording.Create(path, meta)
	if err != nil {
		log.Fatal(err)
	}
	if err := w.AddJSON("notes.json", map[string]string{"why": "slow since Monday"}); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(meta); err != nil {
		log.Fatal(err)
	}

	rec, err := recording.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	var notes map[string]string
	if err := rec.JSON("notes.json", &notes); err != nil {
		log.Fatal(err)
	}
	fmt.Println(rec.Meta().Target.Address, notes["why"])
	// Output: http://localhost:6060/debug/pprof/ slow since Monday
}
