package http1

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

// benchmarked returns the answers that the benchmarks read repeatedly.
func benchmarked() map[string]string {
	const head = "HTTP/1.1 200 OK\r\nDate: Mon, 01 Jan 2024 00:00:00 GMT\r\n"
	return map[string]string{
		"nethttp": head + "Content-Length: 13\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nHello, world!",
		"chunked": head + "Content-Type: text/plain; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\nd\r\nHello, " +
			"world!\r\n0\r\n\r\n",
		"body=64K": head + "Content-Length: 65536\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" +
			strings.Repeat("x", 64<<10),
		"fields=12": head + "Server: nginx\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: " +
			"13\r\nLast-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\nConnection: keep-alive\r\n" +
			"ETag: \"65920080-d\"\r\nCache-Control: public, max-age=3600\r\nVary: Accept-Encoding\r\nX-Frame-Options: " +
			"DENY\r\nX-Content-Type-Options: nosniff\r\nAccept-Ranges: bytes\r\n\r\nHello, world!",
	}
}

func BenchmarkParser(b *testing.B) {
	for name, answer := range benchmarked() {
		for pieces, size := range map[string]int{"whole": len(answer), "bytes": 1} {
			if pieces == "bytes" && name != "nethttp" {
				continue
			}
			b.Run("answer="+name+"/pieces="+pieces, func(b *testing.B) {
				in := []byte(answer)
				b.ReportAllocs()
				b.SetBytes(int64(len(in)))
				var p Parser
				for b.Loop() {
					p.Begin(false)
					done := false
					for rest := in; !done; {
						n, over, err := p.Parse(rest[:min(size, len(rest))])
						if err != nil {
							b.Fatal(err)
						}
						done, rest = over, rest[n:]
					}
				}
				if p.Status() != http.StatusOK {
					b.Fatal(p.Status())
				}
			})
		}
		b.Run("answer="+name+"/remembered", func(b *testing.B) {
			in := []byte(answer)
			b.ReportAllocs()
			b.SetBytes(int64(len(in)))
			var p Parser
			var m Memory
			for b.Loop() {
				p.Begin(false)
				if _, done, err := m.Parse(&p, in); err != nil || !done {
					b.Fatal(done, err)
				}
			}
		})
	}
}

func BenchmarkNetHTTP(b *testing.B) {
	for name, answer := range benchmarked() {
		b.Run("answer="+name, func(b *testing.B) {
			in := bytes.NewReader([]byte(answer))
			br := bufio.NewReader(in)
			req := &http.Request{Method: http.MethodGet}
			b.ReportAllocs()
			b.SetBytes(int64(len(answer)))
			for b.Loop() {
				in.Reset([]byte(answer))
				br.Reset(in)
				resp, err := http.ReadResponse(br, req)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, resp.Body); err != nil {
					b.Fatal(err)
				}
				_ = resp.Body.Close()
			}
		})
	}
}
