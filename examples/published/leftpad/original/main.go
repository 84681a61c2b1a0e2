// Command leftpad pads texts over HTTP, counts and times its requests, and logs them.
package main

import (
	"io/ioutil"
	"log"
	"net/http"
	_ "net/http/pprof"
)

var metrics = &Metrics{Prefix: "leftpad", Sample: 0.5}

func init() {
	var file, err = ioutil.TempFile("", "leftpad-requests-")
	if err != nil {
		panic(err)
	}
	log.SetOutput(file)
}

func main() {
	http.HandleFunc("/v1/leftpad/", measured("leftpad", servePad))
	log.Fatal(http.ListenAndServe("127.0.0.1:28080", nil))
}
