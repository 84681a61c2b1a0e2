package export

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/requests"
)

// Kinds of spans in OTLP.
const (
	kindInternal = 1
	kindServer   = 2
)

// OTLP writes requests and tasks as spans of OpenTelemetry, in the JSON of its protocol
// (opentelemetry-proto's TracesData). Children of a request are its states other than running, and
// its tasks, whose children are their regions, each within the one that it is nested in. Messages
// of runtime/trace.Log are events of their task, or of the request that they belong to. Times are
// based on o.Began.
func OTLP(w io.Writer, x *index.Index, o Options) (Result, error) {
	s, err := newSource(x, o)
	if err != nil {
		return Result{}, err
	}
	t := &otlp{source: s, w: bufio.NewWriterSize(w, 64<<10), requestSpans: map[uint32][]*span{}, tasks: map[uint64]*span{}}
	if err := t.gather(); err != nil {
		return s.result, err
	}
	name := o.Name
	if name == "" {
		name = "unknown_service:go" // as in the specification
	}
	t.text(`{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":`, name)
	t.text(`}},{"key":"process.runtime.name","value":{"stringValue":`, "go")
	t.text(`}}]},"scopeSpans":[{"scope":{"name":`, "github.com/whet-go/whet")
	t.raw(`},"spans":[`)
	if err := t.spans(); err != nil {
		return s.result, err
	}
	t.raw("\n]}]}]}\n")
	return s.result, t.w.Flush()
}

// A span is a span of OTLP that has children.
type span struct {
	interval
	trace  [16]byte
	id     [8]byte
	parent [8]byte // zero means none
	kind   int
	events []event
}

// An event is a message of the program.
type event struct {
	at             int64
	category, text string
}

type otlp struct {
	*source
	w            *bufio.Writer
	requestSpans map[uint32][]*span // requests by goroutine, in order
	tasks        map[uint64]*span   // by number
	all          []*span
	buf          []byte
	more         bool
}

// hash returns a hash that is the same for the same part of the same trace.
func (t *otlp) hash(what string, a, b uint64) [sha256.Size]byte {
	info := &t.x.Info
	return sha256.Sum256(fmt.Appendf(nil, "%d %d %d %s %d %d", info.Began.UnixNano(), info.Duration,
		info.Events, what, a, b))
}

func (t *otlp) span(what string, one interval, kind int, a, b uint64) *span {
	h := t.hash(what, a, b)
	sp := &span{interval: one, kind: kind}
	copy(sp.trace[:], h[:16])
	copy(sp.id[:], h[16:])
	return sp
}

// below makes a span the child of another.
func (sp *span) below(parent *span) {
	sp.trace, sp.parent = parent.trace, parent.id
}

// gather finds requests and tasks, and their parents.
func (t *otlp) gather() error {
	list, err := t.requests()
	if err != nil {
		return err
	}
	for _, one := range list {
		sp := t.span("request", one, kindServer, uint64(one.goroutine), uint64(one.from))
		t.requestSpans[one.goroutine-1] = append(t.requestSpans[one.goroutine-1], sp)
		t.all = append(t.all, sp)
	}
	if list, err = t.recorded(index.Tasks); err != nil {
		return err
	}
	// A task begins before its children, so its trace is known.
	for _, one := range list {
		sp := t.span("task", one, kindInternal, one.task, 0)
		if above := t.tasks[one.parent]; above != nil && one.parent != one.task {
			sp.below(above)
		} else if one.goroutine > 0 {
			if above := t.during(one.goroutine-1, one.from); above != nil {
				sp.below(above)
			}
		}
		t.tasks[one.task] = sp
		t.all = append(t.all, sp)
	}
	return t.messages()
}

// messages adds the messages of runtime/trace.Log to the spans of their tasks, or of the requests
// that they belong to.
func (t *otlp) messages() error {
	n := 0
	return t.records(index.Logs, func(r *index.Record) error {
		if !t.chosen(r.Goroutine) {
			return nil
		}
		sp := t.tasks[r.Task]
		if (sp == nil || r.Task == 0) && r.Goroutine > 0 {
			sp = t.during(r.Goroutine-1, r.To)
		}
		switch n++; {
		case sp == nil:
		case n > limit:
			t.result.Dropped++
		default:
			sp.events = append(sp.events, event{r.To, t.x.Name(r.Name), r.Text})
		}
		return nil
	})
}

// during returns the request that a goroutine is in at a time, or nil.
func (t *otlp) during(g uint32, at int64) *span {
	list := t.requestSpans[g]
	i, found := slices.BinarySearchFunc(list, at, func(sp *span, at int64) int {
		switch {
		case sp.from < at:
			return -1
		case sp.from > at:
			return 1
		}
		return 0
	})
	if !found {
		i--
	}
	if i < 0 || list[i].to < at {
		return nil
	}
	return list[i]
}

// spans writes all spans.
func (t *otlp) spans() error {
	first, last := t.x.Info.Duration, int64(0)
	for _, sp := range t.all {
		t.begin(sp)
		t.attributes(sp)
		t.written(sp.events)
		if err := t.end(); err != nil {
			return err
		}
		if sp.request != nil {
			first, last = min(first, sp.from), max(last, sp.to)
		}
	}
	if err := t.regions(); err != nil {
		return err
	}
	var err error
	if serr := t.x.Spans(first, last, func(w index.Span) bool {
		if w.Code != index.Running && t.requestSpans[w.Goroutine] != nil {
			err = t.wait(&w)
		}
		return err == nil
	}); serr != nil {
		return serr
	}
	return err
}

