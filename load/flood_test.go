package load_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/whet-go/whet/load"
)

// hostile serves each connection with serve, over TLS with the protocol next if that is
// not empty, until the test ends.
func hostile(t *testing.T, next string, serve func(c net.Conn)) (address string, roots *tls.Config) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = "http://" + l.Addr().String() + "/"
	if next != "" {
		s := httptest.NewUnstartedServer(nil)
		s.StartTLS()
		pool := x509.NewCertPool()
		pool.AddCert(s.Certificate())
		roots = &tls.Config{RootCAs: pool}
		l = tls.NewListener(l, &tls.Config{Certificates: s.TLS.Certificates, NextProtos: []string{next}})
		s.Close()
		address = "https://" + strings.TrimPrefix(address, "http://")
	}
	var mu sync.Mutex
	var conns []net.Conn
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, c)
			mu.Unlock()
			wg.Go(func() {
				defer func() { _ = c.Close() }()
				serve(c)
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for _, c := range conns {
			_ = c.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return address, roots
}

// boundedLoad runs a load and fails the test if the heap grows by more than bound bytes during it.
func boundedLoad(t *testing.T, bound uint64, o load.Options) *load.Result {
	t.Helper()
	held := func() uint64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return s[0].Value.Uint64()
	}
	before, most := held(), uint64(0)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			most = max(most, held())
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	})
	start := time.Now()
	r, err := load.Run(t.Context(), o)
	close(stop)
	wg.Wait()
	if r == nil {
		t.Fatal(err)
	}
	if most > before+bound {
		t.Errorf("the heap grew from %d to %d MB", before>>20, most>>20)
	}
	if d := time.Since(start); d > 2*time.Minute {
		t.Errorf("took %v", d)
	}
	return r
}

// forever writes b until that fails.
func forever(c net.Conn, b []byte) {
	b = bytes.Repeat(b, 1+16<<10/len(b))
	for {
		if _, err := c.Write(b); err != nil {
			return
		}
	}
}

// frame returns a frame of HTTP/2.
func frame(typ http2.FrameType, flags http2.Flags, id uint32, payload string) []byte {
	var b bytes.Buffer
	f := http2.NewFramer(&b, nil)
	f.AllowIllegalWrites = true
	_ = f.WriteRawFrame(typ, flags, id, []byte(payload)) // into memory
	return b.Bytes()
}

// greet reads the preface of a client and the head of its first request, and sends
// SETTINGS.
func greet(c net.Conn) (*http2.Framer, bool) {
	if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil {
		return nil, false
	}
	f := http2.NewFramer(c, c)
	if f.WriteSettings() != nil {
		return nil, false
	}
	for {
		fr, err := f.ReadFrame()
		if err != nil {
			return nil, false
		}
		if fr.Header().Type == http2.FrameHeaders {
			return f, true
		}
	}
}

func fields(names ...string) string {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	for i := 0; i < len(names); i += 2 {
		_ = e.WriteField(hpack.HeaderField{Name: names[i], Value: names[i+1]}) // into memory
	}
	return b.String()
}

// TestFloodStreams has servers that endlessly send frames that are not part of an answer, as in
// published attacks. The connection is dropped, its requests count as flood, and memory does not
// grow.
func TestFloodStreams(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	engines(t, testFloodStreams)
}

