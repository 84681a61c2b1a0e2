package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// discard is a ResponseWriter that costs almost nothing: the work of a recorder would hide what is
// compared.
type discard struct{ header http.Header }

func (d discard) Header() http.Header                 { return d.header }
func (discard) Write(p []byte) (int, error)           { return len(p), nil }
func (discard) WriteString(s string) (n int, _ error) { return len(s), nil }
func (discard) WriteHeader(int)                       {}

func benchRequest(path string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("User-Agent", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) "+
		"AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36")
	return r
}

func benchmarkHandler(b *testing.B, path string, conn io.Writer) {
	m := newMetrics(conn)
	defer m.Close()
	h := handler(m)
	w := discard{header: http.Header{}}
	r := benchRequest(path)
	b.ReportAllocs()
	for b.Loop() {
		h.ServeHTTP(w, r)
	}
}

// BenchmarkHello discards the metrics.
func BenchmarkHello(b *testing.B) { benchmarkHandler(b, "/hello", io.Discard) }

// BenchmarkSimple is the goal for BenchmarkHello.
func BenchmarkSimple(b *testing.B) { benchmarkHandler(b, "/simple", io.Discard) }

// BenchmarkHelloUDP sends the metrics to a socket that is never read.
func BenchmarkHelloUDP(b *testing.B) {
	aggregator, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = aggregator.Close() }()
	conn, err := net.Dial("udp", aggregator.LocalAddr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	benchmarkHandler(b, "/hello", conn)
}

func BenchmarkName(b *testing.B) {
	m := newMetrics(io.Discard)
	defer m.Close()
	r := benchRequest("/hello")
	b.ReportAllocs()
	for b.Loop() {
		m.Name("handler.received", r)
	}
}

func BenchmarkClean(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		clean("chrome/126.0.0.0")
	}
}
