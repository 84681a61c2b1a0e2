package cut

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/whet-go/whet/internal/trace/reader"
)

// Options configure Cut.
type Options struct {
	// From and To are a window, in nanoseconds since the start of the trace; To 0 means its end.
	From, To int64
	// Progress, if set, is called repeatedly with the number of bytes read.
	Progress func(bytes int64)
}

// Result describes the new trace.
type Result struct {
	Go          string        `json:"go"`      // version that wrote the trace: "1.26"
	From        time.Duration `json:"from_ns"` // of the new trace, since the start of the old one
	To          time.Duration `json:"to_ns"`
	Generations int           `json:"generations"` // written
	Skipped     int           `json:"-"`           // generations before the window
	Written     int64         `json:"bytes"`
	Read        int64         `json:"read_bytes"`
	// Whole is set if the last generation could not be shortened and was written in full.
	Whole bool `json:"whole,omitempty"`
	// Damage is why nothing was read after the last generation; "" if the trace is intact, or the
	// window ends before the damage.
	Damage string `json:"damage,omitempty"`
}

// An OutsideError reports a window outside the trace.
type OutsideError struct{ From, End time.Duration }

func (e *OutsideError) Error() string {
	return fmt.Sprintf("nothing to cut from %v on: the trace ends at %v", e.From, e.End)
}

// Hint returns what to do next.
func (e *OutsideError) Hint() string { return "times count from the start of the trace" }

// Cut reads a trace as far as needed, and writes the part in a window. What comes before the window
// in its first generation remains. Its errors are a [*VersionError], an [*OutsideError], those of
// reading and writing, and that of ctx. A trace that is damaged further on is cut up to that point,
// as Result.Damage reports.
func Cut(ctx context.Context, w io.Writer, r io.Reader, o Options) (Result, error) {
	head, minor, err := readHead(r)
	if err != nil {
		return Result{}, err
	}
	c := &cutter{
		in: &generations{r: bufio.NewReaderSize(r, 1<<20), minor: minor, off: headLen}, w: w, o: o, head: head,
		result: Result{Go: fmt.Sprintf("1.%d", minor)},
	}
	if c.o.To == 0 {
		c.o.To = math.MaxInt64
	}
	if c.o.From < 0 || c.o.From > c.o.To {
		return Result{}, fmt.Errorf("invalid window from %d to %d (want an end after the start)", c.o.From, c.o.To)
	}
	err = c.run(ctx)
	c.result.Read = c.in.off
	return c.result, err
}

type cutter struct {
	in     *generations
	w      io.Writer
	o      Options
	head   []byte
	result Result
	first  int64 // start of the trace
}

// run reads the generations. It holds one until it knows where the next begins.
func (c *cutter) run(ctx context.Context) error {
	var held *generation
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		g, err := c.in.generation()
		if err != nil && !errors.Is(err, io.EOF) {
			c.result.Damage = err.Error()
		}
		switch {
		case err != nil && held == nil:
			return fmt.Errorf("no complete generation in the trace: %s", cmp.Or(c.result.Damage, "it is empty"))
		case err != nil:
			_, err := c.decide(ctx, held, nil)
			return err
		case held == nil:
			c.first = g.nanos(g.begin)
		default:
			if done, err := c.decide(ctx, held, g); done || err != nil {
				return err
			}
		}
		held = g
		if c.o.Progress != nil {
			c.o.Progress(c.in.off)
		}
	}
}

// decide writes a generation, or the wanted part of it, unless it is before the window; next is the
// one after it, or nil. done reports that no more are wanted.
func (c *cutter) decide(ctx context.Context, g, next *generation) (done bool, err error) {
	last, err := g.last()
	if err != nil {
		return false, fmt.Errorf("generation %d: %w", g.number, err)
	}
	begin, end := g.nanos(g.begin)-c.first, last-c.first
	if next != nil {
		end = max(end, next.nanos(next.begin)-c.first)
	}
	if end < c.o.From {
		if next == nil {
			return false, &OutsideError{time.Duration(c.o.From), time.Duration(end)}
		}
		c.result.Skipped++
		return false, nil
	}
	if c.result.Generations == 0 {
		c.result.From = time.Duration(begin)
		if err := c.write(c.head); err != nil {
			return false, err
		}
	}
	c.result.Generations++
	if c.o.To >= last-c.first {
		c.result.To = time.Duration(last - c.first)
		return c.o.To < end, c.write(g.bytes)
	}
	c.result.Damage = "" // the window does not include it
	short, to := c.shorten(ctx, g, last)
	c.result.To, c.result.Whole = time.Duration(to-c.first), short == nil
	if short == nil {
		short = g.bytes
	}
	return true, c.write(short)
}

