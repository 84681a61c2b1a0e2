// Command tags greets, and counts its requests under names made of tags.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	_ "net/http/pprof"

	"example.com/tags/handlers"
)

const addr = "127.0.0.1:28082"

func main() {
	flag.Parse()

	http.HandleFunc("/hello", handlers.Counted(handlers.Greet))
	http.HandleFunc("/simple", handlers.Greet)
	http.HandleFunc("/", overview)

	fmt.Println("listening on", addr)
	if err := http.ListenAndServe(addr, nil); err != nil {
		log.Fatalf("serve: %v", err)
	}
}

func overview(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-type", "text/html")
	io.WriteString(w, "<h1>Pages</h1>\n<ol>")
	for _, page := range []string{"/hello", "/simple"} {
		fmt.Fprintf(w, `<li><a href="%v">%v</a>`, page, page)
	}
	io.WriteString(w, "</ol>")
}
