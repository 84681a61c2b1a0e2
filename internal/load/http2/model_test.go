package http2

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	xhttp2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"golang.org/x/net/http/httpguts"

	"github.com/whet-go/whet/internal/load/request"
)

// A model is a simple client around golang.org/x/net/http2's reader of frames and HPACK. It
// determines what a Conn must report.
type model struct {
	conf       Options
	next       uint32
	streams    map[uint32]*modelStream
	decoder    *hpack.Decoder
	settings   int // frames
	pings      []string
	window     int64 // initial, of streams, as the peer set it
	connOut    int64
	data       int64 // bytes of bodies sent
	connIn     int64
	late       int64 // bytes of DATA that may come for streams that have ended
	maxFrame   uint32
	lastStream uint32
	away       *GoAwayError
	end        bool
	block      []byte
	reports    []string
	failed     bool
	resets     []string         // that are sent
	granted    map[uint32]int64 // the sums of the WINDOW_UPDATEs that are sent
}

type modelStream struct {
	tag     int
	head    bool
	status  int
	length  int64
	body    int64
	interim int
	recv    int64
	send    int64
	left    int64 // of the request's body
}

func report(tag, status int, body int64, err error) string {
	var reset ResetError
	var m *MalformedError
	var c *ConnError
	var g *GoAwayError
	text := "ok"
	switch {
	case errors.As(err, &reset):
		text = "reset " + reset.Code.String()
	case errors.As(err, &m):
		text = "malformed"
	case errors.As(err, &c):
		text = "connection"
	case errors.As(err, &g):
		text = "goaway " + g.Code.String() + " " + g.Debug
	case err != nil:
		text = err.Error()
	}
	return fmt.Sprintf("%d: status %d, %d bytes, %s", tag, status, body, text)
}

func (m *model) finish(id uint32, err error) {
	s := m.streams[id]
	delete(m.streams, id)
	m.reports = append(m.reports, report(s.tag, s.status, s.body, err))
}

// bad finishes an open stream whose answer is malformed. ended is set if the peer has ended it.
func (m *model) bad(id uint32, ended bool, code Code) {
	if !ended || m.streams[id].left > 0 {
		m.reset(id, code)
	}
	if !ended {
		m.late += max(m.streams[id].recv, 0)
	}
	m.finish(id, &MalformedError{})
}

func (m *model) reset(id uint32, code Code) {
	m.resets = append(m.resets, fmt.Sprint(id, " ", code))
}

