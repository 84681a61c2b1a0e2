package stdio

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"
)

// MaxMessage is the maximum size of a message from a client, in bytes.
const MaxMessage = 4 << 20

// A Writer writes whole messages, one at a time.
type Writer struct {
	mu   sync.Mutex
	w    io.Writer
	open map[string]chan struct{} // requests without an answer, by ID; closed by the answer
}

// NewWriter returns a Writer on w.
func NewWriter(w io.Writer) *Writer {
	return &Writer{w: w, open: map[string]chan struct{}{}}
}

// A message is the part of a message that pairs requests with answers.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

// Write writes a message. It implements io.Writer.
func (l *Writer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := l.w.Write(p)
	var m message
	if json.Unmarshal(p, &m) == nil && m.Method == "" {
		if answered, ok := l.open[string(m.ID)]; ok {
			close(answered)
			delete(l.open, string(m.ID))
		}
	}
	return n, err
}

// expect records a line from the client.
func (l *Writer) expect(line []byte) {
	var m message
	if json.Unmarshal(line, &m) != nil || m.Method == "" || len(m.ID) == 0 {
		return // not a request
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.open[string(m.ID)]; !ok {
		l.open[string(m.ID)] = make(chan struct{})
	}
}

// wait waits until all requests have answers, for some time.
func (l *Writer) wait(most time.Duration) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	l.mu.Lock()
	open := slices.Collect(maps.Values(l.open))
	l.mu.Unlock()
	for _, answered := range open {
		select {
		case <-answered:
		case <-timer.C:
			return
		}
	}
}

// Close implements io.Closer. It leaves the writer open.
func (l *Writer) Close() error { return nil }

// answerTime is how long requests may take to be answered after the client has closed its output: clients end servers
// by that.
const answerTime = time.Second

// A Reader passes lines of at most MaxMessage bytes on. It answers a longer one with an error, and drops it:
// the client may go on. At the end it waits for answers to the last requests.
type Reader struct {
	in      *bufio.Reader
	answers *Writer
	line    []byte // what Read has not returned yet
	err     error
}

// NewReader returns a Reader of in. answers writes the answers to the same client.
func NewReader(in io.Reader, answers *Writer) *Reader {
	return &Reader{in: bufio.NewReaderSize(in, 64<<10), answers: answers}
}

// Read implements io.Reader.
func (l *Reader) Read(p []byte) (int, error) {
	for len(l.line) == 0 {
		if l.err != nil {
			l.answers.wait(answerTime)
			return 0, l.err
		}
		l.line, l.err = l.next()
		l.answers.expect(l.line)
	}
	n := copy(p, l.line)
	l.line = l.line[n:]
	return n, nil
}

// next returns the next line, or nothing if it was too long.
func (l *Reader) next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		if len(line)+len(part) > MaxMessage {
			return nil, l.refuse(line, part, err)
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// refuse reads a line to its end, of which some parts are read, and answers it.
func (l *Reader) refuse(line, part []byte, err error) error {
	var id idFinder
	id.write(line)
	id.write(part)
	size := len(line) + len(part)
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = l.in.ReadSlice('\n')
		id.write(part)
		size += len(part)
	}
	answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"%s"}}`, id.value(),
		fmt.Sprintf("the request has %d bytes (want at most %d)", size, MaxMessage))
	if _, failed := io.WriteString(l.answers, answer+"\n"); err == nil {
		err = failed
	}
	return err
}

// maxID is the length of the longest id and key of a message that an idFinder keeps.
const maxID = 128

// An idFinder finds the id in a JSON object that is too large to keep.
type idFinder struct {
	depth   int
	quoted  bool // in a string
	escaped bool // after a backslash in it
	inValue bool // after the colon of a member of the object itself
	isID    bool // that member is the id
	key     []byte
	id      []byte
}

func (f *idFinder) write(p []byte) {
	for _, c := range p {
		f.next(c)
	}
}

func (f *idFinder) next(c byte) {
	if f.depth == 1 && f.inValue && f.isID && (f.quoted || c != ',' && c != '}') && len(f.id) < maxID {
		f.id = append(f.id, c)
	}
	if f.quoted {
		switch {
		case f.escaped:
			f.escaped = false
		case c == '\\':
			f.escaped = true
		case c == '"':
			f.quoted = false
			return
		}
		if f.depth == 1 && !f.inValue && len(f.key) < maxID {
			f.key = append(f.key, c)
		}
		return
	}
	switch c {
	case '"':
		f.quoted = true
		if f.depth == 1 && !f.inValue {
			f.key = f.key[:0]
		}
	case '{', '[':
		f.depth++
	case '}', ']':
		f.depth--
	case ':':
		if f.depth == 1 && !f.inValue {
			f.inValue, f.isID = true, string(f.key) == "id" && f.id == nil
		}
	case ',':
		if f.depth == 1 {
			f.inValue, f.isID = false, false
		}
	}
}

// value returns the id: a number or a string; "null" if it is unknown.
func (f *idFinder) value() string {
	id := bytes.TrimSpace(f.id)
	var v any
	if json.Unmarshal(id, &v) == nil {
		switch v.(type) {
		case float64, string:
			return string(id)
		}
	}
	return "null"
}
