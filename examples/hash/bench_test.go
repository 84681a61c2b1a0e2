package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
)

// benchBody is a request with 300 items, some of which are not ASCII.
func benchBody(b *testing.B) []byte {
	b.Helper()
	body, err := os.ReadFile("testdata/items.json")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	return body
}

// discard is a ResponseWriter that costs almost nothing: the work of a recorder would hide what is
// compared.
type discard struct{ header http.Header }

func (d discard) Header() http.Header       { return d.header }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}

// client returns a function that sends body to h.
func client(h http.Handler, body []byte) (send func()) {
	w := discard{header: http.Header{}}
	reader := bytes.NewReader(nil)
	r := httptest.NewRequest(http.MethodPost, "/v1/hashes", nil)
	r.Body = io.NopCloser(reader)
	return func() {
		reader.Reset(body)
		clear(w.header)
		h.ServeHTTP(w, r)
	}
}

func BenchmarkHandler(b *testing.B) {
	send := client(handler(), benchBody(b))
	for b.Loop() {
		send()
	}
}

// BenchmarkHandlerParallel has several clients, which share the garbage collector.
func BenchmarkHandlerParallel(b *testing.B) {
	body := benchBody(b)
	h := handler()
	b.RunParallel(func(pb *testing.PB) {
		send := client(h, body)
		for pb.Next() {
			send()
		}
	})
}

func BenchmarkAnswer(b *testing.B) {
	body := benchBody(b)
	for b.Loop() {
		if _, err := answer(body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSum(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		sum("item-00042", "the quick brown fox")
	}
}
