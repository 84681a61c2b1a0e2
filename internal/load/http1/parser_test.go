package http1

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"strings"
	"testing"
	"unsafe"
)

// outcome is the result of parsing an answer.
type outcome struct {
	status  int
	body    int64
	closing bool
	used    int    // bytes of the input
	err     string // "": complete
}

// parse passes data to a parser in pieces whose sizes next returns, closes the connection if the
// answer has not ended then, and returns the outcome.
func parse(t testing.TB, data []byte, head bool, next func() int) outcome {
	t.Helper()
	return parseBy(t, (*Parser).Parse, data, head, next)
}

// parseBy is parse with a function that reads the pieces.
func parseBy(t testing.TB, read func(*Parser, []byte) (int, bool, error), data []byte, head bool,
	next func() int,
) outcome {
	t.Helper()
	var p Parser
	p.Begin(head)
	var o outcome
	var done bool
	var err error
	for rest := data; len(rest) > 0 && !done && err == nil; {
		piece := rest[:min(max(next(), 0), len(rest))]
		if p.Started() != (o.used > 0) {
			t.Fatalf("Started() = %v after %d bytes", p.Started(), o.used)
		}
		// A copy reveals a parser that retains the piece or reads beyond it.
		b := bytes.Clone(piece)
		var n int
		if n, done, err = read(&p, b); n < 0 || n > len(b) || n < len(b) && !done && err == nil || done && err != nil {
			t.Fatalf("Parse of %d bytes: %d, %v, %v", len(b), n, done, err)
		}
		clear(b)
		o.used += n
		rest = rest[n:]
	}
	if err != nil {
		if !p.Started() {
			t.Error("an error without any byte seen")
		}
		if _, _, again := p.Parse([]byte("x")); !errors.Is(again, err) {
			t.Errorf("after error %v comes %v", err, again)
		}
		if again := p.EOF(); !errors.Is(again, err) {
			t.Errorf("after error %v comes %v", err, again)
		}
	}
	if err == nil && !done {
		err = p.EOF()
	}
	if err == nil {
		if n, done, err := p.Parse([]byte("HTTP/1.1 200 OK\r\n\r\n")); n != 0 || !done || err != nil {
			t.Errorf("Parse after the end: %d, %v, %v", n, done, err)
		}
		if err := p.EOF(); err != nil {
			t.Errorf("EOF after the end: %v", err)
		}
	}
	o.status, o.body, o.closing = p.Status(), p.Body(), p.Closing()
	if err != nil {
		o.err = err.Error()
	}
	return o
}

func whole() int       { return 1 << 30 }
func singleBytes() int { return 1 }

// twoPieces divides the data at one position.
func twoPieces(at int) func() int {
	first := true
	return func() int {
		if first {
			first = false
			return at
		}
		return 1 << 30
	}
}

const (
	ok    = "HTTP/1.1 200 OK\r\n"
	fiver = ok + "Content-Length: 5\r\n"
	chunk = ok + "Transfer-Encoding: chunked\r\n"
)

type testCase struct {
	name string
	in   string
	more string // what follows it and does not belong to it
	head bool
	want outcome // used is the length of in
}

