package http2_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"net/http"
	"strconv"
	"testing"

	xhttp2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/whet-go/whet/internal/load/http2"
	"github.com/whet-go/whet/internal/load/request"
)

// frames divides bytes into frames.
func frames(b []byte) [][]byte {
	var all [][]byte
	for len(b) > 0 {
		n := 9 + int(b[0])<<16 + int(b[1])<<8 + int(b[2])
		all = append(all, b[:n:n])
		b = b[n:]
	}
	return all
}

// recorded returns what net/http's server sends in reply to requests sent one by one: everything
// before the second answer, and the frames of the last answer, which equal those of all from the
// second on.
func recorded(b *testing.B, r *request.Request, h http.Handler) (before []byte, answer [][]byte) {
	addr, _ := server(b, h, nil)
	cl := dial(b, addr, http2.Options{})
	q := encode(r)
	var one []byte
	for i := range 5 {
		cl.send(0, q)
		one = one[:0]
		for cl.c.Open() > 0 {
			n, err := cl.nc.Read(cl.buf)
			if err != nil {
				b.Fatal(err)
			}
			one = append(one, cl.buf[:n]...)
			out, err := cl.c.Parse(nil, cl.buf[:n], cl.done)
			if err != nil {
				b.Fatal(err)
			}
			cl.write(out)
		}
		if i == 0 {
			before = append(before, one...)
		}
	}
	for _, f := range frames(one) {
		if binary.BigEndian.Uint32(f[5:]) != 0 {
			answer = append(answer, f)
		}
	}
	return before, answer
}

func hello(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello, world") }

// BenchmarkRoundTrip sends one request and parses its answer per op. The answers are as net/http's
// server sends them: a HEADERS frame of four indexed fields, and a DATA frame.
func BenchmarkRoundTrip(b *testing.B) {
	for _, bm := range []struct {
		name    string
		r       *request.Request
		handler http.HandlerFunc
	}{
		{"hello", get("GET", "/hello"), hello},
		{"post=100", post("/", make([]byte, 100)), hello},
		{
			"body=64KiB", get("GET", "/"),
			func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 64<<10)) },
		},
	} {
		for _, open := range []int{1, 10, 100} {
			b.Run(bm.name+"/streams="+strconv.Itoa(open), func(b *testing.B) {
				before, answer := recorded(b, bm.r, bm.handler)
				var q http2.Request
				q.Fixed = true
				http2.NewEncoder(bm.r).Encode(&q, bm.r)
				c := http2.New(http2.Options{})
				answered := 0
				done := func(_, status int, _ int64, err error) {
					if status != 200 || err != nil {
						b.Fatalf("status %d, %v", status, err)
					}
					answered++
				}
				// The answers to a wave of requests, all in one piece; each gets its stream id.
				out, _ := c.Send(c.Preface(nil), 0, &q)
				out, err := c.Parse(out[:0], before, done)
				if err != nil || answered != 1 {
					b.Fatal(err, answered)
				}
				var in []byte
				var ids []int
				if n := open * len(bm.r.Body); n > 0 { // what the peer has read
					in = binary.BigEndian.AppendUint32(append(in, 0, 0, 4, 8, 0, 0, 0, 0, 0), uint32(n))
				}
				for i := range open {
					for _, f := range answer {
						ids = append(ids, len(in)+5, 2*i)
						in = append(in, f...)
					}
				}
				next, n := uint32(3), 0
				answered = 0
				b.ReportAllocs()
				for b.Loop() {
					if n++; n < open {
						continue
					}
					n = 0
					for i := 0; i < len(ids); i += 2 {
						binary.BigEndian.PutUint32(in[ids[i]:], next+uint32(ids[i+1]))
					}
					next += uint32(2 * open)
					out = out[:0]
					for tag := range open {
						out, _ = c.Send(out, tag, &q)
					}
					if out, err = c.Parse(out[:0], in, done); err != nil {
						b.Fatal(err)
					}
				}
				if want := b.N / open * open; answered != want || c.Open() != 0 {
					b.Errorf("%d answers of %d", answered, want)
				}
			})
		}
	}
}

// BenchmarkOtherAnswer parses one answer to HEAD per op. Its header differs from that of the
// previous answer, so that it must be decoded: indexed fields, as Go's server sends them, and
// literals with Huffman coding, as servers without a table send them.
func BenchmarkOtherAnswer(b *testing.B) {
	fields := [...][2]string{
		{":status", "200"},
		{"content-type", "text/plain; charset=utf-8"},
		{"date", "Mon, 20 Nov 2023 19:00:00 GMT"},
	}
	lengths := [...]string{"12", "345"}
	for _, table := range []uint32{4096, 0} {
		b.Run("table="+strconv.Itoa(int(table)), func(b *testing.B) {
			q := encode(get("HEAD", "/"))
			c := http2.New(http2.Options{})
			var in, block bytes.Buffer
			fr := xhttp2.NewFramer(&in, nil)
			enc := hpack.NewEncoder(&block)
			enc.SetMaxDynamicTableSize(table)
			_ = fr.WriteSettings()
			var answers [2][]byte
			answered := 0
			done := func(_, status int, _ int64, err error) {
				if status != 200 || err != nil {
					b.Fatalf("status %d, %v", status, err)
				}
				answered++
			}
			for i := range 6 { // the later ones are indexed
				block.Reset()
				for _, f := range fields {
					_ = enc.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]})
				}
				_ = enc.WriteField(hpack.HeaderField{Name: "content-length", Value: lengths[i%2]})
				_ = fr.WriteHeaders(xhttp2.HeadersFrameParam{
					StreamID: uint32(2*i + 1), EndHeaders: true, EndStream: true, BlockFragment: block.Bytes(),
				})
				_, _ = c.Send(nil, 0, q)
				if _, err := c.Parse(nil, in.Bytes(), done); err != nil {
					b.Fatal(err)
				}
				answers[i%2] = bytes.Clone(in.Bytes())
				in.Reset()
			}
			var out []byte
			var err error
			id := uint32(13)
			b.ReportAllocs()
			for b.Loop() {
				out, _ = c.Send(out[:0], 0, q)
				a := answers[id>>1&1]
				binary.BigEndian.PutUint32(a[5:], id)
				id += 2
				if out, err = c.Parse(out[:0], a, done); err != nil {
					b.Fatal(err)
				}
			}
			if answered != b.N+6 {
				b.Errorf("%d answers of %d", answered, b.N+6)
			}
		})
	}
}

// BenchmarkEncode encodes one request per op, as is done for those with variables.
func BenchmarkEncode(b *testing.B) {
	r := get("GET", "/items/17?q=x")
	r.Header = append(r.Header, request.Field{Name: "Accept", Value: "*/*"}, request.Field{
		Name: "Authorization", Value: "Bearer 0123456789abcdef",
	})
	other := *r
	other.Path = "/items/18?q=y"
	e := http2.NewEncoder(r, &other)
	var q http2.Request
	b.ReportAllocs()
	for b.Loop() {
		e.Encode(&q, r)
	}
}