func testFloodStreams(t *testing.T, e load.Engine) {
	status := fields(":status", "200")
	settings := string(binary.BigEndian.AppendUint32([]byte{0, 4}, 1<<16))
	for _, a := range []struct {
		name   string
		before []byte
		again  []byte
	}{
		{"ping", nil, frame(http2.FramePing, 0, 0, "12345678")},
		{"ping answers", nil, frame(http2.FramePing, http2.FlagPingAck, 0, "12345678")},
		{"settings", nil, frame(http2.FrameSettings, 0, 0, "")},
		{"settings with values", nil, frame(http2.FrameSettings, 0, 0, strings.Repeat(settings, 1000))},
		{"window update", nil, frame(http2.FrameWindowUpdate, 0, 1, "\x00\x00\x00\x01")},
		{"priority", nil, frame(http2.FramePriority, 0, 1, "\x00\x00\x00\x00\x01")},
		{"unknown", nil, frame(0xbe, 0, 0, "")},
		{"empty data", frame(http2.FrameHeaders, http2.FlagHeadersEndHeaders, 1, status), frame(http2.FrameData, 0, 1, "")},
		{
			"padding", frame(http2.FrameHeaders, http2.FlagHeadersEndHeaders, 1, status),
			frame(http2.FrameData, http2.FlagDataPadded, 1, "\x02\x00\x00"),
		},
		{
			"reset of an ended stream", frame(http2.FrameRSTStream, 0, 1, "\x00\x00\x00\x02"),
			frame(http2.FrameRSTStream, 0, 1, "\x00\x00\x00\x02"),
		},
		{"empty continuation", frame(http2.FrameHeaders, 0, 1, status), frame(http2.FrameContinuation, 0, 1, "")},
		{"goaway", nil, frame(http2.FrameGoAway, 0, 0, "\x00\x00\xff\xff\x00\x00\x00\x00")},
	} {
		for _, secure := range []string{"", "h2"} {
			for _, reads := range []bool{false, true} {
				if reads && secure == "" {
					continue
				}
				name := a.name
				if secure != "" {
					name += ", TLS"
				}
				if reads {
					name += ", reading"
				}
				t.Run(name, func(t *testing.T) {
					url, roots := hostile(t, secure, func(c net.Conn) {
						if _, ok := greet(c); !ok {
							return
						}
						if reads {
							go func() { _, _ = io.Copy(io.Discard, c) }()
						}
						_, _ = c.Write(a.before)
						forever(c, a.again)
					})
					timeout := 2 * time.Minute
					if e == load.NetHTTP {
						timeout = time.Second // it stops reading if its answers are not read
					}
					r := boundedLoad(t, 64<<20, load.Options{
						Engine: e, Protocol: load.HTTP2, URL: url, Connections: 2, Requests: 4, TLS: roots, Timeout: timeout,
					})
					// Go's client ends some of these attacks differently.
					if r.Errors.Flood == 0 && e != load.NetHTTP || r.Errors.Total() != 4 {
						t.Errorf("%+v", r.Errors)
					}
				})
			}
		}
	}
}

// TestEndlessAnswers has servers whose HTTP/1.1 answers do not end. Each makes its request fail,
// and memory does not grow.
func TestEndlessAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	engines(t, testEndlessAnswers)
}

func testEndlessAnswers(t *testing.T, e load.Engine) {
	const ok, chunked = "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	malformed := func(e load.Errors) int64 { return e.Malformed }
	timeout := func(e load.Errors) int64 { return e.Timeout }
	for _, a := range []struct {
		name, before, again string
		kind                func(load.Errors) int64
	}{
		{"interim answers", "", "HTTP/1.1 103 Early Hints\r\n\r\n", malformed},
		{"header lines", ok, "X-A: b\r\n", malformed},
		{"a header line", ok + "X-A: ", "b", malformed},
		{"a folded line", ok + "X-A: b", "\r\n b", malformed},
		{"a name", ok, "a", malformed},
		{"a chunk extension", chunked + "1;", "a", malformed},
		{"chunk extensions", chunked, "1;" + strings.Repeat("a", 100) + "\r\nx\r\n", malformed},
		{"trailer lines", chunked + "0\r\n", "X-A: b\r\n", malformed},
		{"a body in chunks", chunked, "5\r\nhello\r\n", timeout},
		{"a body", ok + "\r\n", "hello", timeout},
	} {
		for _, secure := range []string{"", "http/1.1"} {
			t.Run(strings.Trim(a.name+", "+secure, ", "), func(t *testing.T) {
				url, roots := hostile(t, secure, func(c net.Conn) {
					if _, err := c.Read(make([]byte, 1024)); err != nil {
						return
					}
					_, _ = io.WriteString(c, a.before)
					forever(c, []byte(a.again))
				})
				limit := 2 * time.Minute
				if e == load.NetHTTP || a.kind(load.Errors{Timeout: 1}) == 1 {
					limit = 500 * time.Millisecond
				}
				again(t, limit, func(limit time.Duration) error {
					r := boundedLoad(t, 64<<20, load.Options{
						Engine: e, URL: url, Connections: 2, Requests: 4, TLS: roots, Timeout: limit,
					})
					if r.Errors.Total() != 4 {
						t.Errorf("%+v", r.Errors)
					}
					// net/http has different error texts. If the machine stalls, connecting times
					// out.
					if e != load.NetHTTP && a.kind(r.Errors) != 4 {
						return fmt.Errorf("%+v", r.Errors)
					}
					return nil
				})
			})
		}
	}
}

