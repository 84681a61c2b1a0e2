package http2

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/http/httpguts"
	xhttp2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/whet-go/whet/internal/load/request"
)

func requestField(name, value string) request.Field { return request.Field{Name: name, Value: value} }

// FuzzParse parses any bytes in any pieces: no panic, bounded memory, results that do not depend on
// the pieces and agree with x/net.
func FuzzParse(f *testing.F) {
	for i, tt := range frameCases() {
		p := newPeer()
		tt.write(p)
		f.Add(p.buf.Bytes(), []byte{byte(i), 0, 40})
	}
	f.Fuzz(check)
}

// FuzzFrames parses frames written by x/net, most of them valid, as a script determines.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03"), []byte{0})
	f.Add([]byte("\x10\x21\x32\x43\x54\x65\x76\x87\x98\xa9\xba\xcb\xdc\xed\xfe\xff"), []byte{7, 100})
	f.Add(bytes.Repeat([]byte("\x20\x01\x33\x0b\x41\x02\x25"), 20), []byte{8})
	f.Fuzz(func(t *testing.T, script, pieces []byte) {
		p := newPeer()
		_ = p.WriteSettings()
		next := func() int {
			if len(script) == 0 {
				return 0
			}
			b := script[0]
			script = script[1:]
			return int(b)
		}
		statuses := [...]string{"200", "204", "304", "404", "100", "103", "101", "500"}
		names := [...]string{"server", "date", "etag", "x-a", "x-b", "set-cookie", "te", "vary"}
		for range 200 {
			if len(script) == 0 {
				break
			}
			op, arg := next(), next()
			id := uint32(2*(op>>4%7) + 1)
			end := arg&1 != 0
			switch op & 15 {
			case 0, 1, 2, 3: // an answer
				fields := []string{":status", statuses[arg>>1&7]}
				if arg&16 != 0 {
					fields = append(fields, "content-length", strconv.Itoa(next()))
				}
				for range arg >> 5 {
					n := next()
					fields = append(fields, names[n&7], strings.Repeat("v", n>>3))
				}
				p.head(id, end, fields...)
			case 4, 5, 6:
				p.data(id, end, arg*next()%maxFrameSize)
			case 7:
				_ = p.WriteDataPadded(id, end, make([]byte, arg), make([]byte, next()))
			case 8: // trailers
				p.head(id, arg < 250, names[arg&7], "t")
			case 9: // in pieces
				b := p.block(":status", statuses[arg>>1&7], "x-piece", strings.Repeat("p", next()))
				n := next() % len(b)
				_ = p.WriteHeaders(xhttp2.HeadersFrameParam{
					StreamID: id, BlockFragment: b[:n], EndStream: end, PadLength: byte(next()),
				})
				_ = p.WriteContinuation(id, arg&64 != 0, b[n:])
				if arg&64 == 0 {
					_ = p.WriteContinuation(id, true, nil)
				}
			case 10:
				_ = p.WriteRSTStream(id, xhttp2.ErrCode(arg))
			case 11:
				_ = p.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize, Val: uint32(arg * 1000)}, xhttp2.Setting{
					ID: xhttp2.SettingMaxFrameSize, Val: maxFrameSize + uint32(next()),
				})
			case 12:
				_ = p.WriteWindowUpdate(id*uint32(arg&1), uint32(1+next()*next()))
			case 13:
				_ = p.WriteGoAway(id, xhttp2.ErrCode(arg%3), []byte("debug"))
			case 14:
				_ = p.WritePing(end, [8]byte{byte(arg)})
			case 15:
				p.enc.SetMaxDynamicTableSize(uint32(arg * 16))
			}
		}
		check(t, p.buf.Bytes(), pieces)
	})
}

