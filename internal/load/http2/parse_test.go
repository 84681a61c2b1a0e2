package http2

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	xhttp2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/whet-go/whet/internal/load/request"
)

// A peer writes frames as a server does, with x/net's writer.
type peer struct {
	buf bytes.Buffer
	*xhttp2.Framer
	hbuf bytes.Buffer
	enc  *hpack.Encoder
}

func newPeer() *peer {
	p := new(peer)
	p.Framer = xhttp2.NewFramer(&p.buf, nil)
	p.AllowIllegalWrites = true
	p.enc = hpack.NewEncoder(&p.hbuf)
	return p
}

// block encodes name, value, name, value …
func (p *peer) block(fields ...string) []byte {
	p.hbuf.Reset()
	for i := 0; i < len(fields); i += 2 {
		// A bytes.Buffer never fails.
		_ = p.enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	return bytes.Clone(p.hbuf.Bytes())
}

// head writes a whole header block in one frame.
func (p *peer) head(id uint32, end bool, fields ...string) {
	_ = p.WriteHeaders(xhttp2.HeadersFrameParam{
		StreamID: id, BlockFragment: p.block(fields...), EndHeaders: true, EndStream: end,
	})
}

func (p *peer) raw(typ byte, flags byte, id uint32, payload string) {
	_ = p.WriteRawFrame(xhttp2.FrameType(typ), xhttp2.Flags(flags), id, []byte(payload))
}

func (p *peer) data(id uint32, end bool, n int) { _ = p.WriteData(id, end, make([]byte, n)) }

type frameCase struct {
	name  string
	write func(p *peer)
	// For the requests of checkRequests: the reports other than "closed before the answer", by tag;
	// and the error of the connection.
	want string
	err  string
}

func frameCases() []frameCase {
	settings := func(p *peer) { _ = p.WriteSettings() }
	after := func(f func(p *peer)) func(p *peer) {
		return func(p *peer) { settings(p); f(p) }
	}
	long := strings.Repeat("v", 60_000)
	return []frameCase{
		{
			"an answer", after(func(p *peer) { p.head(1, false, ":status", "200", "content-length", "5"); p.data(1, true, 5) }),
			"0: status 200, 5 bytes, ok", "",
		},
		{"end in the header", after(func(p *peer) { p.head(1, true, ":status", "404") }), "0: status 404, 0 bytes, ok", ""},
		{
			"HEAD with content-length", after(func(p *peer) { p.head(3, true, ":status", "200", "content-length", "5") }),
			"1: status 200, 0 bytes, ok", "",
		},
		{
			"HEAD with content", after(func(p *peer) { p.head(3, false, ":status", "200"); p.data(3, true, 1) }),
			"1: status 200, 1 bytes, malformed", "",
		},
		{
			"204 with content", after(func(p *peer) { p.head(1, false, ":status", "204"); p.data(1, true, 1) }),
			"0: status 204, 1 bytes, malformed", "",
		},
		{
			"304 with content-length", after(func(p *peer) { p.head(1, true, ":status", "304", "content-length", "9") }),
			"0: status 304, 0 bytes, ok", "",
		},
		{
			"empty DATA at the end", after(func(p *peer) { p.head(1, false, ":status", "204"); p.data(1, true, 0) }),
			"0: status 204, 0 bytes, ok", "",
		},
		{"interim answers", after(func(p *peer) {
			p.head(1, false, ":status", "100")
			p.head(1, false, ":status", "103", "link", "</x>")
			p.head(1, true, ":status", "200")
		}), "0: status 200, 0 bytes, ok", ""},
		{"101", after(func(p *peer) { p.head(1, false, ":status", "101") }), "0: status 0, 0 bytes, malformed", ""},
		{
			"interim answer that ends", after(func(p *peer) { p.head(1, true, ":status", "100") }),
			"0: status 0, 0 bytes, malformed", "",
		},
		{"100 interim answers", after(func(p *peer) {
			for range 100 {
				p.head(1, false, ":status", "102")
			}
			p.head(1, true, ":status", "200")
		}), "0: status 200, 0 bytes, ok", ""},
		{"101 interim answers", after(func(p *peer) {
			for range 101 {
				p.head(1, false, ":status", "102")
			}
		}), "0: status 0, 0 bytes, malformed", ""},
		{"trailers", after(func(p *peer) {
			p.head(1, false, ":status", "200")
			p.data(1, false, 3)
			p.head(1, true, "sum",
				"42")
		}), "0: status 200, 3 bytes, ok", ""},
		{"trailers and short body", after(func(p *peer) {
			p.head(1, false, ":status", "200", "content-length", "4")
			p.data(1, false, 3)
			p.head(1, true, "sum", "42")
		}), "0: status 200, 3 bytes, malformed", ""},
		{
			"trailers without end", after(func(p *peer) { p.head(1, false, ":status", "200"); p.head(1, false, "sum", "42") }),
			"0: status 200, 0 bytes, malformed", "",
		},
		{
			"trailers with status",
			after(func(p *peer) { p.head(1, false, ":status", "200"); p.head(1, true, ":status", "200") }),
			"0: status 200, 0 bytes, malformed", "",
		},
		{"no status", after(func(p *peer) { p.head(1, true, "server", "x") }), "0: status 0, 0 bytes, malformed", ""},
		{
			"two statuses", after(func(p *peer) { p.head(1, true, ":status", "200", ":status", "200") }),
			"0: status 0, 0 bytes, malformed", "",
		},
		{
			"late status", after(func(p *peer) { p.head(1, true, "server", "x", ":status", "200") }),
			"0: status 0, 0 bytes, malformed", "",
		},
		{"bad statuses", after(func(p *peer) {
			for i, s := range []string{"20", "2000", "2x0", "099", "", "+20"} {
				p.head(uint32(2*i+1), true, ":status", s)
			}
		}), "0: status 0, 0 bytes, malformed|1: status 0, 0 bytes, malformed|2: status 0, 0 bytes, malformed|3: status 0, " +
			"0 bytes, malformed|4: status 0, 0 bytes, malformed|5: status 0, 0 bytes, malformed", ""},
		{
			"pseudo-header field of requests", after(func(p *peer) { p.head(1, true, ":status", "200", ":path", "/") }),
			"0: status 0, 0 bytes, malformed", "",
		},
		{"bad fields", after(func(p *peer) {
			for i, f := range [][2]string{
				{"Upper", "x"},
				{"", "x"},
				{"a b", "x"},
				{"x", "a\nb"},
				{"x", "\x00"},
				{"connection", "close"},
			} {
				p.head(uint32(2*i+1), true, ":status", "200", f[0], f[1])
			}
		}), "0: status 0, 0 bytes, malformed|1: status 0, 0 bytes, malformed|2: status 0, 0 bytes, malformed|3: status 0, " +
			"0 bytes, malformed|4: status 0, 0 bytes, malformed|5: status 0, 0 bytes, malformed", ""},
		{"good fields", after(func(p *peer) {
			p.head(1, true, ":status", "200", "x!#$%&'*+.^_`|~-09", "a\tb \xff", "te",
				"x")
		}), "0: status 200, 0 bytes, ok", ""},
		{"content-lengths", after(func(p *peer) {
			for i, f := range []string{"+1", "1,1", "-1", "9223372036854775808", ""} {
				p.head(uint32(2*i+1), true, ":status", "204", "content-length", f)
			}
			p.head(11, true, ":status", "200", "content-length", "0", "content-length", "0")
		}), "0: status 0, 0 bytes, malformed|1: status 0, 0 bytes, malformed|2: status 0, 0 bytes, malformed|3: status 0, " +
			"0 bytes, malformed|4: status 0, 0 bytes, malformed|5: status 200, 0 bytes, ok", ""},
		{
			"content-lengths that differ",
			after(func(p *peer) { p.head(1, false, ":status", "200", "content-length", "0", "content-length", "1") }),
			"0: status 0, 0 bytes, malformed", "",
		},
		{
			"body too long", after(
				func(p *peer) { p.head(1, false, ":status", "200", "content-length", "5"); p.data(1, false, 6) }),
			"0: status 200, 6 bytes, malformed", "",
		},
		{"DATA first", after(func(p *peer) { p.data(1, false, 6) }), "0: status 0, 0 bytes, malformed", ""},
		{"frames after the end", after(func(p *peer) {
			p.head(1, true, ":status", "200")
			p.data(1, true, 10)
			p.head(1, true, "x-new", "in the table")
			_ = p.WriteRSTStream(1, 2)
			_ = p.WriteWindowUpdate(1, 1<<30)
			_ = p.WriteWindowUpdate(1, 1<<30)
			p.head(3, true, ":status", "200", "x-new", "in the table")
		}), "0: status 200, 0 bytes, ok|1: status 200, 0 bytes, ok", ""},
		{"resets", after(func(p *peer) {
			_ = p.WriteRSTStream(1, xhttp2.ErrCodeEnhanceYourCalm)
			_ = p.WriteRSTStream(3, 0)
			_ = p.WriteRSTStream(5, 99)
			p.head(7, false, ":status", "200")
			p.data(7, false, 10)
			_ = p.WriteRSTStream(7, 2)
		}), "0: status 0, 0 bytes, reset ENHANCE_YOUR_CALM|1: status 0, 0 bytes, reset NO_ERROR|2: status 0, 0 bytes, " +
			"reset 0x63|3: status 200, 10 bytes, reset INTERNAL_ERROR", ""},
		{"GOAWAY", after(func(p *peer) {
			_ = p.WriteGoAway(1<<31-1, 0, nil)
			_ = p.WriteGoAway(3, 0, nil)
			_ = p.WriteGoAway(7, 0, nil) // must not go up: ignored
			p.head(3, true, ":status", "200")
		}), "2: status 0, 0 bytes, request refused unprocessed|3: status 0, 0 bytes, request refused unprocessed|4: " +
			"status 0, 0 bytes, request refused unprocessed|5: status 0, 0 bytes, request refused unprocessed|1: " +
			"status 200, 0 bytes, ok", ""},
		{"GOAWAY with an error", after(func(p *peer) {
			_ = p.WriteGoAway(3, xhttp2.ErrCodeEnhanceYourCalm, []byte("too_many_pings"+long[:1000]))
			p.head(3, true, ":status", "200")
		}), "2: status 0, 0 bytes, request refused unprocessed|3: status 0, 0 bytes, request refused unprocessed|4: " +
			"status 0, 0 bytes, request refused unprocessed|5: status 0, 0 bytes, request refused unprocessed|1: status 200, " +
			"0 bytes, ok|0: status 0, 0 bytes, goaway ENHANCE_YOUR_CALM too_many_pings" + long[:86], ""},
		{"CONTINUATION, padding, priority", after(func(p *peer) {
			b := p.block(":status", "200", "x-long", long[:100])
			_ = p.WriteHeaders(xhttp2.HeadersFrameParam{
				StreamID: 1, BlockFragment: b[:1], PadLength: 200, Priority: xhttp2.PriorityParam{StreamDep: 3, Weight: 7},
			})
			_ = p.WriteContinuation(1, false, nil)
			_ = p.WriteContinuation(1, false, b[1:2])
			_ = p.WriteContinuation(1, true, b[2:])
			_ = p.WriteDataPadded(1, false, make([]byte, 10), make([]byte, 255))
			_ = p.WritePriority(1, xhttp2.PriorityParam{StreamDep: 3})
			_ = p.WriteDataPadded(1, true, nil, make([]byte, 1))
		}), "0: status 200, 10 bytes, ok", ""},
		{"unknown frames", after(func(p *peer) {
			p.raw(0xfa, 0xff, 77, "unknown")
			p.raw(0x10, 0, 0, "PRIORITY_UPDATE")
			p.raw(0x0a, 0xff, 1, "")
			p.head(1, true, ":status", "200")
		}), "0: status 200, 0 bytes, ok", ""},
		{"settings, pings, window updates", after(func(p *peer) {
			_ = p.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize, Val: 10}, xhttp2.Setting{ID: 0xff, Val: 1},
				xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize, Val: 70_000}, xhttp2.Setting{
					ID: xhttp2.SettingMaxFrameSize, Val: 1<<24 - 1,
				})
			_ = p.WriteSettingsAck()
			_ = p.WritePing(false, [8]byte{1, 2, 3})
			_ = p.WritePing(true, [8]byte{4})
			_ = p.WriteWindowUpdate(0, 1000)
			_ = p.WriteWindowUpdate(5, 50_000)
			_ = p.WriteWindowUpdate(0, 100_000)
			p.head(5, true, ":status", "200")
		}), "2: status 200, 0 bytes, ok", ""},
		{"answer before the body is sent", after(func(p *peer) {
			p.head(5, true, ":status", "413")
			_ = p.WriteWindowUpdate(0, 100_000)
		}), "2: status 413, 0 bytes, ok", ""},
		{
			"no settings", func(p *peer) { p.head(1, true, ":status", "200") }, "",
			"http/2 PROTOCOL_ERROR: the first frame is not SETTINGS",
		},
		{
			"settings: acknowledgment first", func(p *peer) { _ = p.WriteSettingsAck() }, "",
			"http/2 PROTOCOL_ERROR: the first frame is not SETTINGS",
		},
		{
			"HTTP/1", func(p *peer) { p.buf.WriteString("HTTP/1.1 400 Bad Request\r\n\r\n") }, "",
			"http/2 PROTOCOL_ERROR: the peer speaks HTTP/1",
		},
		{
			"something else", func(p *peer) { p.buf.WriteString("220 mail.example ESMTP\r\n") }, "",
			"http/2 FRAME_SIZE_ERROR: frame of 3289648 bytes",
		},
		{
			"frame too large", after(func(p *peer) { p.raw(0xfa, 0, 0, strings.Repeat("x", 16385)) }), "",
			"http/2 FRAME_SIZE_ERROR: frame of 16385 bytes",
		},
		{"large frame", after(func(p *peer) {
			p.raw(0xfa, 0, 0, strings.Repeat("x", 16384))
			p.head(1, true, ":status",
				"200")
		}), "0: status 200, 0 bytes, ok", ""},
		{
			"HEADERS on stream 0", after(func(p *peer) { p.head(0, true, ":status", "200") }), "",
			"http/2 PROTOCOL_ERROR: frame of type 1 on stream 0",
		},
		{
			"HEADERS on an even stream", after(func(p *peer) { p.head(2, true, ":status", "200") }), "",
			"http/2 PROTOCOL_ERROR: frame of type 1 on stream 2, which was not opened",
		},
		{
			"DATA on an idle stream", after(func(p *peer) { p.data(13, true, 1) }), "",
			"http/2 PROTOCOL_ERROR: frame of type 0 on stream 13, which was not opened",
		},
		{
			"RST_STREAM on an idle stream", after(func(p *peer) { _ = p.WriteRSTStream(13, 0) }), "",
			"http/2 PROTOCOL_ERROR: frame of type 3 on stream 13, which was not opened",
		},
		{
			"WINDOW_UPDATE on an idle stream", after(func(p *peer) { _ = p.WriteWindowUpdate(13, 5) }), "",
			"http/2 PROTOCOL_ERROR: frame of type 8 on stream 13, which was not opened",
		},
		{
			"SETTINGS on a stream", after(func(p *peer) { p.raw(4, 0, 1, "") }), "",
			"http/2 PROTOCOL_ERROR: frame of type 4 on stream 1",
		},
		{
			"sizes: SETTINGS", after(func(p *peer) { p.raw(4, 0, 0, "12345") }), "",
			"http/2 FRAME_SIZE_ERROR: SETTINGS of 5 bytes",
		},
		{
			"sizes: acknowledgment", after(func(p *peer) { p.raw(4, 1, 0, "123456") }), "",
			"http/2 FRAME_SIZE_ERROR: SETTINGS of 6 bytes",
		},
		{
			"sizes: PING", after(func(p *peer) { p.raw(6, 0, 0, "1234567") }), "",
			"http/2 FRAME_SIZE_ERROR: frame of type 6 of 7 bytes",
		},
		{
			"sizes: RST_STREAM", after(func(p *peer) { p.raw(3, 0, 1, "12345") }), "",
			"http/2 FRAME_SIZE_ERROR: frame of type 3 of 5 bytes",
		},
		{
			"sizes: WINDOW_UPDATE", after(func(p *peer) { p.raw(8, 0, 0, "123") }), "",
			"http/2 FRAME_SIZE_ERROR: frame of type 8 of 3 bytes",
		},
		{
			"sizes: PRIORITY", after(func(p *peer) { p.raw(2, 0, 1, "123") }), "",
			"http/2 FRAME_SIZE_ERROR: frame of type 2 of 3 bytes",
		},
		{
			"sizes: GOAWAY", after(func(p *peer) { p.raw(7, 0, 0, "1234567") }), "",
			"http/2 FRAME_SIZE_ERROR: GOAWAY of 7 bytes",
		},
		{
			"sizes: HEADERS with priority", after(func(p *peer) { p.raw(1, flagPriority|flagEndHeaders, 1, "1234") }), "",
			"http/2 FRAME_SIZE_ERROR: HEADERS frame too short for its priority",
		},
		{
			"sizes: padded HEADERS", after(func(p *peer) { p.raw(1, flagPadded|flagEndHeaders, 1, "") }), "",
			"http/2 FRAME_SIZE_ERROR: padded HEADERS frame without bytes",
		},
		{
			"sizes: padded DATA", after(func(p *peer) { p.raw(0, flagPadded, 1, "") }), "",
			"http/2 FRAME_SIZE_ERROR: padded DATA frame without bytes",
		},
		{
			"padding of HEADERS", after(func(p *peer) { p.raw(1, flagPadded|flagEndHeaders, 1, "\x02a") }), "",
			"http/2 PROTOCOL_ERROR: padding longer than its HEADERS frame",
		},
		{
			"padding of DATA", after(func(p *peer) { p.raw(0, flagPadded, 1, "\x02a") }), "",
			"http/2 PROTOCOL_ERROR: padding longer than its DATA frame",
		},
		{
			"PUSH_PROMISE", after(func(p *peer) { p.raw(5, flagEndHeaders, 1, "\x00\x00\x00\x02\x88") }), "",
			"http/2 PROTOCOL_ERROR: PUSH_PROMISE though push is off",
		},
		{
			"ENABLE_PUSH", after(func(p *peer) { _ = p.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingEnablePush, Val: 1}) }),
			"", "http/2 PROTOCOL_ERROR: ENABLE_PUSH of 1 from a server",
		},
		{
			"MAX_FRAME_SIZE", after(
				func(p *peer) { _ = p.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingMaxFrameSize, Val: 16383}) }), "",
			"http/2 PROTOCOL_ERROR: MAX_FRAME_SIZE of 16383",
		},
		{"INITIAL_WINDOW_SIZE", after(func(p *peer) {
			_ = p.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize, Val: 1 << 31})
		}), "", "http/2 FLOW_CONTROL_ERROR: INITIAL_WINDOW_SIZE of 2147483648"},
		{"INITIAL_WINDOW_SIZE on top of updates", after(func(p *peer) {
			_ = p.WriteWindowUpdate(1, 1)
			_ = p.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize, Val: 1<<31 - 1})
		}), "", "http/2 FLOW_CONTROL_ERROR: INITIAL_WINDOW_SIZE makes the window of stream 1 too large"},
		{
			"WINDOW_UPDATE of 0", after(func(p *peer) { p.raw(8, 0, 0, "\x80\x00\x00\x00") }), "",
			"http/2 PROTOCOL_ERROR: WINDOW_UPDATE of 0",
		},
		{
			"WINDOW_UPDATE of 0 on a stream",
			after(func(p *peer) { p.raw(8, 0, 1, "\x80\x00\x00\x00"); p.raw(8, 0, 1, "\x80\x00\x00\x00") }),
			"0: status 0, 0 bytes, malformed", "",
		},
		{
			"WINDOW_UPDATE too large",
			after(func(p *peer) { p.raw(8, 0, 0, "\x7f\xff\xff\xff"); p.raw(8, 0, 0, "\x00\x01\x00\x00") }), "",
			"http/2 FLOW_CONTROL_ERROR: window of the connection too large",
		},
		{
			"WINDOW_UPDATE too large on a stream", after(func(p *peer) { p.raw(8, 0, 1, "\x7f\xff\xff\xff") }),
			"0: status 0, 0 bytes, malformed", "",
		},
		{
			"CONTINUATION alone", after(func(p *peer) { p.raw(9, 4, 1, "\x88") }), "",
			"http/2 PROTOCOL_ERROR: CONTINUATION expected and not there, or the other way round",
		},
		{
			"CONTINUATION missing", after(func(p *peer) { p.raw(1, 0, 1, "\x88"); _ = p.WriteSettingsAck() }), "",
			"http/2 PROTOCOL_ERROR: CONTINUATION expected and not there, or the other way round",
		},
		{
			"CONTINUATION of another", after(func(p *peer) { p.raw(1, 0, 1, "\x88"); p.raw(9, 4, 3, "") }), "",
			"http/2 PROTOCOL_ERROR: CONTINUATION expected and not there, or the other way round",
		},
		{
			"CONTINUATION interrupted by an unknown frame",
			after(func(p *peer) { p.raw(1, 0, 1, "\x88"); p.raw(0xfa, 4, 1, "") }), "",
			"http/2 PROTOCOL_ERROR: CONTINUATION expected and not there, or the other way round",
		},
		{
			"HPACK: no such index", after(func(p *peer) { p.raw(1, 5, 1, "\x88\xbf") }), "",
			"http/2 COMPRESSION_ERROR: decoding error: invalid indexed representation index 63",
		},
		{
			"HPACK: cut off", after(func(p *peer) { p.raw(1, 5, 1, "\x88\x40\x05ab") }), "",
			"http/2 COMPRESSION_ERROR: decoding error: truncated headers",
		},
		{
			"HPACK: table too large", after(func(p *peer) { p.raw(1, 5, 1, "\x3f\xe2\x1f\x88") }), "",
			"http/2 COMPRESSION_ERROR: decoding error: dynamic table size update too large",
		},
		{
			"HPACK: after the stream has ended", after(func(p *peer) { _ = p.WriteRSTStream(1, 8); p.raw(1, 5, 1, "\xbf") }),
			"0: status 0, 0 bytes, reset CANCEL",
			"http/2 COMPRESSION_ERROR: decoding error: invalid indexed representation index 63",
		},
		{"stream window", after(func(p *peer) {
			p.head(1, false, ":status", "200")
			p.data(1, false, 16384)
			p.data(1, false, 16384) // window updated
			p.data(1, false, 16384)
			p.data(1, false, 16384)
			p.data(1, true, 16384)
		}), "0: status 200, 81920 bytes, ok", ""},
		{"stream window exceeded", after(func(p *peer) {
			p.head(1, false, ":status", "200")
			p.data(1, false, 9999)
			p.data(1, true, 10_002)
			p.head(5, false, ":status", "200")
			p.data(5, false, 9999)
			p.data(5, true, 10_002)
		}), "0: status 200, 9999 bytes, malformed|2: status 200, 9999 bytes, malformed", ""},
		{"padding counts for the window", after(func(p *peer) {
			p.head(1, false, ":status", "200")
			for range 39 {
				_ = p.WriteDataPadded(1, false, nil, make([]byte, 255))
			}
			_ = p.WriteData(1, true, make([]byte, 10_017))
		}), "0: status 200, 0 bytes, malformed", ""},
		{"same block, table changed between", after(func(p *peer) {
			p.raw(1, 5, 1, "\x40\x07:status\x03201\x5c\x010") // index 62 is content-length: 0, 63 is :status 201
			p.raw(1, 5, 3, "\xbf\xbe")
			p.raw(1, 5, 5, "\xbf\xbe")
			p.raw(1, 5, 7, "\x48\x03203\x40\x01x\x01y") // now 62 is x: y, 63 is :status 203
			p.raw(1, 5, 9, "\xbf\xbe")
			p.raw(1, 5, 11, "\xbf\xbe")
		}), "0: status 201, 0 bytes, ok|1: status 201, 0 bytes, ok|2: status 201, 0 bytes, ok|3: status 203, 0 bytes, " +
			"ok|4: status 203, 0 bytes, ok|5: status 203, 0 bytes, ok", ""},
		{
			"same block, table emptied between", after(func(p *peer) {
				p.raw(1, 5, 1, "\x48\x03201")
				p.raw(1, 5, 3, "\xbe")
				p.raw(1, 5, 5, "\x20\x88")
				p.raw(1, 5, 7, "\xbe")
			}), "0: status 201, 0 bytes, ok|1: status 201, 0 bytes, ok|2: status 200, 0 bytes, ok",
			"http/2 COMPRESSION_ERROR: decoding error: invalid indexed representation index 62",
		},
		{"long header", after(func(p *peer) {
			b := p.block(":status", "200", "x-long", long)
			_ = p.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: b[:16384], EndStream: true})
			for b = b[16384:]; len(b) > 16384; b = b[16384:] {
				_ = p.WriteContinuation(1, false, b[:16384])
			}
			_ = p.WriteContinuation(1, true, b)
			p.head(3, true, ":status", "200", "x-long", long[:100])
		}), "0: status 200, 0 bytes, ok|1: status 200, 0 bytes, ok", ""},
	}
}

