package goroutines

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/whet-go/whet/profile"
)

const (
	// maxLine is the maximum length of a line of a dump. Longer lines are truncated; only a
	// function with thousands of arguments needs more.
	maxLine = 64 << 10
	// maxFrames is the maximum number of frames kept per goroutine. The runtime prints at most 100
	// in a dump and 128, before inlining, in a profile.
	maxFrames = 4096
	// maxStrings is the maximum size of the table of names shared by frames.
	maxStrings = 1 << 20
)

// A Frame is one call on a goroutine's stack. File and Line are zero if unknown.
type Frame struct {
	Func string `json:"name"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// A Label is one profiler label of a goroutine (runtime/pprof.Do).
type Label struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// A Record is one goroutine of a dump, or Count equal ones in a debug=1 dump, which counts them
// itself.
type Record struct {
	ID    uint64 // 0 in a debug=1 dump
	Count int64  // 1 except for debug=1

	// State is what the goroutine is doing according to the runtime ("running", "chan receive"); ""
	// in a debug=1 dump, which does not contain it.
	State   string
	Minutes int64  // waiting for at least this many minutes; 0: less than one, or unknown
	Leaked  bool   // the garbage collector found that nothing can wake it
	Locked  bool   // locked to its thread
	Durable bool   // durably blocked in its synctest bubble
	Bubble  uint64 // synctest bubble, or 0
	Labels  []Label

	Stack       []Frame // leaf first; empty if the stack was unavailable
	Elided      int     // frames that the runtime omitted from a deep stack; -1: an unknown number
	Unavailable bool    // the goroutine was running on another thread

	CreatedBy Frame  // the go statement; zero if unknown
	CreatorID uint64 // the goroutine that executed it; 0 if unknown
}

// Wait returns the minimum time that the goroutine has been waiting; 0 if unknown.
func (r *Record) Wait() time.Duration { return time.Duration(r.Minutes) * time.Minute }

// A DumpInfo is what a dump contains in addition to its goroutines.
type DumpInfo struct {
	// Name is the profile's name in a debug=1 dump ("goroutine",
	// "goroutineleak"), else "".
	Name string
	// Total is the number of goroutines read.
	Total int64
	// Reason is why the program dumped: its first "panic: …" or "fatal error: …" line, truncated at
	// 1 kB; or "".
	Reason string
	// Truncated is set if the last goroutine is incomplete.
	Truncated bool

	Warnings profile.Warnings
}

// ErrNoGoroutines is returned for a text without goroutines.
var ErrNoGoroutines = errors.New("no goroutines found (want the output of runtime.Stack, a panic, or " +
	"/debug/pprof/goroutine?debug=1)")

// ReadDump reads a text dump of goroutines and calls visit for each, in the order of the text.
// Other lines, such as those of a log, are skipped. It returns visit's first error. For a text
// without goroutines it returns an error that wraps [ErrNoGoroutines].
func ReadDump(r io.Reader, visit func(*Record) error) (*DumpInfo, error) {
	p := dumpParser{visit: visit, names: make(map[string]string)}
	br := bufio.NewReaderSize(r, maxLine)
	ended := true // the last line had its newline
	for n := 1; ; n++ {
		line, err := readLine(br)
		ended = err == nil || len(line) == 0
		if len(line) > 0 || err == nil {
			if verr := p.line(line); verr != nil {
				return &p.info, verr
			}
		}
		if err == io.EOF { //nolint:errorlint // a wrapped io.EOF is a reader's failure, not the end
			break
		}
		if err != nil {
			return &p.info, fmt.Errorf("read goroutine dump, line %d: %w", n, err)
		}
	}
	// A complete goroutine ends with the position of its creator (except the first one, which has
	// none) and a newline.
	p.info.Truncated = (p.open && p.pending) ||
		((p.open || p.strange) && !ended && p.cur.ID > 1 && p.cur.CreatedBy == Frame{})
	if err := p.flush(); err != nil {
		return &p.info, err
	}
	if p.info.Truncated {
		p.info.Warnings.Addf("read goroutine dump: the last goroutine is truncated")
	}
	if p.info.Total == 0 && p.info.Name == "" {
		return &p.info, fmt.Errorf("read goroutine dump: %w", ErrNoGoroutines)
	}
	return &p.info, nil
}

// readLine returns the next line without its line ending, truncated at maxLine. The bytes are valid
// until the next call. io.EOF may come with the last line.
func readLine(br *bufio.Reader) ([]byte, error) {
	line, err := br.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line = bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = br.ReadSlice('\n')
		}
	}
	return bytes.TrimRight(line, "\r\n"), err
}

type dumpParser struct {
	visit func(*Record) error
	info  DumpInfo
	names map[string]string

	cur     Record
	open    bool   // cur is being filled
	place   *Frame // whose "\tfile:line" comes next
	pending bool   // a function line is waiting for its position
	strange bool   // the last line ended a goroutine and is not part of a dump
}

func (p *dumpParser) name(b []byte) string {
	if s, ok := p.names[string(b)]; ok {
		return s
	}
	if len(p.names) >= maxStrings {
		clear(p.names)
	}
	s := string(b)
	p.names[s] = s
	return s
}

func (p *dumpParser) start() *Record {
	p.cur = Record{Stack: p.cur.Stack[:0], Labels: p.cur.Labels[:0], Count: 1}
	p.open = true
	p.place, p.pending = nil, false
	return &p.cur
}

func (p *dumpParser) flush() error {
	if !p.open {
		return nil
	}
	p.open, p.place = false, nil
	p.info.Total += p.cur.Count
	return p.visit(&p.cur)
}

// Prefixes that identify the lines of a dump.
const (
	goroutinePrefix = "goroutine "
	createdPrefix   = "created by "
	inGoroutine     = " in goroutine "
	profileTotal    = " profile: total "
	labelsPrefix    = "# labels: {"
	unavailable     = "stack unavailable"
)

func hasPrefix(b []byte, s string) bool { return len(b) >= len(s) && string(b[:len(s)]) == s }
func hasSuffix(b []byte, s string) bool { return len(b) >= len(s) && string(b[len(b)-len(s):]) == s }

func (p *dumpParser) line(b []byte) error {
	p.strange = false
	if len(b) == 0 {
		return p.flush()
	}
	switch {
	case b[0] == '\t':
		p.location(b[1:])
		return nil
	case b[0] == '#':
		p.textFrame(b)
		return nil
	case b[0] >= '0' && b[0] <= '9':
		if count, ok := parseCountLine(b); ok {
			if err := p.flush(); err != nil {
				return err
			}
			p.start().Count = count
			return nil
		}
	case hasPrefix(b, goroutinePrefix):
		if i := bytes.Index(b, []byte(profileTotal)); i > 0 {
			break
		}
		if err := p.flush(); err != nil {
			return err
		}
		rec := p.start()
		if !p.header(rec, b[len(goroutinePrefix):]) {
			p.open = false
		}
		return nil
	}
	if name, ok := profileHeader(b); ok {
		if err := p.flush(); err != nil {
			return err
		}
		p.info.Name = name
		return nil
	}
	if !p.open {
		if p.info.Reason == "" && (hasPrefix(b, "panic: ") || hasPrefix(b, "fatal error: ")) {
			p.info.Reason = string(b[:min(len(b), 1<<10)])
		}
		return nil
	}
	switch {
	case hasPrefix(b, createdPrefix):
		fn := b[len(createdPrefix):]
		if i := bytes.LastIndex(fn, []byte(inGoroutine)); i >= 0 {
			if id, err := strconv.ParseUint(string(fn[i+len(inGoroutine):]), 10, 64); err == nil {
				p.cur.CreatorID = id
				fn = fn[:i]
			}
		}
		p.cur.CreatedBy = Frame{Func: p.name(fn)}
		p.place, p.pending = &p.cur.CreatedBy, true
	case hasPrefix(b, "..."):
		p.elided(b[3:])
	case b[len(b)-1] == ')':
		i := bytes.LastIndexByte(b, '(')
		if i <= 0 {
			return p.flush()
		}
		p.frame(Frame{Func: p.name(b[:i])})
		p.pending = true
	default:
		p.strange = true
		return p.flush() // registers, "exit status 2", a log
	}
	return nil
}

func (p *dumpParser) frame(f Frame) {
	p.place = nil
	if len(p.cur.Stack) >= maxFrames {
		if p.cur.Elided >= 0 {
			p.cur.Elided++
		}
		return
	}
	p.cur.Stack = append(p.cur.Stack, f)
	p.place = &p.cur.Stack[len(p.cur.Stack)-1]
}

// header reports whether it can read `12 gp=0x… m=0 mp=0x… [select, 3 minutes, locked to thread]:`,
// as runtime.goroutineheader prints it, after the word goroutine.
func (p *dumpParser) header(rec *Record, b []byte) bool {
	end := 0
	for end < len(b) && b[end] >= '0' && b[end] <= '9' {
		end++
	}
	id, err := strconv.ParseUint(string(b[:end]), 10, 64)
	if err != nil {
		return false
	}
	rec.ID = id
	open := bytes.IndexByte(b, '[')
	shut := bytes.LastIndexByte(b, ']')
	if open < 0 || shut < open || open < end || b[end] != ' ' {
		return false
	}
	in := b[open+1 : shut]
	if i := bytes.Index(in, []byte(" labels:{")); i >= 0 {
		rec.Labels = appendLabels(rec.Labels, in[i+len(" labels:{"):])
		in = in[:i]
	}
	state, rest, _ := bytes.Cut(in, []byte(", "))
	for {
		switch {
		case hasSuffix(state, " (scan)"):
			state = state[:len(state)-len(" (scan)")]
			continue
		case hasSuffix(state, " (leaked)"):
			state = state[:len(state)-len(" (leaked)")]
			rec.Leaked = true
			continue
		case hasSuffix(state, " (durable)"):
			state = state[:len(state)-len(" (durable)")]
			rec.Durable = true
			continue
		}
		break
	}
	rec.State = p.name(state)
	for len(rest) > 0 {
		var note []byte
		note, rest, _ = bytes.Cut(rest, []byte(", "))
		switch {
		case string(note) == "locked to thread":
			rec.Locked = true
		case hasSuffix(note, " minutes"):
			m, err := strconv.ParseInt(string(note[:len(note)-len(" minutes")]), 10, 64)
			if err == nil && m >= 0 && m < int64(1<<63-1)/int64(time.Minute) {
				rec.Minutes = m
			}
		case hasPrefix(note, "synctest bubble "):
			rec.Bubble, _ = strconv.ParseUint(string(note[len("synctest bubble "):]), 10, 64)
		}
	}
	return true
}

// location parses ` file:line +0x1b` after its tab.
func (p *dumpParser) location(b []byte) {
	if !p.open {
		return
	}
	if hasSuffix(b, unavailable) {
		p.cur.Unavailable = true
		return
	}
	if p.place == nil {
		return
	}
	if i := bytes.LastIndex(b, []byte(" +0x")); i >= 0 {
		b = b[:i]
	} else if i := bytes.LastIndex(b, []byte(" fp=0x")); i >= 0 {
		b = b[:i]
	}
	p.place.File, p.place.Line = p.fileLine(b)
	p.place, p.pending = nil, false
}

func (p *dumpParser) fileLine(b []byte) (string, int) {
	i := bytes.LastIndexByte(b, ':')
	if i <= 0 {
		return p.name(b), 0
	}
	n, err := strconv.Atoi(string(b[i+1:]))
	if err != nil || n < 0 {
		return p.name(b), 0
	}
	return p.name(b[:i]), n
}

// elided parses what follows the dots of `...51 frames elided...`.
func (p *dumpParser) elided(b []byte) {
	p.place = nil
	end := 0
	for end < len(b) && b[end] >= '0' && b[end] <= '9' {
		end++
	}
	if n, err := strconv.Atoi(string(b[:end])); err == nil && n > 0 {
		p.cur.Elided = n
	} else if bytes.Contains(b, []byte("elided")) {
		p.cur.Elided = -1
	}
}

// textFrame parses a line of a debug=1 dump:
//
//	#	0x646636	main.nilWorker+0x16	/tmp/g/main.go:20
//	# labels: {"route":"/x", "user":"a b"}
func (p *dumpParser) textFrame(b []byte) {
	if !p.open {
		return
	}
	if hasPrefix(b, labelsPrefix) {
		p.cur.Labels = appendLabels(p.cur.Labels, b[len(labelsPrefix):])
		return
	}
	rest, ok := bytes.CutPrefix(b, []byte("#\t0x"))
	if !ok {
		return
	}
	addr, rest, named := bytes.Cut(rest, []byte{'\t'})
	if !named {
		p.frame(Frame{Func: "0x" + string(addr)})
		p.place = nil
		return
	}
	fn, place, _ := bytes.Cut(bytes.TrimLeft(rest, "\t"), []byte{'\t'})
	if i := bytes.LastIndex(fn, []byte("+0x")); i > 0 {
		fn = fn[:i]
	}
	f := Frame{Func: p.name(fn)}
	f.File, f.Line = p.fileLine(bytes.TrimLeft(place, "\t"))
	p.frame(f)
	p.place = nil
}

// parseCountLine parses `4 @ 0x42ec9c 0x429daa`.
func parseCountLine(b []byte) (int64, bool) {
	i := bytes.Index(b, []byte(" @"))
	if i <= 0 || i+2 < len(b) && b[i+2] != ' ' {
		return 0, false
	}
	n, err := strconv.ParseInt(string(b[:i]), 10, 64)
	if err != nil || n < 0 || n > 1<<40 {
		return 0, false
	}
	return n, true
}

// profileHeader parses `goroutineleak profile: total 7`.
func profileHeader(b []byte) (string, bool) {
	i := bytes.Index(b, []byte(profileTotal))
	if i <= 0 || bytes.IndexByte(b[:i], ' ') >= 0 {
		return "", false
	}
	if _, err := strconv.ParseInt(string(b[i+len(profileTotal):]), 10, 64); err != nil {
		return "", false
	}
	return string(b[:i]), true
}

// appendLabels parses `"route": "/x", "user": "a b"}`, with or without the space after a colon.
func appendLabels(dst []Label, b []byte) []Label {
	s := string(b)
	for {
		k, err := strconv.QuotedPrefix(s)
		if err != nil {
			return dst
		}
		s = s[len(k):]
		if len(s) == 0 || s[0] != ':' {
			return dst
		}
		s = s[1:]
		if len(s) > 0 && s[0] == ' ' {
			s = s[1:]
		}
		v, err := strconv.QuotedPrefix(s)
		if err != nil {
			return dst
		}
		s = s[len(v):]
		key, kerr := strconv.Unquote(k)
		val, verr := strconv.Unquote(v)
		if kerr == nil && verr == nil {
			dst = append(dst, Label{key, val})
		}
		if len(s) < 2 || s[:2] != ", " {
			return dst
		}
		s = s[2:]
	}
}
