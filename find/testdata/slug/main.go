// Command slug serves slugs of titles. It is the program of ../../../recording/testdata/slug.whet,
// which was recorded under load and which examples read.
package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	_ "net/http/pprof"
	"regexp"
	"strings"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "`address` to listen on")
	flag.Parse()
	http.HandleFunc("/slug", handle)
	log.Fatal(http.ListenAndServe(*addr, nil))
}

func handle(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintln(w, slug(r.FormValue("title")))
}

// slug returns a title as it is written in an address.
func slug(title string) string {
	words := regexp.MustCompile(`[a-z0-9]+`).FindAllString(strings.ToLower(title), -1)
	return strings.Join(words, "-")
}