// TestFrames feeds every case in two pieces divided at each byte, and in many pieces of one size,
// and compares with the expectation and the model.
func TestFrames(t *testing.T) {
	for _, tt := range frameCases() {
		t.Run(tt.name, func(t *testing.T) {
			p := newPeer()
			tt.write(p)
			in := p.buf.Bytes()
			reports, _, err := feed(t, in, nil)
			var got []string
			for _, r := range reports {
				if !strings.HasSuffix(r, ErrClosed.Error()) && !strings.HasSuffix(r, ", connection") {
					got = append(got, r)
				}
			}
			text := ""
			if err != nil {
				text = err.Error()
			}
			if g := strings.Join(got, "|"); g != tt.want || text != tt.err {
				t.Errorf("reports %s\nwant    %s\nerror %s\nwant  %s", g, tt.want, text, tt.err)
			}
			check(t, in, []byte{0})
			check(t, in, []byte{6})
			for cut := range min(len(in), 256) {
				check(t, in, []byte{byte(cut), 255})
			}
		})
	}
}

// TestHeaderLimits checks that a header list of more than 1 MiB fails its stream, and that only a
// block of more than 2 MiB fails the connection.
func TestHeaderLimits(t *testing.T) {
	run := func(write func(p *peer)) ([]string, error) {
		p := newPeer()
		_ = p.WriteSettings()
		write(p)
		reports, _, err := feed(t, p.buf.Bytes(), nil)
		check(t, p.buf.Bytes(), []byte{200})
		return reports, err
	}
	block := func(p *peer, b []byte) {
		_ = p.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: b[:1]})
		for b = b[1:]; len(b) > 10_000; b = b[10_000:] {
			_ = p.WriteContinuation(1, false, b[:10_000])
		}
		_ = p.WriteContinuation(1, true, b)
		p.head(3, true, ":status", "200")
	}
	// 1 MiB less 1000 for the status and the overhead of each field
	for n, want := range map[int]string{
		(1<<20 - 1000): "0: status 0, 0 bytes, connection closed before the answer|1: status 200, 0 bytes, ok",
		1 << 20:        "0: status 0, 0 bytes, malformed|1: status 200, 0 bytes, ok",
	} {
		reports, err := run(func(p *peer) {
			fields := []string{":status", "100"}
			for i := 0; i < n; i += 100_000 {
				fields = append(fields, "x-"+strconv.Itoa(i), strings.Repeat("~", min(100_000, n-i)))
			}
			block(p, p.block(fields...))
		})
		got := map[string]bool{}
		for _, r := range reports {
			got[r] = true
		}
		for w := range strings.SplitSeq(want, "|") {
			if err != nil || !got[w] {
				t.Errorf("header of %d bytes: %v, %v, want %s", n, reports, err, w)
			}
		}
	}
	// A few bytes that expand to many.
	reports, err := run(func(p *peer) {
		b := p.block(":status", "200", "x", strings.Repeat("~", 4000))
		block(p, append(b, bytes.Repeat([]byte{0xbe}, 1000)...))
	})
	if err != nil || reports[0] != "0: status 0, 0 bytes, malformed" || reports[1] != "1: status 200, 0 bytes, ok" {
		t.Errorf("header of many references: %v, %v", reports, err)
	}
	// A block without end.
	c := New(Options{})
	var q Request
	NewEncoder().Encode(&q, checkRequests[0])
	_, _ = c.Send(nil, 0, &q)
	p := newPeer()
	_ = p.WriteSettings()
	_ = p.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0x88}})
	_, err = c.Parse(nil, p.buf.Bytes(), nil)
	p.buf.Reset()
	_ = p.WriteContinuation(1, false, make([]byte, 10_000))
	n := 0
	for ; err == nil && n < 1000; n++ {
		_, err = c.Parse(nil, p.buf.Bytes(), nil)
	}
	var ce *ConnError
	if !errors.As(err, &ce) || ce.Code != enhanceYourCalm || n*10_000 > DefaultMaxBlock+10_000 {
		t.Errorf("block without end: %v after %d frames", err, n)
	}
}

