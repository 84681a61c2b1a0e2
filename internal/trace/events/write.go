package events

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"golang.org/x/exp/trace"

	"github.com/whet-go/whet/internal/trace/reader"
)

// Options configure Write.
type Options struct {
	// From and To are a window, in nanoseconds since the start of the trace; To 0 means its end.
	From, To int64
	N        int     // maximum number; 0 means all
	Filter   *Filter // nil means all
	Stacks   bool    // with their stacks
}

// Result describes what was written.
type Result struct {
	Read, Written int64 // events
	// Damage is what ended the trace early; "" if the part that was read is intact.
	Damage string
}

// Write reads a trace as far as needed, and writes events as lines of JSON. It returns an error if
// nothing can be read, if the filter or w fails, or if ctx ends.
func Write(ctx context.Context, w io.Writer, r io.Reader, o Options) (result Result, err error) {
	tr, err := reader.Open(ctx, r)
	if err != nil {
		return Result{}, fmt.Errorf("read trace: %w", err)
	}
	o.To = cmp.Or(o.To, math.MaxInt64)
	out := bufio.NewWriterSize(w, 64<<10)
	defer func() {
		if ferr := out.Flush(); err == nil {
			err = ferr
		}
	}()
	e, line := &Event{}, []byte(nil)
	begin := trace.Time(0)
	for {
		ev, err := tr.ReadEvent()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				result.Damage = err.Error()
			}
			if result.Read <= 1 { // the reader begins even an empty trace with an event
				return result, fmt.Errorf("read trace: no events: %s", cmp.Or(result.Damage, "it is empty"))
			}
			return result, nil
		}
		if result.Read == 0 {
			begin = ev.Time()
		}
		if result.Read++; result.Read%4096 == 0 && ctx.Err() != nil {
			return result, ctx.Err()
		}
		switch at := int64(ev.Time() - begin); {
		case at < o.From:
			continue
		case at > o.To:
			return result, nil
		}
		if err := e.fill(&ev, begin, o.Stacks || o.Filter != nil && o.Filter.stacks); err != nil {
			result.Damage = err.Error()
			return result, nil
		}
		if o.Filter != nil {
			ok, err := o.Filter.matches(e)
			if err != nil {
				return result, err
			}
			if !ok {
				continue
			}
		}
		if line = e.append(line[:0], o.Stacks); err == nil {
			_, err = out.Write(line)
		}
		if err != nil {
			return result, err
		}
		if result.Written++; o.N > 0 && result.Written >= int64(o.N) {
			return result, nil
		}
	}
}

// fill fills in an event. It panics inside if an event refers to data missing from the trace's
// tables.
func (e *Event) fill(ev *trace.Event, begin trace.Time, stack bool) (err error) {
	defer damaged(&err)
	e.set(ev, begin)
	if stack {
		e.setStack(ev)
	}
	return nil
}

func damaged(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged: %v", p)
	}
}

// append appends the line of an event.
func (e *Event) append(b []byte, stack bool) []byte {
	number := func(name string, v int64) {
		b = append(b, name...)
		b = strconv.AppendInt(b, v, 10)
	}
	text := func(name, v string) {
		if v != "" {
			b = appendString(append(b, name...), v)
		}
	}
	number(`{"time_ns":`, e.Time)
	text(`,"kind":`, e.Kind)
	number(`,"proc":`, e.Proc)
	number(`,"thread":`, e.Thread)
	number(`,"goroutine":`, e.Goroutine)
	if e.Resource != "" {
		text(`,"resource":`, e.Resource)
		number(`,"id":`, e.ID)
	}
	text(`,"from":`, e.From)
	text(`,"to":`, e.To)
	text(`,"reason":`, e.Reason)
	text(`,"name":`, e.Name)
	text(`,"message":`, e.Message)
	switch e.Kind {
	case "Metric":
		number(`,"value":`, e.Value)
	case "TaskBegin", "TaskEnd":
		number(`,"task":`, e.Task)
		number(`,"parent":`, e.Parent)
	case "RegionBegin", "RegionEnd", "Log":
		number(`,"task":`, e.Task)
	}
	if stack && len(e.Stack) > 0 {
		b = append(b, `,"stack":`...)
		for i, f := range e.Stack {
			b = append(b, "[,"[min(i, 1)])
			text(`{"func":`, f.Func)
			if f.Func == "" {
				b = append(b, `{"func":""`...)
			}
			text(`,"file":`, f.File)
			number(`,"line":`, int64(f.Line))
			b = append(b, '}')
		}
		b = append(b, ']')
	}
	return append(b, '}', '\n')
}

// appendString appends a text as JSON.
func appendString(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			quoted, err := json.Marshal(s)
			if err != nil {
				return append(b, `""`...) // cannot happen for a string
			}
			return append(b, quoted...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}