// TestDrip has an answer that arrives byte by byte: it times out as a whole although each byte is
// in time.
func TestDrip(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	engines(t, testDrip)
}

func testDrip(t *testing.T, e load.Engine) {
	for _, secure := range []string{"", "http/1.1"} {
		url, roots := hostile(t, secure, func(c net.Conn) {
			if _, err := c.Read(make([]byte, 1024)); err != nil {
				return
			}
			for _, b := range []byte("HTTP/1.1 200 OK\r\n" + strings.Repeat("X-A: b\r\n", 1000)) {
				if _, err := c.Write([]byte{b}); err != nil {
					return
				}
				time.Sleep(5 * time.Millisecond) // the drip
			}
		})
		again(t, 500*time.Millisecond, func(timeout time.Duration) error {
			r := boundedLoad(t, 64<<20, load.Options{
				Engine: e, URL: url, Connections: 2, Requests: 4, TLS: roots, Timeout: timeout,
			})
			if r.Errors.Total() != 4 {
				t.Errorf("%+v", r.Errors)
			}
			// If the machine stalls, connecting times out.
			if r.Errors.Timeout != 4 {
				return fmt.Errorf("%+v", r.Errors)
			}
			return nil
		})
	}
}

// TestHeaderBombs has HTTP/2 headers that do not end, or that expand to far more than their size by
// repeatedly referring to one long field of the table.
func TestHeaderBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	engines(t, testHeaderBombs)
}

func testHeaderBombs(t *testing.T, e load.Engine) {
	// A field of 4000 bytes goes into the table, as the first that was added.
	bomb := fields(":status", "200", "x-a", strings.Repeat("a", 4000))
	again := strings.Repeat("\xbe", 16<<10)
	for _, a := range []struct {
		name   string
		before []byte
		again  []byte
	}{
		{"without end", frame(http2.FrameHeaders, 0, 1, bomb), frame(http2.FrameContinuation, 0, 1, again)},
		{"in one answer", append(frame(http2.FrameHeaders, 0, 1, bomb),
			frame(http2.FrameContinuation, http2.FlagContinuationEndHeaders, 1, again)...), nil},
	} {
		for _, secure := range []string{"", "h2"} {
			t.Run(strings.Trim(a.name+", "+secure, ", "), func(t *testing.T) {
				url, roots := hostile(t, secure, func(c net.Conn) {
					if _, ok := greet(c); !ok {
						return
					}
					_, _ = c.Write(a.before)
					if a.again != nil {
						forever(c, a.again)
					}
					_, _ = io.Copy(io.Discard, c)
				})
				r := boundedLoad(t, 64<<20, load.Options{
					Engine: e, Protocol: load.HTTP2, URL: url, Connections: 2, Requests: 2, TLS: roots, Timeout: 2 * time.Minute,
				})
				if r.Errors.Total() != 2 || e != load.NetHTTP && r.Errors.Malformed != 2 {
					t.Errorf("%+v", r.Errors)
				}
			})
		}
	}
}