// TestConnWindow checks that the connection's window is enforced, too.
func TestConnWindow(t *testing.T) {
	c := New(Options{ConnWindow: 100_000, StreamWindow: 1 << 20})
	var q Request
	NewEncoder().Encode(&q, checkRequests[0])
	_, _ = c.Send(nil, 0, &q)
	c.connIn = 10_000 // as if the peer had not seen the update
	p := newPeer()
	_ = p.WriteSettings()
	p.head(1, false, ":status", "200")
	p.data(1, false, 10_001)
	_, err := c.Parse(nil, p.buf.Bytes(), nil)
	var ce *ConnError
	if !errors.As(err, &ce) || ce.Code != flowControlError {
		t.Errorf("beyond the window: %v", err)
	}
}

// TestRefill checks that windows are refilled with few updates, whose sum is what was received.
func TestRefill(t *testing.T) {
	c := New(Options{})
	var q Request
	NewEncoder().Encode(&q, checkRequests[0])
	_, _ = c.Send(nil, 0, &q)
	p := newPeer()
	_ = p.WriteSettings()
	p.head(1, false, ":status", "200")
	out, err := c.Parse(nil, p.buf.Bytes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	p.buf.Reset()
	p.data(1, false, maxFrameSize)
	const total = 3 << 30
	updates := map[uint32]int{}
	given := map[uint32]int64{}
	for range total / maxFrameSize {
		if out, err = c.Parse(out[:0], p.buf.Bytes(), nil); err != nil {
			t.Fatal(err)
		}
		for ; len(out) > 0; out = out[headerSize+4:] {
			f := parseFrame(out)
			if f.typ != frameWindowUpdate {
				t.Fatalf("sent %x", out)
			}
			updates[f.id]++
			given[f.id] += int64(binary.BigEndian.Uint32(out[headerSize:]))
		}
	}
	if updates[0] != 6 || given[0] != total || updates[1] != 3*1024/8 || given[1] != total {
		t.Errorf("updates %v of %v", updates, given)
	}
}

// TestPeerTable checks that the next block acknowledges that the peer has shrunk its table.
func TestPeerTable(t *testing.T) {
	e := NewEncoder(checkRequests[5])
	var q, other Request
	var large Request
	long := requestField("long", strings.Repeat("l", 20_000))
	NewEncoder().Encode(&large, &request.Request{
		Method: "GET", Scheme: "http", Host: "a", Path: "/", Header: []request.Field{long},
	})
	e.Encode(&q, checkRequests[5])
	NewEncoder(checkRequests[1]).Encode(&other, checkRequests[1])
	for _, tt := range []struct {
		before int // requests sent before the SETTINGS
		sizes  []uint32
		large  bool // the next request is more than a frame
	}{
		{before: 0},
		{before: 1},
		{before: 0, sizes: []uint32{0}},
		{before: 1, sizes: []uint32{0}},
		{before: 1, sizes: []uint32{65536}},
		{before: 0, sizes: []uint32{100}},
		{before: 3, sizes: []uint32{100}},
		{before: 2, sizes: []uint32{0, 4096}},
		{before: 2, sizes: []uint32{4095}},
		{before: 2, sizes: []uint32{40}},
		{before: 1, sizes: []uint32{50}, large: true},
	} {
		c := New(Options{})
		var headers []string
		d := hpack.NewDecoder(4096, func(f hpack.HeaderField) { headers = append(headers, f.Name+"="+f.Value) })
		send := func(q *Request, want string) (resized bool) {
			t.Helper()
			out, err := c.Send(nil, 0, q)
			if err != nil {
				t.Fatal(err)
			}
			headers = headers[:0]
			resized = out[headerSize]>>5 == 1
			for err == nil && len(out) > 0 {
				n := headerSize + int(parseFrame(out).length)
				_, err = d.Write(out[headerSize:n])
				out = out[n:]
			}
			if cerr := d.Close(); err != nil || cerr != nil || strings.Join(headers, " ") != want {
				t.Errorf("%+v: %v, %v, %v, want %s", tt, headers, err, cerr, want)
			}
			return resized
		}
		const wantQ, wantOther = ":method=GET :scheme=http :authority=a :path=/last",
			":scheme=http :method=HEAD :authority=a :path=/head"
		for range tt.before {
			send(&q, wantQ)
		}
		smallest := uint32(4096)
		for _, v := range tt.sizes {
			p := newPeer()
			_ = p.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingHeaderTableSize, Val: v})
			if _, err := c.Parse(nil, p.buf.Bytes(), nil); err != nil {
				t.Fatal(err)
			}
			smallest = min(smallest, v)
		}
		d.SetAllowedMaxDynamicTableSize(smallest)
		next, want := &q, wantQ
		if tt.large {
			next, want = &large, ":method=GET :scheme=http :authority=a :path=/ long="+long.Value
		}
		if resized := send(next, want); resized != (smallest < 4096) {
			t.Errorf("%+v: table resized: %v", tt, resized)
		}
		for range 2 {
			if send(&other, wantOther) || send(&q, wantQ) {
				t.Errorf("%+v: resized twice", tt)
			}
		}
	}
}

