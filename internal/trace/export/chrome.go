package export

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"

	"github.com/whet-go/whet/trace/index"
)

// Chrome writes a trace as Trace Event Format (JSON), which chrome://tracing, Perfetto and
// speedscope open: a process for each group of tracks, a thread for each track. Times are in
// microseconds with three decimal places.
func Chrome(w io.Writer, x *index.Index, o Options) (Result, error) {
	s, err := newSource(x, o)
	if err != nil {
		return Result{}, err
	}
	c := &chrome{w: bufio.NewWriterSize(w, 64<<10), numbers: map[track]uint64{}}
	_, _ = c.w.WriteString(`{"displayTimeUnit":"ns","traceEvents":[`) // Flush has the error
	for g := processors; g < groups; g++ {
		c.meta("process_name", uint64(g), 0, g.String())
		c.meta("process_sort_index", uint64(g), 0, strconv.Itoa(int(g)))
	}
	if err := s.draw(c); err != nil {
		return s.result, err
	}
	_, _ = c.w.WriteString("\n]}\n") // as above
	return s.result, c.w.Flush()
}

type chrome struct {
	w       *bufio.Writer
	buf     []byte
	more    bool
	flows   uint64
	numbers map[track]uint64 // thread numbers: small ones, other than goroutines' numbers
}

// begin begins an event; end writes it.
func (c *chrome) begin(kind string, pid, tid uint64) {
	c.buf = c.buf[:0]
	if c.more {
		c.buf = append(c.buf, ',')
	}
	c.buf = append(c.buf, '\n')
	c.more = true
	c.buf = append(append(append(c.buf, `{"ph":"`...), kind...), `","pid":`...)
	c.buf = strconv.AppendUint(c.buf, pid, 10)
	c.buf = append(c.buf, `,"tid":`...)
	c.buf = strconv.AppendUint(c.buf, tid, 10)
}

func (c *chrome) text(key, text string) {
	c.buf = append(append(c.buf, key...), quoted(text)...)
}

// micros writes nanoseconds as microseconds.
func (c *chrome) micros(key string, nanos int64) {
	c.buf = append(c.buf, key...)
	c.buf = strconv.AppendInt(c.buf, nanos/1000, 10)
	c.buf = append(c.buf, '.', byte('0'+nanos/100%10), byte('0'+nanos/10%10), byte('0'+nanos%10))
}

func (c *chrome) end() error {
	c.buf = append(c.buf, '}')
	_, err := c.w.Write(c.buf)
	return err
}

func (c *chrome) meta(what string, pid, tid uint64, value string) {
	c.begin("M", pid, tid)
	c.text(`,"name":`, what)
	switch what {
	case "process_sort_index", "thread_sort_index":
		c.buf = append(append(append(c.buf, `,"args":{"sort_index":`...), value...), '}')
	default:
		c.text(`,"args":{"name":`, value)
		c.buf = append(c.buf, '}')
	}
	_ = c.end() // the writer keeps the error
}

// number returns the thread of a track.
func (c *chrome) number(t track) uint64 {
	n, ok := c.numbers[t]
	if !ok {
		n = uint64(len(c.numbers) + 1)
		c.numbers[t] = n
	}
	return n
}

func (c *chrome) track(t track, name string) error {
	c.meta("thread_name", uint64(t.group), c.number(t), name)
	return nil
}

func (c *chrome) slice(t track, name string, from, to int64, args ...arg) error {
	c.begin("X", uint64(t.group), c.number(t))
	c.text(`,"name":`, name)
	c.micros(`,"ts":`, from)
	c.micros(`,"dur":`, to-from)
	if len(args) > 0 {
		c.buf = append(c.buf, `,"args":{`...)
		for i, a := range args {
			if i > 0 {
				c.buf = append(c.buf, ',')
			}
			c.buf = append(append(c.buf, quoted(a.name)...), ':')
			c.buf = append(c.buf, quoted(a.text)...)
		}
		c.buf = append(c.buf, '}')
	}
	return c.end()
}

// flow writes the ends of an arrow between two threads.
func (c *chrome) flow(from, to track, _ string, at int64) error {
	c.flows++
	for _, end := range []struct {
		kind string
		t    track
	}{{"s", from}, {"f", to}} {
		c.begin(end.kind, uint64(end.t.group), c.number(end.t))
		c.text(`,"name":`, "wakes")
		c.text(`,"cat":`, "wakes")
		c.buf = strconv.AppendUint(append(c.buf, `,"id":`...), c.flows, 10)
		if end.kind == "f" {
			c.buf = append(c.buf, `,"bp":"e"`...)
		}
		c.micros(`,"ts":`, at)
		if err := c.end(); err != nil {
			return err
		}
	}
	return nil
}

func (c *chrome) counter(name string, at int64, value uint64) error {
	c.begin("C", uint64(collector), 0)
	c.text(`,"name":`, name)
	c.micros(`,"ts":`, at)
	c.buf = strconv.AppendUint(append(c.buf, `,"args":{"value":`...), value, 10)
	c.buf = append(c.buf, '}')
	return c.end()
}

// quoted returns a text as JSON.
func quoted(text string) []byte {
	b, err := json.Marshal(text)
	if err != nil {
		return []byte(`""`) // cannot happen for a text
	}
	return b
}
