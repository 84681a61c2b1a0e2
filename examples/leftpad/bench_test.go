package main

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// benchServer logs to a real file, as the service does, and throws its metrics
// away: a packet's way through the kernel is not what is to be compared.
func benchServer(b *testing.B) *server {
	b.Helper()
	f, err := os.Create(filepath.Join(b.TempDir(), "bench.log"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := f.Close(); err != nil {
			b.Error(err)
		}
	})
	return &server{
		stats: &StatsD{Namespace: "leftpad", SampleRate: 0.5, Conn: io.Discard},
		log:   log.New(f, "", log.LstdFlags),
	}
}

func benchRequest() *http.Request {
	return httptest.NewRequest(http.MethodGet, "/v1/leftpad/?str=test&len=50&chr=*", nil)
}

func BenchmarkTimedHandler(b *testing.B) {
	h := benchServer(b).timed("bench", func(http.ResponseWriter, *http.Request) {})
	r := benchRequest()
	b.ReportAllocs()
	for b.Loop() {
		h(httptest.NewRecorder(), r)
	}
}

func BenchmarkLeftpadHandler(b *testing.B) {
	s := benchServer(b)
	r := benchRequest()
	b.ReportAllocs()
	for b.Loop() {
		s.handleLeftpad(httptest.NewRecorder(), r)
	}
}

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