func cases() []testCase {
	done := func(status int, body int64) outcome { return outcome{status: status, body: body} }
	last := func(status int, body int64) outcome { return outcome{status: status, body: body, closing: true} }
	wrong := func(what string) outcome { return outcome{err: what} }
	closed, short := wrong(ErrClosed.Error()), wrong(io.ErrUnexpectedEOF.Error())
	return []testCase{
		{name: "length", in: fiver + "\r\nhello", want: done(200, 5)},
		{name: "net/http", in: ok +
			"Date: Mon, 01 Jan 2024 00:00:00 GMT\r\nContent-Length: 13\r\nContent-Type: text/plain; " +
			"charset=utf-8\r\n\r\nHello, world!", want: done(200, 13)},
		{name: "length 0", in: ok + "Content-Length: 0\r\n\r\n", want: done(200, 0)},
		{name: "garbage after it", in: fiver + "\r\nhello", more: "HTTP", want: done(200, 5)},
		{name: "another answer after it", in: fiver + "\r\nhello", more: fiver + "\r\nhello", want: done(200, 5)},
		{name: "short body", in: fiver + "\r\nhell", want: short},
		{name: "no body", in: fiver + "\r\n", want: short},
		{name: "nothing", in: "", want: closed},
		{name: "cut status line", in: "HTTP/1.1 200 O", want: closed},
		{name: "cut header", in: fiver + "X: y", want: closed},
		{name: "missing empty line", in: fiver, want: closed},

		{name: "no reason", in: "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", want: done(200, 0)},
		{name: "no space either", in: "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", want: done(200, 0)},
		{name: "no space, bare LF", in: "HTTP/1.1 200\nContent-Length: 0\n\n", want: done(200, 0)},
		{name: "spaces before the status", in: "HTTP/1.1   200 OK\r\nContent-Length: 0\r\n\r\n", want: done(200, 0)},
		{name: "anything in the reason", in: "HTTP/1.1 200 \x00\r\t\xff\r\nContent-Length: 0\r\n\r\n", want: done(200, 0)},
		{name: "minor version", in: "HTTP/1.7 200 OK\r\nContent-Length: 0\r\n\r\n", want: done(200, 0)},
		{name: "unknown status", in: "HTTP/1.1 999 OK\r\nContent-Length: 1\r\n\r\nx", want: done(999, 1)},
		{name: "status below 100", in: "HTTP/1.1 000 OK\r\nContent-Length: 1\r\n\r\nx", want: last(0, 1)},
		{name: "empty line first", in: "\r\n" + fiver + "\r\nhello", want: wrong(`begins with "\r"`)},
		{
			name: "other protocol", in: "SSH-2.0-OpenSSH\r\n",
			want: wrong(`malformed answer: begins with "S" (want "HTTP/1.")`),
		},
		{name: "TLS", in: "\x15\x03\x01\x00\x02\x02\x46", want: wrong(`begins with "\x15"`)},
		{name: "other case", in: "http/1.1 200 OK\r\n\r\n", want: wrong(`begins with "h"`)},
		{name: "HTTP/2.0", in: "HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n", want: wrong(`begins with "HTTP/2"`)},
		{name: "HTTP/0.9", in: "HTTP/0.9 200 OK\r\nContent-Length: 0\r\n\r\n", want: wrong(`begins with "HTTP/0"`)},
		{name: "no minor version", in: "HTTP/1.x 200 OK\r\n\r\n", want: wrong(`begins with "HTTP/1.x"`)},
		{name: "long version", in: "HTTP/1.11 200 OK\r\n\r\n", want: wrong("no space after the HTTP version")},
		{name: "only a version", in: "HTTP/1.1\r\n\r\n", want: wrong("no space after the HTTP version")},
		{name: "short status", in: "HTTP/1.1 20 OK\r\n\r\n", want: wrong("not three digits")},
		{name: "long status", in: "HTTP/1.1 2000 OK\r\n\r\n", want: wrong("not three digits")},
		{name: "signed status", in: "HTTP/1.1 +20 OK\r\nContent-Length: 0\r\n\r\n", want: wrong("not three digits")},
		{name: "status of letters", in: "HTTP/1.1 2x0 OK\r\n\r\n", want: wrong("not three digits")},
		{name: "CR after the status", in: "HTTP/1.1 200\rOK\r\n\r\n", want: wrong("carriage return after the status")},

		{name: "length in any case", in: ok + "cOnTeNt-LeNgTh:5\r\n\r\nhello", want: done(200, 5)},
		{name: "length with spaces around", in: ok + "Content-Length: \t5 \t\r\n\r\nhello", want: done(200, 5)},
		{
			name: "length with leading zeros", in: ok + "Content-Length: 0000000000000000000000005\r\n\r\nhello",
			want: done(200, 5),
		},
		{
			name: "same length twice", in: ok + "Content-Length: 5\r\nX: y\r\nContent-Length:  5\r\n\r\nhello",
			want: done(200, 5),
		},
		{
			name: "two lengths", in: ok + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
			want: wrong("two different Content-Lengths"),
		},
		{
			name: "same number in two ways", in: ok + "Content-Length: 5\r\nContent-Length: 05\r\n\r\nhello",
			want: wrong("two different Content-Lengths"),
		},
		{
			name: "list of lengths", in: ok + "Content-Length: 5, 5\r\n\r\nhello",
			want: wrong("Content-Length is not a number"),
		},
		{name: "plus", in: ok + "Content-Length: +5\r\n\r\nhello", want: wrong("Content-Length is not a number")},
		{name: "minus", in: ok + "Content-Length: -5\r\n\r\nhello", want: wrong("Content-Length is not a number")},
		{name: "space within", in: ok + "Content-Length: 1 2\r\n\r\nhello", want: wrong("Content-Length is not a number")},
		{name: "hexadecimal", in: ok + "Content-Length: 0x5\r\n\r\nhello", want: wrong("Content-Length is not a number")},
		{name: "empty length", in: ok + "Content-Length:\r\n\r\nhello", want: wrong("Content-Length is empty")},
		{
			name: "empty length with spaces", in: ok + "Content-Length:  \t\r\n\r\nhello",
			want: wrong("Content-Length is empty"),
		},
		{name: "longest length", in: ok + "Content-Length: 9223372036854775807\r\n\r\nhello", want: short},
		{
			name: "overflow", in: ok + "Content-Length: 9223372036854775808\r\n\r\nhello",
			want: wrong("Content-Length is too large"),
		},
		{
			name: "far overflow", in: ok + "Content-Length: 99999999999999999999999999999\r\n\r\nhello",
			want: wrong("Content-Length is too large"),
		},
		{name: "folded length", in: ok + "Content-Length:\r\n 5\r\n \r\n\r\nhello", want: done(200, 5)},
		{
			name: "length folded within", in: ok + "Content-Length: 1\r\n 2\r\n\r\nhello",
			want: wrong("Content-Length is not a number"),
		},
		{
			name: "length folded with a tab", in: ok + "Content-Length: 1\r\n\t2\r\n\r\nhello",
			want: wrong("Content-Length is not a number"),
		},
		// net/http treats the space as part of the name, so the length is unknown.
		{name: "space before the colon", in: ok + "Content-Length : 5\r\n\r\nhello", want: last(200, 5)},

		{name: "bare LF", in: "HTTP/1.1 200 OK\nContent-Length: 5\nX: y\n\nhello", want: done(200, 5)},
		{name: "LF and CRLF", in: "HTTP/1.1 200 OK\nContent-Length: 5\r\nX: y\n\r\nhello", want: done(200, 5)},
		{name: "fold", in: fiver + "X: a\r\n b\r\n\tc\r\n \r\nY: z\n d\r\n\r\nhello", want: done(200, 5)},
		{name: "fold at once", in: ok + " X: a\r\n\r\n", want: wrong("begins with white space")},
		{name: "fold after an empty name", in: fiver + ": a\r\n\r\nhello", want: wrong("without a name")},
		{name: "no colon", in: ok + "Content-Length\r\n\r\n", want: wrong("without a colon")},
		{name: "tab in a name", in: ok + "A\tb: c\r\n\r\n", want: wrong("byte 0x09 in the name")},
		{name: "CR in a name", in: ok + "A\rb: c\r\n\r\n", want: wrong("without a colon")},
		{name: "byte in a name", in: ok + "\xc3\xa9: c\r\n\r\n", want: wrong("byte 0xc3 in the name")},
		{
			name: "CR at the start of a line", in: fiver + "\rA: b\r\n\r\nhello",
			want: wrong("carriage return within the header"),
		},
		{name: "CR in a value", in: fiver + "A: b\rc\r\n\r\nhello", want: wrong("carriage return within a header value")},
		{name: "two CRs", in: fiver + "A: b\r\r\n\r\nhello", want: wrong("carriage return within a header value")},
		{
			name: "NUL in a value", in: fiver + "A: 01234567890123456789\x00bcdefgh\r\n\r\nhello",
			want: wrong("byte 0x00 in the value"),
		},
		{name: "DEL in a value", in: fiver + "A: b\x7f\r\n\r\nhello", want: wrong("byte 0x7f in the value")},
		{
			name: "tab and high bytes in a value", in: fiver + "A: b\tc\x80\xff\xa0 0123456789\r\n\r\nhello",
			want: done(200, 5),
		},
		{name: "empty values", in: fiver + "A:\r\nB: \r\n\r\nhello", want: done(200, 5)},

		{name: "chunked", in: chunk + "\r\n5\r\nhello\r\n0\r\n\r\n", want: done(200, 5)},
		{
			name: "chunked in any case", in: ok + "transfer-encoding:CHUNKED \t\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
			want: done(200, 5),
		},
		{
			name: "chunks", in: chunk + "\r\n5\r\nhello\r\n00a\r\n0123456789\r\nB\r\n0123456789a\r\n0\r\n\r\n",
			want: done(200, 26),
		},
		{name: "chunked garbage after", in: chunk + "\r\n0\r\n\r\n", more: "x", want: done(200, 0)},
		{name: "chunk extension", in: chunk + "\r\n5;a=\"\x00b\"; c\r\nhello\r\n0;d\r\n\r\n", want: done(200, 5)},
		{name: "space after the size", in: chunk + "\r\n5 \t\r\nhello\r\n0 \r\n\r\n", want: done(200, 5)},
		{
			name: "space before the extension", in: chunk + "\r\n5 ;a\r\nhello\r\n0\r\n\r\n",
			want: wrong("byte 0x3b in a chunk size"),
		},
		{
			name: "space before the size", in: chunk + "\r\n 5\r\nhello\r\n0\r\n\r\n",
			want: wrong("chunk size begins with byte 0x20"),
		},
		{name: "no size", in: chunk + "\r\n\r\nhello\r\n0\r\n\r\n", want: wrong("chunk without a size")},
		{
			name: "only an extension", in: chunk + "\r\n;a\r\nhello\r\n0\r\n\r\n",
			want: wrong("chunk size begins with byte 0x3b"),
		},
		{
			name: "size of 17 digits", in: chunk + "\r\n00000000000000005\r\nhello\r\n0\r\n\r\n",
			want: wrong("chunk size is too large"),
		},
		{
			name: "size of 16 digits", in: chunk + "\r\n0000000000000005\r\nhello\r\n0000000000000000\r\n\r\n",
			want: done(200, 5),
		},
		{name: "size too large", in: chunk + "\r\n8000000000000000\r\nhello", want: wrong("chunk size is too large")},
		{name: "largest size", in: chunk + "\r\n7fffffffffffffff\r\nhello", want: short},
		{
			name: "bare LF after the size", in: chunk + "\r\n5\nhello\r\n0\r\n\r\n",
			want: wrong("bare line feed after a chunk size"),
		},
		{
			name: "bare LF after an extension", in: chunk + "\r\n5;x\nhello\r\n0\r\n\r\n",
			want: wrong("bare line feed after a chunk size"),
		},
		{
			name: "CR within the size", in: chunk + "\r\n5\r\r\nhello\r\n0\r\n\r\n",
			want: wrong("carriage return within a chunk size line"),
		},
		{name: "chunk too long", in: chunk + "\r\n5\r\nhello!\r\n0\r\n\r\n", want: wrong("chunk is longer than its size")},
		{name: "LF after a chunk", in: chunk + "\r\n5\r\nhello\n0\r\n\r\n", want: wrong("chunk is longer than its size")},
		{name: "CR after a chunk", in: chunk + "\r\n5\r\nhello\r0\r\n\r\n", want: wrong("chunk is longer than its size")},
		{name: "cut chunk", in: chunk + "\r\n5\r\nhell", want: short},
		{name: "cut after a chunk", in: chunk + "\r\n5\r\nhello\r\n", want: short},
		{name: "cut before the first chunk", in: chunk + "\r\n", want: short},
		{name: "cut before the trailer", in: chunk + "\r\n0\r\n", want: short},
		{name: "cut in the trailer", in: chunk + "\r\n0\r\nA: b\r\n", want: short},
		{
			name: "longest chunk line", in: chunk + "\r\n5;" + strings.Repeat("x", 4093) + "\r\nhello\r\n0\r\n\r\n",
			want: done(200, 5),
		},
		{
			name: "chunk line too long", in: chunk + "\r\n5;" + strings.Repeat("x", 4094) + "\r\nhello\r\n0\r\n\r\n",
			want: wrong("longer than 4095 bytes"),
		},
		{
			name: "overhead", in: chunk + "\r\n" + strings.Repeat("1;"+strings.Repeat("x", 1000)+"\r\nx\r\n", 16) + "0\r\n\r\n",
			want: done(200, 16),
		},
		{name: "too much overhead", in: chunk + "\r\n" + strings.Repeat("1;"+strings.Repeat("x", 1000)+"\r\nx\r\n", 17) +
			"0\r\n\r\n", want: wrong("framing exceeds the limit")},
		{name: "most overhead", in: chunk + "\r\n" + strings.Repeat("1;"+strings.Repeat("x", 1000)+"\r\nx\r\n", 16) + "1;" +
			strings.Repeat("x", 622) + "\r\nx\r\n0\r\n\r\n", want: done(200, 17)},
		{name: "one byte of overhead more", in: chunk + "\r\n" + strings.Repeat("1;"+strings.Repeat("x", 1000)+"\r\nx\r\n",
			16) + "1;" + strings.Repeat("x", 623) + "\r\nx\r\n0\r\n\r\n", want: wrong("framing exceeds the limit")},
		{name: "overhead before the end", in: chunk + "\r\n" + strings.Repeat("1;"+strings.Repeat("x", 1000)+"\r\nx\r\n",
			16) + "0;" + strings.Repeat("x", 1000) + "\r\n\r\n", want: done(200, 16)},
		{name: "tiny chunks", in: chunk + "\r\n" + strings.Repeat("1\r\nx\r\n", 10000) + "0\r\n\r\n", want: done(200, 10000)},

		{
			name: "chunked and length", in: fiver + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
			want: done(200, 3),
		},
		{
			name: "chunked and bad length", in: chunk + "Content-Length: x\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
			want: wrong("Content-Length is not a number"),
		},
		{
			name: "gzip", in: ok + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
			want: wrong("Transfer-Encoding is not chunked"),
		},
		{
			name: "identity", in: ok + "Transfer-Encoding: identity\r\nContent-Length: 0\r\n\r\n",
			want: wrong("Transfer-Encoding is not chunked"),
		},
		{
			name: "empty encoding", in: ok + "Transfer-Encoding:\r\nContent-Length: 0\r\n\r\n",
			want: wrong("Transfer-Encoding is not chunked"),
		},
		{
			name: "chunked twice", in: chunk + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
			want: wrong("two Transfer-Encodings"),
		},
		{
			name: "chunked with more", in: ok + "Transfer-Encoding: chunked x\r\n\r\n0\r\n\r\n",
			want: wrong("Transfer-Encoding is not chunked"),
		},
		{
			name: "chunked with less", in: ok + "Transfer-Encoding: chunke\r\n\r\n0\r\n\r\n",
			want: wrong("Transfer-Encoding is not chunked"),
		},
		{
			name: "long encoding", in: ok + "Transfer-Encoding: " + strings.Repeat("chunked", 9) + "\r\n\r\n0\r\n\r\n",
			want: wrong("Transfer-Encoding is not chunked"),
		},
		{name: "folded chunked", in: ok + "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n", want: done(200, 0)},
		{
			name: "chunked and a fold", in: ok + "Transfer-Encoding: chunked\r\n \r\n\r\n0\r\n\r\n",
			want: wrong("Transfer-Encoding is not chunked"),
		},
		{
			name: "chunked in 1.0",
			in:   "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\nTransfer-Encoding: x\r\n\r\nhello",
			want: last(200, 5),
		},

		{
			name: "trailer",
			in: chunk + "Trailer: A\r\n\r\n5\r\nhello\r\n0\r\n" +
				"A: b\r\nContent-Length: 7\r\nConnection: close\r\nTransfer-Encoding: x\r\n\r\n",
			more: "x", want: done(200, 5),
		},
		{name: "folded trailer", in: chunk + "\r\n0\r\nA: b\r\n c\r\n\r\n", want: done(200, 0)},
		{name: "trailer lines with bare LF", in: chunk + "\r\n0\r\nA: b\nC: d\r\n\r\n", want: done(200, 0)},
		{
			name: "trailer that begins with a space", in: chunk + "\r\n0\r\n A: b\r\n\r\n",
			want: wrong("begins with white space"),
		},
		{name: "trailer without colon", in: chunk + "\r\n0\r\nA\r\n\r\n", want: wrong("without a colon")},
		{
			name: "bare LF for a trailer", in: chunk + "\r\n0\r\n\nHTTP\r\n\r\n",
			want: wrong("trailer ends with a bare line feed"),
		},
		{
			name: "bare LF before the trailer's end", in: chunk + "\r\n0\r\nA: b\n\r\nHTTP\r\n\r\n",
			want: wrong("trailer ends with a bare line feed"),
		},
		{
			name: "bare LF at the trailer's end", in: chunk + "\r\n0\r\nA: b\r\n\nHTTP\r\n\r\n",
			want: wrong("trailer ends with a bare line feed"),
		},
		{
			name: "trailer of a length", in: ok + "Trailer: a, content-length ,b\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
			want: wrong("Trailer announces"),
		},
		{
			name: "trailer of a trailer", in: chunk + "Trailer: a\r\n ,Trailer\r\n\r\n0\r\n\r\n",
			want: wrong("Trailer announces"),
		},
		{name: "trailer without chunks", in: fiver + "Trailer: Content-Length\r\n\r\nhello", want: done(200, 5)},

		{name: "to the end", in: ok + "\r\nhello", want: last(200, 5)},
		{name: "to the end, empty", in: ok + "\r\n", want: last(200, 0)},
		{name: "to the end, keep-alive", in: ok + "Connection: keep-alive\r\n\r\nhello", want: last(200, 5)},
		{name: "1.0", in: "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", want: last(200, 5)},
		{
			name: "1.0 keep-alive", in: "HTTP/1.0 200 OK\r\nConnection: a, Keep-Alive\r\nContent-Length: 5\r\n\r\nhello",
			want: done(200, 5),
		},
		{name: "1.0 both", in: "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nConnection: " +
			"close\r\nContent-Length: 5\r\n\r\nhello", want: last(200, 5)},
		{name: "close", in: fiver + "Connection: close\r\n\r\nhello", want: last(200, 5)},
		{name: "close in a list", in: fiver + "connection:x ,\tCLOSE ,y\r\n\r\nhello", want: last(200, 5)},
		{name: "close in a fold", in: fiver + "Connection: x,\r\n close\r\n\r\nhello", want: last(200, 5)},
		{name: "close cut by a fold", in: fiver + "Connection: clo\r\n se\r\n\r\nhello", want: done(200, 5)},
		{name: "close with more", in: fiver + "Connection: close x, closed, clos\r\n\r\nhello", want: done(200, 5)},
		{
			name: "another connection header", in: fiver + "Connectiox: close\r\nProxy-Connection: close\r\n\r\nhello",
			want: done(200, 5),
		},

		{name: "HEAD", in: fiver + "\r\n", head: true, want: done(200, 0)},
		{name: "HEAD chunked", in: chunk + "\r\n", head: true, want: done(200, 0)},
		{name: "HEAD without length", in: ok + "\r\n", more: "x", head: true, want: done(200, 0)},
		{name: "HEAD with bad length", in: ok + "Content-Length: x\r\n\r\n", head: true, want: wrong("not a number")},
		{name: "204", in: "HTTP/1.1 204 No Content\r\n\r\n", more: "x", want: done(204, 0)},
		{name: "204 with length", in: "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", want: done(204, 0)},
		{
			name: "204 with bad encoding", in: "HTTP/1.1 204 No Content\r\nTransfer-Encoding: x\r\n\r\n",
			want: wrong("not chunked"),
		},
		{name: "304", in: "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", want: done(304, 0)},
		{
			name: "304 chunked", in: "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
			want: last(304, 0),
		},
		{name: "205", in: "HTTP/1.1 205 Reset Content\r\nContent-Length: 5\r\n\r\nhello", want: done(205, 5)},

		{name: "100", in: "HTTP/1.1 100 Continue\r\n\r\n" + fiver + "\r\nhello", want: done(200, 5)},
		{
			name: "100 with header",
			in: "HTTP/1.1 100 Continue\r\nContent-Length: 7\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n" + fiver +
				"\r\nhello", want: done(200, 5),
		},
		{
			name: "103s", in: strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 100) + fiver + "\r\nhello",
			want: done(200, 5),
		},
		{
			name: "too many", in: strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 101) + fiver + "\r\nhello",
			want: wrong("more than 100 informational answers"),
		},
		{
			name: "bad 100", in: "HTTP/1.1 100 Continue\r\nContent-Length: x\r\n\r\n" + fiver + "\r\nhello",
			want: wrong("not a number"),
		},
		{name: "100 and nothing more", in: "HTTP/1.1 100 Continue\r\n\r\n", want: closed},
		{
			name: "101", in: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", more: "x",
			want: last(101, 0),
		},
		{name: "100 before HEAD", in: "HTTP/1.1 100 Continue\r\n\r\n" + fiver + "\r\n", head: true, want: done(200, 0)},

		{
			name: "64 KB line", in: fiver + "X: " + strings.Repeat("0123456789abcdef", 4<<10) + "\r\n\r\nhello",
			want: done(200, 5),
		},
		{name: "64 KB name", in: fiver + strings.Repeat("0123456789abcdef", 4<<10) + ": x\r\n\r\nhello", want: done(200, 5)},
		{name: "64 KB reason", in: "HTTP/1.1 200 " + strings.Repeat("0123456789abcdef", 4<<10) +
			"\r\nContent-Length: 5\r\n\r\nhello", want: done(200, 5)},
		{name: "64 KB of lines", in: fiver + strings.Repeat("X-Some-Name: some value and another\r\n", 64<<10/37) +
			"\r\nhello", want: done(200, 5)},
		{name: "64 KB connection", in: fiver + "Connection: " + strings.Repeat("keep-alive, ", 64<<10/12) +
			"close\r\n\r\nhello", want: last(200, 5)},
		{
			name: "64 KB trailer", in: chunk + "\r\n0\r\nX: " + strings.Repeat("0123456789abcdef", 4<<10) + "\r\n\r\n",
			want: done(200, 0),
		},
	}
}