// wait writes what a request waits for.
func (t *otlp) wait(w *index.Span) error {
	above := t.during(w.Goroutine, w.From)
	if above == nil || w.From == w.To || w.From == above.to {
		return nil
	}
	one := interval{from: w.From, to: min(w.To, above.to), name: t.state(w.Code), goroutine: w.Goroutine + 1}
	sp := t.span("wait", one, kindInternal, uint64(w.Goroutine), uint64(w.From))
	sp.below(above)
	t.begin(sp)
	if at := t.place(w.Stack); at != "" {
		t.attribute("whet.at", at)
	}
	return t.end()
}

// regions writes the regions of tasks.
func (t *otlp) regions() error {
	list, err := t.recorded(index.Regions)
	if err != nil {
		return err
	}
	open := map[uint32][]*span{} // regions by goroutine, outer ones first
	for i, one := range list {
		above := t.tasks[one.task]
		if above == nil || one.task == 0 {
			continue
		}
		sp := t.span("region", one, kindInternal, uint64(one.goroutine)<<32+uint64(i), uint64(one.from))
		outer := slices.DeleteFunc(open[one.goroutine], func(o *span) bool { return o.to < one.to || o.to <= one.from })
		if n := len(outer); n > 0 && outer[n-1].task == one.task {
			above = outer[n-1]
		}
		open[one.goroutine] = append(outer, sp)
		sp.below(above)
		t.begin(sp)
		t.attributes(sp)
		if err := t.end(); err != nil {
			return err
		}
	}
	return nil
}

func (t *otlp) raw(text string) { _, _ = t.w.WriteString(text) } // Flush has the error

func (t *otlp) text(before, text string) {
	t.raw(before)
	_, _ = t.w.Write(quoted(text)) // as above
}

// begin begins a span, up to its attributes.
func (t *otlp) begin(sp *span) {
	t.result.Slices++
	b := t.buf[:0]
	if t.more {
		b = append(b, ',')
	}
	t.more = true
	b = hex.AppendEncode(append(b, "\n"+`{"traceId":"`...), sp.trace[:])
	b = hex.AppendEncode(append(b, `","spanId":"`...), sp.id[:])
	if binary.BigEndian.Uint64(sp.parent[:]) != 0 {
		b = hex.AppendEncode(append(b, `","parentSpanId":"`...), sp.parent[:])
	}
	b = append(append(b, `","name":`...), quoted(sp.name)...)
	b = strconv.AppendInt(append(b, `,"kind":`...), int64(sp.kind), 10)
	b = strconv.AppendInt(append(b, `,"startTimeUnixNano":"`...), t.absolute(sp.from), 10)
	b = strconv.AppendInt(append(b, `","endTimeUnixNano":"`...), t.absolute(sp.to), 10)
	t.buf = append(b, `","attributes":[`...)
}

// absolute converts a time to one since 1970.
func (t *otlp) absolute(at int64) int64 {
	if t.o.Began.IsZero() {
		return at
	}
	return t.o.Began.UnixNano() + at
}

func (t *otlp) comma() {
	if t.buf[len(t.buf)-1] != '[' {
		t.buf = append(t.buf, ',')
	}
}

func (t *otlp) attribute(key, value string) {
	t.comma()
	t.buf = append(append(t.buf, `{"key":`...), quoted(key)...)
	t.buf = append(append(t.buf, `,"value":{"stringValue":`...), quoted(value)...)
	t.buf = append(t.buf, "}}"...)
}

func (t *otlp) number(key string, value int64) {
	t.comma()
	t.buf = append(append(t.buf, `{"key":`...), quoted(key)...)
	t.buf = strconv.AppendInt(append(t.buf, `,"value":{"intValue":"`...), value, 10)
	t.buf = append(t.buf, `"}}`...)
}

// written ends the attributes and writes events.
func (t *otlp) written(events []event) {
	if len(events) == 0 {
		return
	}
	t.buf = append(t.buf, `],"events":[`...)
	for i, e := range events {
		if i > 0 {
			t.buf = append(t.buf, ',')
		}
		t.buf = strconv.AppendInt(append(t.buf, `{"timeUnixNano":"`...), t.absolute(e.at), 10)
		t.buf = append(append(t.buf, `","name":`...), quoted(cmp.Or(e.category, "log"))...)
		t.buf = append(t.buf, `,"attributes":[`...)
		t.attribute("message", e.text)
		t.buf = append(t.buf, "]}"...)
	}
}

func (t *otlp) end() error {
	_, err := t.w.Write(append(t.buf, "]}"...))
	return err
}

// attributes writes what is known about a request, task or region.
func (t *otlp) attributes(sp *span) {
	if sp.goroutine > 0 {
		t.number("whet.goroutine", t.goroutines[sp.goroutine-1].id)
	}
	if sp.task > 0 {
		t.number("whet.task", int64(sp.task))
	}
	if r := sp.request; r != nil {
		for cause := range requests.Causes {
			if took := r.Times[cause]; took > 0 {
				t.number("whet."+strings.ReplaceAll(strings.ToLower(requests.Cause(cause).String()), " ", "_")+"_ns", int64(took))
			}
		}
	}
	if sp.open {
		t.attribute("whet.unfinished", "true")
	}
}