func (c *cutter) write(b []byte) error {
	n, err := c.w.Write(b)
	c.result.Written += int64(n)
	return err
}

// slacks returns how much more of a generation to keep, in nanoseconds, one after the other until
// the result can be read, since the clocks of processors may differ.
func slacks() []int64 { return []int64{0, 10_000, 1_000_000} }

// shorten returns a generation without the events after the window, and when it ends. The result is
// nil, with the generation's own end, if that cannot be read.
func (c *cutter) shorten(ctx context.Context, g *generation, last int64) ([]byte, int64) {
	for _, slack := range slacks() {
		until := add(add(c.first, c.o.To), slack)
		if until >= last {
			break
		}
		short, err := g.until(until, c.in.minor)
		if err == nil && readable(ctx, c.head, short) {
			return short, until
		}
	}
	return nil, last
}

// until returns a generation without the events after a time, in nanoseconds.
func (g *generation) until(end int64, minor int) ([]byte, error) {
	out := make([]byte, 0, len(g.bytes))
	ticks := uint64(float64(end) / g.tick)
	var keep []byte
	for i := range g.batches {
		b := &g.batches[i]
		if g.bytes[b.from] == evBatch && b.to > b.data && g.bytes[b.data] == evCPUSamples {
			samples, err := g.samples(b, end)
			if err != nil {
				return nil, err
			}
			out = b.append(out, b.time, samples)
			continue
		}
		if !g.isEvents(b) {
			out = append(out, g.bytes[b.from:b.to]...)
			continue
		}
		upTo := b.data
		keep = keep[:0]
		if err := g.events(b, func(from, rest, to int, at int64) bool {
			switch {
			case at <= end && len(keep) == 0 && upTo == from:
				upTo = to
			case recordsState(g.bytes[from]):
				keep = append(keep, g.bytes[from], 0) // at the same time as the previous one
				keep = append(keep, g.bytes[rest:to]...)
			}
			return true
		}); err != nil {
			return nil, err
		}
		if upTo > b.data {
			out = b.append(out, b.time, g.bytes[b.data:upTo])
		}
		if len(keep) > 0 {
			out = b.append(out, ticks, keep) // the batch itself may begin later
		}
	}
	if minor >= marked {
		out = append(out, evEndOfGeneration)
	}
	return out, nil
}

// append appends a batch like this one with other contents.
func (b *batch) append(out []byte, time uint64, data []byte) []byte {
	out = append(out, evBatch)
	for _, v := range []uint64{b.generation, b.thread, time, uint64(len(data))} {
		out = binary.AppendUvarint(out, v)
	}
	return append(out, data...)
}

// samples returns the CPU samples of a batch until a time.
func (g *generation) samples(b *batch, end int64) ([]byte, error) {
	out := []byte{evCPUSamples}
	for i := b.data + 1; i < b.to; {
		from := i
		if g.bytes[i] != evCPUSample {
			return nil, errEvent
		}
		i++
		at := int64(0)
		for k := range 5 { // time, thread, processor, goroutine, stack
			v, size := binary.Uvarint(g.bytes[i:b.to])
			if size <= 0 {
				return nil, errEvent
			}
			i += size
			if k == 0 {
				at = g.nanos(v)
			}
		}
		if at <= end {
			out = append(out, g.bytes[from:i]...)
		}
	}
	return out, nil
}

// readable reports whether a generation can be read to its end.
func readable(ctx context.Context, head, generation []byte) bool {
	r, err := reader.Open(ctx, io.MultiReader(bytes.NewReader(head), bytes.NewReader(generation)))
	if err != nil {
		return false
	}
	for {
		switch _, err := r.ReadEvent(); {
		case errors.Is(err, io.EOF):
			return true
		case err != nil:
			return false
		}
	}
}
