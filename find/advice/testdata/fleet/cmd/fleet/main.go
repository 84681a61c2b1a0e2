// Command fleet shows where vehicles are.
package main

import (
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	_ "net/http/pprof"
	"os"
	"runtime"

	"example.org/fleet"
)

var (
	listen   = flag.String("listen", "127.0.0.1:7070", "")
	services = flag.String("services", "127.0.0.1:7071", "where the other services are")
	debug    = flag.String("debug", "127.0.0.1:7072", "")
	logTo    = flag.String("log-file", "fleet.log", "")
	page     = flag.String("page", "report.tmpl", "")
)

func setupLogging() {
	w, err := os.Create(*logTo)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	slog.SetDefault(slog.New(slog.NewJSONHandler(w, nil)))
}

func main() {
	flag.Parse()
	setupLogging()
	runtime.SetMutexProfileFraction(100)
	runtime.SetBlockProfileRate(10_000)
	go http.ListenAndServe(*debug, nil)
	go http.ListenAndServe(*services, fleet.Others())
	app := fleet.New(fleet.Config{Services: "http://" + *services, Page: *page})
	if err := http.ListenAndServe(*listen, app); err != nil {
		slog.Error("serve", "error", err)
		os.Exit(1)
	}
}
