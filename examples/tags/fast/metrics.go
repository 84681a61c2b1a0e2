package fast

import (
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	maxPacket = 1432                   // bytes that go into one Ethernet frame, with room for a tunnel's headers
	maxWait   = 100 * time.Millisecond // maximum that a line is pending
)

// Metrics sends metrics as lines of the StatsD protocol, in packets of one line or
// more with a line feed between them. The aggregator knows no tags, so these are
// part of the name:
//
//	handler.received.myhost.hello.linux.firefox-128-0:1|c
//
// Metrics are lost rather than delayed: a failed write is not reported.
type Metrics struct {
	host    string // "." and the cleaned name of this machine; "" when it is not known
	conn    io.Writer
	flusher sync.WaitGroup
	done    chan struct{}

	mu     sync.Mutex
	packet []byte // is sent with the next lines; longer than maxPacket only if it is one line
	closed bool   // lines are sent immediately
}

// NewMetrics sends metrics to conn, which takes one packet per write. The name of
// this machine is read here: the metrics of a renamed machine have the old name
// until the service is restarted.
func NewMetrics(conn io.Writer) *Metrics {
	m := &Metrics{conn: conn, done: make(chan struct{})}
	if host, err := os.Hostname(); err == nil {
		host, _, _ = strings.Cut(host, ".")
		if host == "" {
			host = "no-host"
		}
		m.host = "." + Clean(host)
	}
	m.flusher.Go(m.flushOften)
	return m
}

// Close sends pending lines. The connection remains open. Later lines are sent
// immediately. Close is called once.
func (m *Metrics) Close() {
	close(m.done)
	m.flusher.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.flush()
	m.closed = true
}

// Name is the name of a metric with the tags of a request.
func (m *Metrics) Name(metric string, r *http.Request) string {
	var room [256]byte
	return string(m.appendTags(append(room[:0], metric...), r))
}

func (m *Metrics) count(name string, tags []byte) {
	var room [256]byte
	line := append(append(room[:0], name...), tags...)
	m.send(append(line, ":1|c"...))
}

func (m *Metrics) timing(name string, tags []byte, took time.Duration) {
	var room [256]byte
	line := append(append(room[:0], name...), tags...)
	line = append(line, ':')
	line = strconv.AppendFloat(line, float64(took)/float64(time.Millisecond), 'f', -1, 64)
	m.send(append(line, "|ms"...))
}

// send sends a copy of the line with others.
func (m *Metrics) send(line []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.packet)+len("\n")+len(line) > maxPacket {
		m.flush()
	}
	if len(m.packet) > 0 {
		m.packet = append(m.packet, '\n')
	}
	m.packet = append(m.packet, line...)
	if m.closed || len(m.packet) > maxPacket {
		m.flush()
	}
}

// flush sends pending lines, with the lock held, so that packets keep their order.
// Writing a packet to a UDP socket does not block.
func (m *Metrics) flush() {
	if len(m.packet) == 0 {
		return
	}
	_, _ = m.conn.Write(m.packet)
	m.packet = m.packet[:0]
	if cap(m.packet) > 2*maxPacket { // a line that was far too long
		m.packet = nil
	}
}

func (m *Metrics) flushOften() {
	tick := time.NewTicker(maxWait)
	defer tick.Stop()
	for {
		select {
		case <-m.done:
			return
		case <-tick.C:
			m.mu.Lock()
			m.flush()
			m.mu.Unlock()
		}
	}
}

// Clean replaces the characters that a tag's value must not have.
func Clean(value string) string {
	for i := range len(value) {
		if reserved(value[i]) {
			return string(appendClean(make([]byte, 0, len(value)), value))
		}
	}
	return value
}

// appendClean appends value without the characters that it must not have. These are
// ASCII, so the bytes of any text can be examined one by one.
func appendClean[T string | []byte](out []byte, value T) []byte {
	for i := range len(value) {
		if c := value[i]; reserved(c) {
			out = append(out, '-')
		} else {
			out = append(out, c)
		}
	}
	return out
}

// reserved reports whether c has a meaning in a name or in the protocol.
func reserved(c byte) bool {
	switch c {
	case '{', '}', '/', '\\', ':', '|', '@', '#', '.', ' ', '\t', '\n', '\f', '\r':
		return true
	}
	return false
}