func check(t *testing.T, c testCase, got outcome) {
	t.Helper()
	if c.want.err != "" {
		if !strings.Contains(got.err, c.want.err) {
			t.Errorf("error %q, want %q", got.err, c.want.err)
		}
		if !got.closing {
			t.Error("the connection may be used after an error")
		}
		return
	}
	want := c.want
	want.used = len(c.in)
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestParser(t *testing.T) {
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			in := []byte(c.in + c.more)
			got := parse(t, in, c.head, whole)
			check(t, c, got)
			if slow := parse(t, in, c.head, singleBytes); slow != got {
				t.Errorf("byte by byte: %+v, at once: %+v", slow, got)
			}
			compare(t, in, c.head, got)
			// Every position in a short one, several hundred in a long one: a prime step covers all
			// positions within its repeated parts.
			step := 1
			if len(in) > 4<<10 {
				step = 127
			}
			for at := 1; at < len(in); at += step {
				if cut := parse(t, in, c.head, twoPieces(at)); cut != got {
					t.Errorf("cut at %d: %+v, at once: %+v", at, cut, got)
				}
			}
		})
	}
}

// readAnswer reads an answer with net/http, as its Transport does. Where the parser is
// intentionally stricter (doc.go), readAnswer rejects what net/http accepts.
func readAnswer(data []byte, head bool) (outcome, error) {
	in := bytes.NewReader(data)
	// The buffer bounds the trailers that net/http accepts; none of the tests has a longer one.
	br := bufio.NewReaderSize(in, 128<<10)
	used := func() int { return len(data) - in.Len() - br.Buffered() }
	req := &http.Request{Method: http.MethodGet}
	if head {
		req.Method = http.MethodHead
	}
	for infos := 0; ; infos++ {
		start := used()
		resp, err := http.ReadResponse(br, req)
		if err != nil {
			return outcome{}, err
		}
		switch {
		case resp.ProtoMajor != 1:
			return outcome{}, errors.New("difference 1: not HTTP/1.x")
		case strings.ContainsAny(textproto.TrimString(resp.Status)[:3], "+-"):
			return outcome{}, errors.New("difference 2: signed status")
		case infos > maxInformational:
			return outcome{}, errors.New("difference 3: informational answers")
		case used() > maxHead:
			return outcome{}, fmt.Errorf("difference 4: long header from %d", start)
		case resp.StatusCode/100 == 1 && resp.StatusCode != http.StatusSwitchingProtocols:
			continue
		}
		n, err := io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if err != nil {
			return outcome{}, err
		}
		if resp.TransferEncoding != nil && resp.Body != http.NoBody && !bytes.HasSuffix(data[:used()], []byte("\r\n\r\n")) {
			return outcome{}, errors.New("difference 5: bare line feed at the end of a trailer")
		}
		return outcome{
			status: resp.StatusCode, body: n, used: used(),
			closing: resp.Close || resp.StatusCode < 200, // Transport.readLoop keeps no connection after these
		}, nil
	}
}

