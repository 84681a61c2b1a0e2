package main

import (
	"io/ioutil"
	"log"
	"net/http"
)

func init() {
	var f, err = ioutil.TempFile("", "ends")
	if err != nil {
		log.Fatalln("no log:", err)
	}
	log.SetOutput(f)
}

func main() {
	http.HandleFunc("/", serve)
	log.Fatal(http.ListenAndServe("127.0.0.1:0", nil)) // the server ends
}

func serve(w http.ResponseWriter, r *http.Request) {
	log.Println("request", r.URL) // want `each line is written separately`
	w.WriteHeader(http.StatusNoContent)
}