// open returns the ids of the open streams above last, in order.
func (m *model) open(last uint32) []uint32 {
	var ids []uint32
	for id := range m.streams {
		if id > last {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// run reads whole frames.
func (m *model) run(in []byte) {
	in = slices.Clone(in)
	for off := 0; len(in)-off >= headerSize; {
		f := parseFrame(in[off:])
		if f.typ == 0x10 {
			in[off+3] = 0xee // x/net knows PRIORITY_UPDATE, which RFC 9113 does not
		}
		off += headerSize + int(f.length)
	}
	r := bytes.NewReader(in)
	fr := xhttp2.NewFramer(io.Discard, r)
	fr.SetMaxReadFrameSize(maxFrameSize)
	for !m.failed {
		at := len(in) - r.Len()
		f, err := fr.ReadFrame()
		if errors.Is(err, io.EOF) {
			break
		}
		var se xhttp2.StreamError
		if errors.As(err, &se) && m.settings > 0 {
			// A WINDOW_UPDATE of 0, or HEADERS with too much padding, which in RFC 9113
			// is an error of the connection.
			if m.idle(se.StreamID) || in[at+3] != frameWindowUpdate {
				m.failed = true
			} else if m.streams[se.StreamID] != nil {
				m.bad(se.StreamID, false, protocolError)
			}
			continue
		}
		if err != nil {
			m.failed = true
			break
		}
		m.frame(f)
	}
	err := error(nil)
	switch {
	case m.failed:
		err = &ConnError{}
	case m.away != nil:
		err = m.away
	}
	for _, id := range m.open(0) {
		switch {
		case err != nil:
			m.finish(id, err)
		case m.streams[id].status != 0:
			m.finish(id, io.ErrUnexpectedEOF)
		default:
			m.finish(id, ErrClosed)
		}
	}
}

// idle reports whether the stream has never been opened.
func (m *model) idle(id uint32) bool { return id%2 == 0 || id >= m.next }

// send sends bodies as far as the windows allow.
func (m *model) send(ids ...uint32) {
	for _, id := range ids {
		if s := m.streams[id]; s != nil && m.settings > 0 {
			n := max(0, min(s.left, s.send, m.connOut))
			s.left -= n
			s.send -= n
			m.connOut -= n
			m.data += n
		}
	}
}

func (m *model) frame(f xhttp2.Frame) {
	h := f.Header()
	s := m.streams[h.StreamID]
	idle := m.idle(h.StreamID)
	if sf, ok := f.(*xhttp2.SettingsFrame); m.settings == 0 && (!ok || sf.IsAck()) {
		m.failed = true
		return
	}
	switch f := f.(type) {
	case *xhttp2.SettingsFrame:
		m.setup(f)
	case *xhttp2.PingFrame:
		if !f.IsAck() {
			m.pings = append(m.pings, string(f.Data[:]))
		}
	case *xhttp2.GoAwayFrame:
		m.lastStream = min(m.lastStream, f.LastStreamID)
		if f.ErrCode != 0 {
			debug := f.DebugData()
			m.away = &GoAwayError{Code: Code(f.ErrCode), Debug: string(debug[:min(len(debug), maxDebug)])}
		}
		for _, id := range m.open(m.lastStream) {
			m.finish(id, ErrRefused)
		}
	case *xhttp2.RSTStreamFrame:
		if m.failed = idle; s != nil && !idle {
			m.finish(h.StreamID, ResetError{Code: Code(f.ErrCode)})
		}
	case *xhttp2.WindowUpdateFrame:
		switch {
		case h.StreamID == 0:
			m.connOut += int64(f.Increment)
			if m.failed = m.connOut > math.MaxInt32; !m.failed {
				m.send(m.open(0)...)
			}
		case idle:
			m.failed = true
		case s != nil:
			if s.send += int64(f.Increment); s.send > math.MaxInt32 {
				m.bad(h.StreamID, false, flowControlError)
				return
			}
			m.send(h.StreamID)
		}
	case *xhttp2.PushPromiseFrame:
		m.failed = true
	case *xhttp2.HeadersFrame:
		if m.failed = idle; idle {
			return
		}
		m.end, m.block = f.StreamEnded(), slices.Clone(f.HeaderBlockFragment())
		if f.HeadersEnded() {
			m.answer(h.StreamID)
		}
	case *xhttp2.ContinuationFrame:
		m.block = append(m.block, f.HeaderBlockFragment()...)
		if f.HeadersEnded() {
			m.answer(h.StreamID)
		}
	case *xhttp2.DataFrame:
		if m.failed = idle; idle {
			return
		}
		m.take(f, s)
	}
}

func (m *model) setup(f *xhttp2.SettingsFrame) {
	if f.IsAck() {
		return
	}
	m.settings++
	err := f.ForeachSetting(func(s xhttp2.Setting) error {
		if s.ID <= xhttp2.SettingMaxHeaderListSize { // RFC 9113 does not know the others
			if err := s.Valid(); err != nil {
				return err
			}
		}
		switch s.ID {
		case xhttp2.SettingEnablePush:
			if s.Val != 0 {
				return errors.New("push")
			}
		case xhttp2.SettingMaxFrameSize:
			m.maxFrame = max(m.maxFrame, s.Val)
		case xhttp2.SettingInitialWindowSize:
			for _, st := range m.streams {
				if st.send += int64(s.Val) - m.window; st.send > math.MaxInt32 {
					return errors.New("window")
				}
			}
			m.window = int64(s.Val)
		}
		return nil
	})
	if m.failed = err != nil; !m.failed {
		m.send(m.open(0)...)
	}
}

func (m *model) answer(id uint32) {
	status, length, size, wrong, regular := 0, int64(-1), 0, false, false
	m.decoder.SetEmitEnabled(true)
	m.decoder.SetEmitFunc(func(f hpack.HeaderField) {
		if size += int(f.Size()); size > 1<<20 {
			wrong = true
			m.decoder.SetEmitEnabled(false)
		}
		switch {
		case wrong:
		case f.IsPseudo():
			n, err := strconv.Atoi(f.Value)
			if wrong = f.Name != ":status" || regular || status != 0 || err != nil || len(f.Value) != 3 || n < 100; !wrong {
				status = n
			}
			return
		case f.Name == "content-length":
			n, err := strconv.ParseInt(f.Value, 10, 64)
			wrong = err != nil || n < 0 || strings.ContainsAny(f.Value, "+-") || length >= 0 && length != n
			length = n
		case slices.Contains([]string{"connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"},
			f.Name),
			!httpguts.ValidHeaderFieldName(f.Name), strings.ToLower(f.Name) != f.Name, !httpguts.ValidHeaderFieldValue(f.Value):
			wrong = true
		}
		regular = true
	})
	_, err := m.decoder.Write(m.block)
	if err == nil {
		err = m.decoder.Close()
	}
	if m.failed = err != nil; m.failed {
		return
	}
	s := m.streams[id]
	switch {
	case s == nil:
	case wrong:
		m.bad(id, m.end, protocolError)
	case s.status != 0:
		if status != 0 || !m.end {
			m.bad(id, m.end, protocolError)
			return
		}
		m.done(id)
	case status == 0, status == 101, status < 200 && m.end:
		m.bad(id, m.end, protocolError)
	case status < 200:
		if s.interim++; s.interim > 100 {
			m.bad(id, m.end, protocolError)
		}
	default:
		s.status, s.length = status, length
		if m.end {
			m.done(id)
		}
	}
}

func (m *model) take(f *xhttp2.DataFrame, s *modelStream) {
	n, id := int64(f.Length), f.StreamID
	if m.connIn -= n; m.connIn < 0 {
		m.failed = true
		return
	}
	if full := int64(m.conf.ConnWindow); m.connIn <= full/2 {
		m.granted[0] += full - m.connIn
		m.connIn = full
	}
	if s == nil {
		m.late -= n
		m.failed = m.late < 0
		return
	}
	s.recv -= n
	switch {
	case s.recv < 0:
		m.bad(id, f.StreamEnded(), flowControlError)
		return
	case s.status == 0:
		m.bad(id, f.StreamEnded(), protocolError)
		return
	}
	s.body += int64(len(f.Data()))
	switch full := int64(m.conf.StreamWindow); {
	case s.empty() && len(f.Data()) > 0, !s.empty() && s.length >= 0 && s.body > s.length:
		m.bad(id, f.StreamEnded(), protocolError)
	case f.StreamEnded():
		m.done(id)
	case s.recv <= full/2:
		m.granted[id] += full - s.recv
		s.recv = full
	}
}

func (s *modelStream) empty() bool { return s.head || s.status == 204 || s.status == 304 }

func (m *model) done(id uint32) {
	s := m.streams[id]
	if !s.empty() && s.length >= 0 && s.body != s.length {
		m.bad(id, true, protocolError)
		return
	}
	if s.left > 0 {
		m.reset(id, noError)
	}
	m.finish(id, nil)
}

// The windows and requests with which the tests of frames begin.
var (
	checkOptions  = Options{ConnWindow: 65535, StreamWindow: 20000}
	checkRequests = [...]*request.Request{
		{Method: "GET", Scheme: "http", Host: "a", Path: "/"},
		{Method: "HEAD", Scheme: "http", Host: "a", Path: "/head"},
		{Method: "POST", Scheme: "http", Host: "a", Path: "/large", Body: make([]byte, 100_000)},
		{Method: "GET", Scheme: "http", Host: "a", Path: "/"},
		{Method: "PUT", Scheme: "http", Host: "a", Path: "/small", Body: make([]byte, 10)},
		{Method: "GET", Scheme: "http", Host: "a", Path: "/last"},
	}
)

// feed passes bytes to a connection on which all requests have been sent, in pieces of these sizes,
// the last of which is repeated.
func feed(t *testing.T, in []byte, pieces []byte) (reports []string, out []byte, err error) {
	t.Helper()
	c := New(checkOptions)
	e := NewEncoder(checkRequests[:]...)
	for i, r := range checkRequests {
		var q Request
		e.Encode(&q, r)
		if _, err := c.Send(nil, i, &q); err != nil {
			t.Fatal(err)
		}
	}
	done := func(tag, status int, body int64, err error) {
		reports = append(reports, report(tag, status, body, err))
	}
	for len(in) > 0 && err == nil {
		n := len(in)
		if len(pieces) > 0 {
			if n = min(n, int(pieces[0])+1); len(pieces) > 1 {
				pieces = pieces[1:]
			}
		}
		out, err = c.Parse(out, in[:n], done)
		in = in[n:]
		if cap(c.part) > 2*maxFrameSize || cap(c.block) > 2*DefaultMaxBlock || len(c.streams.slots) > 16 ||
			cap(c.blocked) > 16 || cap(c.last) > 2*maxKept {
			t.Fatalf("holds %d of a frame, %d of a block, %d slots, %d blocked, %d kept", cap(c.part), cap(c.block),
				len(c.streams.slots), cap(c.blocked), cap(c.last))
		}
		for _, id := range c.blocked {
			if s := c.streams.find(id); s == nil || len(s.rest) == 0 {
				t.Fatalf("stream %d waits and has no body", id)
			}
		}
	}
	if err != nil {
		if again, same := c.Parse(nil, []byte("x"), done); len(again) > 0 || !errors.Is(same, err) {
			t.Fatalf("after %v: %v", err, same)
		}
	}
	c.Close(nil, done)
	if c.Open() != 0 || c.Capacity() != 0 || len(c.blocked) != 0 {
		t.Fatalf("after close: %d open, capacity %d, %d blocked", c.Open(), c.Capacity(), len(c.blocked))
	}
	return reports, out, err
}

// check feeds the bytes as a whole and in pieces, and compares with the model.
func check(t *testing.T, in, pieces []byte) {
	t.Helper()
	reports, out, err := feed(t, in, nil)
	reports2, out2, err2 := feed(t, in, pieces)
	if !slices.Equal(reports, reports2) || !bytes.Equal(out, out2) || fmt.Sprint(err) != fmt.Sprint(err2) {
		t.Fatalf("whole: %q, %x, %v\nin pieces: %q, %x, %v", reports, out, err, reports2, out2, err2)
	}
	if len(reports) != len(checkRequests) {
		t.Fatalf("%d reports of %d requests: %q", len(reports), len(checkRequests), reports)
	}
	if len(out) > 2*len(in)+110_000 {
		t.Fatalf("%d bytes in, %d out", len(in), len(out))
	}
	var failed *ConnError
	if errors.As(err, &failed) && failed.Flood {
		return // the model has no such limits; TestFloodLimits covers them
	}

	whole := 0 // the part of in that is whole frames, or up to one too large
	for len(in)-whole >= headerSize {
		f := parseFrame(in[whole:])
		end := whole + headerSize
		if f.length <= maxFrameSize {
			end += int(f.length)
		}
		if end > len(in) {
			break
		}
		whole = end
	}
	m := newModel()
	m.run(in[:whole])
	if !m.failed && err != nil && len(in)-whole >= headerSize {
		// A Conn detects an invalid frame before all of it has arrived; the model needs the whole
		// frame.
		rest := make([]byte, maxFrameSize)
		m = newModel()
		f := parseFrame(in[whole:])
		m.run(append(slices.Clone(in), rest[:headerSize+int(f.length)-(len(in)-whole)]...))
		if !m.failed {
			t.Fatalf("%v, where x/net reads on", err)
		}
	}
	if m.failed != (err != nil) || !slices.Equal(reports, m.reports) {
		t.Fatalf("error %v, reports\n%s\nmodel: failed %v, reports\n%s", err, strings.Join(reports, "\n"), m.failed,
			strings.Join(m.reports, "\n"))
	}
	m.sent(t, out, err)
}

func newModel() *model {
	m := &model{
		conf: checkOptions, next: 1, streams: make(map[uint32]*modelStream), decoder: hpack.NewDecoder(4096, nil),
		window: 65535, connOut: 65535, connIn: int64(checkOptions.ConnWindow), maxFrame: maxFrameSize,
		late: int64(checkOptions.StreamWindow), lastStream: math.MaxInt32, granted: make(map[uint32]int64),
	}
	m.decoder.SetMaxStringLength(1 << 20)
	for i, r := range checkRequests {
		m.streams[m.next] = &modelStream{
			tag: i, head: r.Method == "HEAD", length: -1, recv: int64(checkOptions.StreamWindow), send: m.window,
			left: int64(len(r.Body)),
		}
		m.next += 2
	}
	return m
}

// sent checks what the connection answered.
func (m *model) sent(t *testing.T, out []byte, err error) {
	t.Helper()
	fr := xhttp2.NewFramer(io.Discard, bytes.NewReader(out))
	acks, data := 0, int64(0)
	var pings, resets []string
	granted := make(map[uint32]int64)
	goAways := 0
	for {
		f, rerr := fr.ReadFrame()
		if errors.Is(rerr, io.EOF) {
			break
		}
		if rerr != nil {
			t.Fatalf("sent %x: %v", out, rerr)
		}
		if goAways > 0 {
			t.Fatalf("sent %v after GOAWAY", f)
		}
		switch f := f.(type) {
		case *xhttp2.SettingsFrame:
			if f.IsAck() {
				acks++
			}
		case *xhttp2.PingFrame:
			if f.IsAck() {
				pings = append(pings, string(f.Data[:]))
			}
		case *xhttp2.DataFrame:
			if data += int64(f.Length); f.Length > m.maxFrame {
				t.Fatalf("sent %v", f)
			}
		case *xhttp2.GoAwayFrame:
			goAways++
		case *xhttp2.RSTStreamFrame:
			resets = append(resets, fmt.Sprint(f.StreamID, " ", Code(f.ErrCode)))
		case *xhttp2.WindowUpdateFrame:
			granted[f.StreamID] += int64(f.Increment)
		default:
			t.Fatalf("sent %v", f)
		}
	}
	settings := m.settings
	if err != nil && acks == settings-1 {
		settings-- // the last ones were invalid
	}
	if acks != settings || !slices.Equal(pings, m.pings) || (goAways == 1) != (err != nil) {
		t.Fatalf("%d acknowledgments of %d SETTINGS, pings %q of %q, %d GOAWAY", acks, m.settings, pings, m.pings, goAways)
	}
	if data != m.data || !slices.Equal(resets, m.resets) || !maps.Equal(granted, m.granted) {
		t.Fatalf("sent %d bytes of bodies, resets %v, windows %v; model: %d, %v, %v", data, resets, granted, m.data,
			m.resets, m.granted)
	}
}