// compare compares the parser's outcome for data with that of net/http.
func compare(t *testing.T, data []byte, head bool, got outcome) {
	t.Helper()
	want, err := readAnswer(data, head)
	switch {
	case err != nil && got.err == "":
		t.Errorf("net/http refuses it: %v; the parser: %+v", err, got)
	case err == nil && got != want:
		t.Errorf("got %+v, net/http %+v", got, want)
	}
}

// TestHeaderLimit checks limits that net/http does not have.
func TestHeaderLimit(t *testing.T) {
	line := "X: " + strings.Repeat("x", 1019) + "\r\n" // 1 KiB
	fill := func(begin, end string) string {
		n := (maxHead - len(begin) - len(end)) / len(line)
		rest := maxHead - len(begin) - len(end) - n*len(line)
		if rest < 5 {
			n, rest = n-1, rest+len(line)
		}
		return begin + strings.Repeat(line, n) + "Y: " + strings.Repeat("y", rest-5) + "\r\n" + end
	}
	for _, test := range []struct{ name, in, longer string }{
		{"header", fill(fiver, "\r\n") + "hello", fill(fiver, "\r") + "\nhello"},
		{
			"informational", fill("HTTP/1.1 103 Early Hints\r\n", "\r\n"+fiver+"\r\n") + "hello",
			fill("HTTP/1.1 103 Early Hints\r\n", "\r\n"+fiver+"\r") + "\nhello",
		},
		{
			"one line", fiver + "X: " + strings.Repeat("x", maxHead-len(fiver)-7) + "\r\n\r\nhello",
			fiver + "X: " + strings.Repeat("x", maxHead-len(fiver)-6) + "\r\n\r\nhello",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, next := range []func() int{
				whole, singleBytes, func() int { return 1000 }, twoPieces(maxHead),
				twoPieces(maxHead - 1),
			} {
				if got := parse(t, []byte(test.in), false, next); got != (outcome{status: 200, body: 5, used: len(test.in)}) {
					t.Errorf("at the limit: %+v", got)
				}
			}
			compare(t, []byte(test.in), false, outcome{status: 200, body: 5, used: len(test.in)})
			for _, next := range []func() int{
				whole, singleBytes, func() int { return 1000 }, twoPieces(maxHead),
				twoPieces(maxHead - 1),
			} {
				if got := parse(t, []byte(test.longer), false, next); !strings.Contains(got.err, "longer than 1048576 bytes") ||
					got.used != maxHead {
					t.Errorf("beyond the limit: %+v", got)
				}
			}
			if _, err := readAnswer([]byte(test.longer), false); err == nil || !strings.Contains(err.Error(), "difference 4") {
				t.Errorf("net/http: %v", err)
			}
		})
	}
	t.Run("trailer", func(t *testing.T) {
		begin := len(chunk + "\r\n")
		in := chunk + "\r\n0\r\nX: " + strings.Repeat("x", maxHead-begin-7) + "\r\n\r\n"
		if got := parse(t, []byte(in), false, whole); got != (outcome{status: 200, used: len(in)}) {
			t.Errorf("at the limit: %+v", got)
		}
		in = chunk + "\r\n0\r\nX: " + strings.Repeat("x", maxHead-begin-6) + "\r\n\r\n"
		if got := parse(t, []byte(in), false, singleBytes); !strings.Contains(got.err, "longer than 1048576 bytes") {
			t.Errorf("beyond the limit: %+v", got)
		}
	})
}