// TestCommonFields checks that common fields cost one byte each from the second request on.
func TestCommonFields(t *testing.T) {
	var q Request
	r := *checkRequests[5]
	for i := range 80 {
		r.Header = append(r.Header, requestField("X-Field-"+strconv.Itoa(i), "v"))
	}
	e := NewEncoder(&r)
	e.Encode(&q, &r)
	c := New(Options{})
	first, _ := c.Send(nil, 0, &q)
	again, _ := c.Send(nil, 1, &q)
	if len(e.common) != 82 || e.size > tableSize {
		t.Errorf("%d fields in common, %d bytes of table", len(e.common), e.size)
	}
	// :method and :scheme are static; indexes from 127 on need a byte more.
	if want := headerSize + 2 + 82 + (62 + 82 - 127); len(again) != want || len(first) < 10*len(e.common) {
		t.Errorf("first request %d bytes, second %d, want %d", len(first), len(again), want)
	}
	r.Header = append(r.Header, requestField("X-Huge", strings.Repeat("v", 5000)))
	if e := NewEncoder(&r); len(e.common) != 82 {
		t.Errorf("%d fields in common, the huge one among them?", len(e.common))
	}
}

// TestLastStream uses up the stream ids.
func TestLastStream(t *testing.T) {
	c := New(Options{})
	c.next = 1<<31 - 5
	var q Request
	NewEncoder().Encode(&q, checkRequests[0])
	for want := 3; want > 0; want-- {
		if got := c.Capacity(); got != want || c.Draining() {
			t.Fatalf("capacity %d, want %d; draining %v", got, want, c.Draining())
		}
		out, err := c.Send(nil, want, &q)
		if err != nil || parseFrame(out).id != 1<<31+1-2*uint32(want) {
			t.Fatalf("stream %d, %v", parseFrame(out).id, err)
		}
	}
	if _, err := c.Send(nil, 0, &q); !errors.Is(err, ErrCapacity) || !c.Draining() || c.Open() != 3 {
		t.Errorf("after the last stream: %v, draining %v, %d open", err, c.Draining(), c.Open())
	}
}

func TestErrors(t *testing.T) {
	if !errors.Is(ResetError{Code: refusedStream}, ErrRefused) || errors.Is(ResetError{Code: cancel}, ErrRefused) ||
		errors.Is(ResetError{Code: refusedStream}, io.EOF) {
		t.Error("only REFUSED_STREAM is ErrRefused")
	}
	for code := range Code(14) {
		if got, want := code.String(), xhttp2.ErrCode(code).String(); got != want {
			t.Errorf("code %d is %s, want %s", code, got, want)
		}
	}
	c := New(Options{})
	var q Request
	NewEncoder().Encode(&q, checkRequests[0])
	_, _ = c.Send(nil, 0, &q)
	cause := errors.New("connection reset by peer")
	var got error
	c.Close(cause, func(_, _ int, _ int64, err error) { got = err })
	if !errors.Is(got, cause) {
		t.Errorf("closed because of %v: %v", cause, got)
	}
}
