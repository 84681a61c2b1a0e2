package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// benchServer logs to a real file, as the service does, and discards its metrics: the cost of
// packets in the kernel is not to be compared.
func benchServer(b *testing.B) *Server {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), "bench.log"))
	if err != nil {
		b.Fatal(err)
	}
	requests, closeLog := newLog(f)
	b.Cleanup(func() {
		if err := closeLog(); err != nil {
			b.Error(err)
		}
		if err := f.Close(); err != nil {
			b.Error(err)
		}
	})
	return &Server{Stats: &StatsD{Namespace: "leftpad", SampleRate: 0.5, Conn: io.Discard}, Log: requests}
}

// discard is a ResponseWriter that costs almost nothing: the work of a recorder would hide what is
// compared.
type discard struct{ header http.Header }

func (d discard) Header() http.Header       { return d.header }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}

// benchmarkHandler passes the same request to h repeatedly, each time like a server: with nothing
// parsed yet.
func benchmarkHandler(b *testing.B, h http.HandlerFunc) {
	w := discard{header: http.Header{}}
	fresh := httptest.NewRequest(http.MethodGet, "/v1/leftpad/?str=test&len=50&chr=*", nil)
	r := new(http.Request)
	b.ReportAllocs()
	for b.Loop() {
		*r = *fresh
		clear(w.header)
		h(w, r)
	}
}

func BenchmarkTimedHandler(b *testing.B) {
	benchmarkHandler(b, benchServer(b).Timed("bench", func(http.ResponseWriter, *http.Request) {}))
}

func BenchmarkLeftpadHandler(b *testing.B) { benchmarkHandler(b, benchServer(b).HandleLeftpad) }

func BenchmarkLeftpad10(b *testing.B) { benchmarkLeftpad(b, 10) }

func BenchmarkLeftpad50(b *testing.B) { benchmarkLeftpad(b, 50) }

func benchmarkLeftpad(b *testing.B, width int) {
	b.ReportAllocs()
	for b.Loop() {
		leftpad("test", width, '*')
	}
}

func BenchmarkStatsD(b *testing.B) {
	s := StatsD{Namespace: "leftpad", SampleRate: 0.5, Conn: io.Discard}
	b.ReportAllocs()
	for b.Loop() {
		s.Count("test")
	}
}
