// Command orders is the HTTP service of a small shop, with the mistakes that such services have. It
// has them on purpose: see README.md.
package main

import (
	"flag"
	"log"
	"net/http"
	"os"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "`address` to serve on")
	debugAddr := flag.String("pprof", "", "loopback `address` to serve profiles on (default: do not)")
	logFile := flag.String("log", "orders.log", "`file` to append the log to")
	pages := flag.String("templates", "templates", "`directory` of the pages")
	flag.Parse()

	out, err := os.OpenFile(*logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		log.Fatal(err)
	}
	log.SetOutput(out)

	db := openDatabase()
	s := newServer(db, *pages)
	go s.mailer.run()
	go s.outbox.run()
	if *debugAddr != "" {
		go func() { log.Fatal(serveDebug(*debugAddr)) }()
	}
	log.Fatal(http.ListenAndServe(*addr, s.routes()))
}