func TestErrorsAreSyntaxErrors(t *testing.T) {
	var p Parser
	p.Begin(false)
	_, _, err := p.Parse([]byte("SSH"))
	var syntax *SyntaxError
	if !errors.As(err, &syntax) || syntax.What == "" {
		t.Errorf("%T", err)
	}
	p.Begin(false)
	if err := p.EOF(); !errors.Is(err, ErrClosed) || p.Started() {
		t.Errorf("before the answer: %v", err)
	}
	p.Begin(false)
	if _, _, err := p.Parse([]byte("HTTP")); err != nil {
		t.Fatal(err)
	}
	if err := p.EOF(); !errors.Is(err, ErrClosed) || !p.Started() {
		t.Errorf("within the head: %v", err)
	}
	p.Begin(false)
	if _, _, err := p.Parse([]byte(fiver + "\r\n")); err != nil {
		t.Fatal(err)
	}
	if err := p.EOF(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("within the body: %v", err)
	}
}

// TestAnswersInARow frames the answers of one stream with one parser.
func TestAnswersInARow(t *testing.T) {
	var stream []byte
	var all []testCase
	for _, c := range cases() {
		if c.want.err == "" && !c.want.closing {
			all = append(all, c)
			stream = append(stream, c.in...)
		}
	}
	if len(all) < 30 {
		t.Fatalf("only %d cases", len(all))
	}
	for _, size := range []int{1, 7, 1460, 1 << 30} {
		var p Parser
		rest := stream
		for _, c := range all {
			p.Begin(c.head)
			for done := false; !done; {
				n, over, err := p.Parse(rest[:min(size, len(rest))])
				if err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
				done, rest = over, rest[n:]
			}
			if p.Status() != c.want.status || p.Body() != c.want.body || p.Closing() {
				t.Errorf("pieces of %d, %s: %d, %d bytes", size, c.name, p.Status(), p.Body())
			}
		}
		if len(rest) != 0 {
			t.Errorf("pieces of %d: %d bytes are left", size, len(rest))
		}
	}
}

