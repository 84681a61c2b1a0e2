package collect_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"path/filepath"
	"time"

	"github.com/whet-go/whet/collect"
	"github.com/whet-go/whet/recording"
)

// A server with pprof handlers is recorded for a second, under load.
func ExampleRun() {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	server := httptest.NewServer(mux)
	defer server.Close()
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	sum, err := collect.Run(context.Background(), collect.Options{
		URL: server.URL, Out: filepath.Join(dir, "server.whet"), Duration: time.Second, Trace: -1, Grace: time.Minute,
	})
	if err != nil {
		log.Fatal(err)
	}
	// sum.Meta.Missing lists what the target does not provide, with the line of code that enables it.

	r, err := recording.Open(sum.Path)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	for _, name := range []string{"cpu", "heap", "goroutine"} {
		p, err := r.Profile(name)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(name, ":")
		for _, t := range p.SampleTypes {
			fmt.Print(" ", t.Type)
		}
		fmt.Println()
	}
	// Output:
	// cpu: samples cpu
	// heap: alloc_objects alloc_space inuse_objects inuse_space
	// goroutine: goroutine
}