// FuzzEncode checks that x/net's HPACK reads back the same request, whatever fields are common.
func FuzzEncode(f *testing.F) {
	f.Add("GET", "example.com", "/p?q", "User-Agent", "whet-load", "X-A", "1", "x-a", "2", 0, uint8(0))
	f.Add("POST", "h", "/", "TE", "trailers", "Connection", "close", "Host", "x", 10, uint8(3))
	f.Add("PUT", "", "", "cookie", strings.Repeat("c", 300), "Cookie", "", "Accept-Encoding",
		"gzip, deflate", 40_000, uint8(6))
	f.Fuzz(func(t *testing.T, method, host, path, n1, v1, n2, v2, n3, v3 string, body int, mode uint8) {
		for _, name := range []string{n1, n2, n3} {
			if !httpguts.ValidHeaderFieldName(name) {
				t.Skip("package request does not make such fields")
			}
		}
		r := &request.Request{
			Method: method, Scheme: "https", Host: host, Path: path, Header: []request.Field{
				requestField(n1, v1),
				requestField(n2, v2), requestField(n3, v3),
			}, Body: make([]byte, max(0, body%50_000)),
		}
		sample := *r
		if mode&1 != 0 {
			sample.Header = sample.Header[:2]
		}
		if mode&2 != 0 {
			sample.Path = "/other"
		}
		samples := [][]*request.Request{nil, {r}, {&sample}, {r, &sample}}[mode>>2&3]
		e := NewEncoder(samples...)
		var q Request
		want := wantFields(r)
		c := New(Options{})
		d := hpack.NewDecoder(4096, nil)
		for range 3 {
			e.Encode(&q, r)
			out, err := c.Send(nil, 0, &q)
			if err != nil {
				t.Fatal(err)
			}
			var block []byte
			for end := false; !end; {
				f := parseFrame(out)
				block = append(block, out[headerSize:headerSize+f.length]...)
				out = out[headerSize+f.length:]
				if end = f.flags&flagEndHeaders != 0; f.typ == frameHeaders && (f.flags&flagEndStream != 0) != (len(r.Body) == 0) {
					t.Fatalf("flags %x with a body of %d bytes", f.flags, len(r.Body))
				}
			}
			if len(out) != 0 {
				t.Fatalf("%d bytes after the header before the peer's SETTINGS", len(out))
			}
			got, err := d.DecodeFull(block)
			if err != nil {
				t.Fatal(err)
			}
			compareFields(t, got, want)
		}
	})
}

// wantFields returns the fields of a request by name, with their values in order.
func wantFields(r *request.Request) map[string][]string {
	want := map[string][]string{":method": {r.Method}, ":scheme": {r.Scheme}, ":authority": {r.Host}, ":path": {r.Path}}
	if r.Method == "" {
		want[":method"] = []string{"GET"}
	}
	if r.Path == "" {
		want[":path"] = []string{"/"}
	}
	for _, f := range r.Header {
		name := lowerASCII(f.Name)
		switch name {
		case "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "host", "content-length":
			continue
		case "te":
			if !strings.EqualFold(f.Value, "trailers") {
				continue
			}
		}
		want[name] = append(want[name], f.Value)
	}
	if len(r.Body) > 0 || r.Method == "POST" || r.Method == "PUT" || r.Method == "PATCH" {
		want["content-length"] = append(want["content-length"], strconv.Itoa(len(r.Body)))
	}
	return want
}

func lowerASCII(s string) string {
	b := []byte(s)
	for i := range b {
		if 'A' <= b[i] && b[i] <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}

func compareFields(t *testing.T, got []hpack.HeaderField, want map[string][]string) {
	t.Helper()
	regular, n := false, 0
	for _, f := range got {
		if pseudo := strings.HasPrefix(f.Name, ":"); pseudo && regular {
			t.Fatalf("%v after regular fields: %v", f, got)
		} else if !pseudo {
			regular = true
		}
		values := want[f.Name]
		if len(values) == 0 || values[0] != f.Value {
			t.Fatalf("field %v, want %q: %v", f, values, got)
		}
		want[f.Name] = append(values[1:len(values):len(values)], f.Value) // for the next time
		n++
	}
	total := 0
	for _, v := range want {
		total += len(v)
	}
	if n != total {
		t.Fatalf("%d fields, want %d: %v, %v", n, total, got, want)
	}
}
