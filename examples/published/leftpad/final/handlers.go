package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"strconv"
	"time"
)

type padded struct {
	Text string `json:"str"`
}

func measured(name string, serve http.HandlerFunc) http.HandlerFunc {
	timing := fmt.Sprintf("request.%s.timing", name)
	count := fmt.Sprintf("request.%s.count", name)
	return func(w http.ResponseWriter, req *http.Request) {
		begin := time.Now()
		serve(w, req)
		metrics.Time(timing, time.Since(begin))
		metrics.Count(count)
	}
}

func servePad(w http.ResponseWriter, req *http.Request) {
	log.Printf("uri %s\tfrom %s\tagent %s", req.RequestURI, req.RemoteAddr, req.UserAgent())
	text := req.FormValue("str")
	width, err := strconv.Atoi(req.FormValue("len"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	metrics.Observe("request.str.len", float64(width))
	fill := ' '
	if len(req.FormValue("chr")) > 0 {
		fill = []rune(req.FormValue("chr"))[0]
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	answer := padded{Text: pad(text, width, fill)}
	out := json.NewEncoder(w)
	if err := out.Encode(answer); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
}