func TestUnusedParser(t *testing.T) {
	var p Parser
	if n, done, err := p.Parse([]byte(fiver)); n != 0 || !done || err != nil {
		t.Errorf("Parse before Begin: %d, %v, %v", n, done, err)
	}
	if err := p.EOF(); !errors.Is(err, ErrClosed) {
		t.Errorf("EOF before Begin: %v", err)
	}
}

// TestSmall bounds the size of a parser, since ten thousand connections have one each.
func TestSmall(t *testing.T) {
	if size := unsafe.Sizeof(Parser{}); size > 128 {
		t.Errorf("a Parser takes %d bytes", size)
	}
	for _, c := range cases() {
		if c.want.err != "" {
			continue
		}
		in := []byte(c.in)
		for _, size := range []int{len(in), 1} {
			var p Parser
			// The mean of several runs is rounded down: the runtime allocates occasionally.
			if n := testing.AllocsPerRun(10, func() {
				p.Begin(c.head)
				for rest := in; len(rest) > 0; {
					n, done, err := p.Parse(rest[:min(size, len(rest))])
					if done || err != nil {
						break
					}
					rest = rest[n:]
				}
			}); n != 0 {
				t.Errorf("%s in pieces of %d: %v allocations", c.name, size, n)
			}
		}
	}
}

func TestControl(t *testing.T) {
	for c := range 256 {
		want := c < ' ' || c == 0x7f
		for size := range 20 {
			for at := range size {
				for _, other := range []byte{' ', '~', 0x80, 0xff, 0xa0} {
					b := bytes.Repeat([]byte{other}, size)
					b[at] = byte(c)
					got := control(b)
					if want && got != at || !want && got != size {
						t.Fatalf("%q: %d", b, got)
					}
				}
				b := bytes.Repeat([]byte{'\n'}, size) // what follows it is another
				copy(b, strings.Repeat("x", at))
				b[at] = byte(c)
				if got := control(b); want && got != at || !want && got != min(at+1, size) {
					t.Fatalf("%q: %d", b, got)
				}
			}
		}
	}
}

func FuzzParser(f *testing.F) {
	for _, c := range cases() {
		if len(c.in) < 10<<10 {
			f.Add([]byte(c.in+c.more), c.head, []byte{1, 3})
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, head bool, cuts []byte) {
		if len(data) > 64<<10 {
			return // beyond it, the limits differ (doc.go)
		}
		got := parse(t, data, head, whole)
		compare(t, data, head, got)
		if slow := parse(t, data, head, singleBytes); slow != got {
			t.Errorf("byte by byte: %+v, at once: %+v", slow, got)
		}
		// What is cached equals what was read, and does not apply to another method.
		var m Memory
		for _, h := range []bool{head, head, !head, head} {
			want := got
			if h != head {
				want = parse(t, data, h, whole)
			}
			if again := parseBy(t, m.Parse, data, h, whole); again != want {
				t.Errorf("with a memory, HEAD %v: %+v, without: %+v", h, again, want)
			}
		}
		if len(cuts) == 0 {
			return
		}
		i := 0
		if cut := parse(t, data, head, func() int { i++; return int(cuts[i%len(cuts)]) + 1 }); cut != got {
			t.Errorf("in pieces: %+v, at once: %+v", cut, got)
		}
		i = 0
		if cut := parseBy(t, m.Parse, data, head, func() int { i++; return int(cuts[i%len(cuts)]) + 1 }); cut != got {
			t.Errorf("in pieces with a memory: %+v, at once: %+v", cut, got)
		}
	})
}
