package events_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	rtrace "runtime/trace"
	"strings"
	"sync"
	"testing"

	"golang.org/x/exp/trace"

	"github.com/whet-go/whet/internal/trace/events"
)

// line is a line as read by another program.
type line struct {
	Time      int64  `json:"time_ns"`
	Kind      string `json:"kind"`
	Proc      int64  `json:"proc"`
	Thread    int64  `json:"thread"`
	Goroutine int64  `json:"goroutine"`
	Resource  string `json:"resource"`
	ID        *int64 `json:"id"`
	From      string `json:"from"`
	To        string `json:"to"`
	Reason    string `json:"reason"`
	Name      string `json:"name"`
	Message   string `json:"message"`
	Value     *int64 `json:"value"`
	Task      *int64 `json:"task"`
	Parent    *int64 `json:"parent"`
	Stack     []struct {
		Func string `json:"func"`
		File string `json:"file"`
		Line int    `json:"line"`
	} `json:"stack"`
}

// record returns a trace with events of many kinds.
func record(t testing.TB) []byte {
	t.Helper()
	var data bytes.Buffer
	if err := rtrace.Start(&data); err != nil {
		t.Fatal(err)
	}
	ctx, task := rtrace.NewTask(context.Background(), "job")
	_, child := rtrace.NewTask(ctx, "part")
	var wg sync.WaitGroup
	work := make(chan int)
	for range 3 {
		wg.Go(func() {
			for range work {
				rtrace.WithRegion(ctx, "step", func() { rtrace.Log(ctx, "at", "\"here\" <&>\n\xff…") })
			}
		})
	}
	for n := range 300 {
		work <- n
	}
	close(work)
	wg.Wait()
	child.End()
	task.End()
	rtrace.Stop()
	return data.Bytes()
}

// write writes events and reads the lines.
func write(t testing.TB, data []byte, o events.Options) ([]line, events.Result) {
	t.Helper()
	var out bytes.Buffer
	result, err := events.Write(t.Context(), &out, bytes.NewReader(data), o)
	if err != nil {
		t.Fatal(err)
	}
	var list []line
	for d := json.NewDecoder(&out); ; {
		var l line
		d.DisallowUnknownFields()
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, l)
	}
	if result.Written != int64(len(list)) || result.Damage != "" {
		t.Fatalf("%+v, %d lines", result, len(list))
	}
	return list, result
}

// TestAll compares all lines with the events of the reader.
func TestAll(t *testing.T) {
	data := record(t)
	list, _ := write(t, data, events.Options{Stacks: true})
	r, err := trace.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	kinds, begin := map[string]int{}, trace.Time(0)
	for i := range list {
		ev, err := r.ReadEvent()
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			begin = ev.Time()
		}
		l := list[i]
		kinds[l.Kind]++
		if l.Time != int64(ev.Time()-begin) || l.Kind != ev.Kind().String() || l.Proc != int64(ev.Proc()) ||
			l.Thread != int64(ev.Thread()) || l.Goroutine != int64(ev.Goroutine()) {
			t.Fatalf("%+v, want %v", l, ev)
		}
		frames := 0
		if ev.Stack() != trace.NoStack {
			for f := range ev.Stack().Frames() {
				if l.Stack[frames].Func != f.Func || l.Stack[frames].Line != int(f.Line) {
					t.Fatalf("%+v, want %v", l, f)
				}
				frames++
			}
		}
		if frames != len(l.Stack) {
			t.Fatalf("%d frames, want %d", len(l.Stack), frames)
		}
		switch ev.Kind() {
		case trace.EventStateTransition:
			if st := ev.StateTransition(); st.Resource.Kind == trace.ResourceGoroutine {
				from, to := st.Goroutine()
				if l.Resource != "goroutine" || *l.ID != int64(st.Resource.Goroutine()) || l.From != from.String() ||
					l.To != to.String() || l.Reason != st.Reason {
					t.Fatalf("%+v, want %v", l, ev)
				}
			}
		case trace.EventLog:
			if l.Name != "at" || l.Message != strings.ToValidUTF8("\"here\" <&>\n\xff…", "\ufffd") ||
				*l.Task != int64(ev.Log().Task) {
				t.Fatalf("%+v", l)
			}
		case trace.EventTaskBegin:
			if l.Name != ev.Task().Type || *l.Parent != int64(ev.Task().Parent) {
				t.Fatalf("%+v", l)
			}
		case trace.EventMetric:
			if l.Name != ev.Metric().Name || *l.Value != int64(ev.Metric().Value.Uint64()) {
				t.Fatalf("%+v", l)
			}
		}
	}
	if _, err := r.ReadEvent(); !errors.Is(err, io.EOF) {
		t.Errorf("there are more events: %v", err)
	}
	if kinds["Log"] != 300 || kinds["RegionEnd"] != 300 || kinds["TaskEnd"] != 2 || kinds["StateTransition"] < 300 ||
		kinds["Metric"] == 0 {
		t.Errorf("kinds of events: %v", kinds)
	}
}

// TestFilter selects events.
func TestFilter(t *testing.T) {
	data := record(t)
	all, _ := write(t, data, events.Options{})
	half := all[len(all)/2].Time
	for _, test := range []struct {
		filter string
		o      events.Options
		want   func(l line) bool
	}{
		{`kind == "Log"`, events.Options{}, func(l line) bool { return l.Kind == "Log" }},
		{
			`to == "Waiting" && reason startsWith "chan"`,
			events.Options{},
			func(l line) bool { return l.To == "Waiting" && strings.HasPrefix(l.Reason, "chan") },
		},
		{
			`time_ns > 1e5 and id in [1, 7]`,
			events.Options{},
			func(l line) bool { return l.Time > 1e5 && l.ID != nil && (*l.ID == 1 || *l.ID == 7) },
		},
		{
			`name matches "^st"`,
			events.Options{From: half},
			func(l line) bool { return strings.HasPrefix(l.Name, "st") && l.Time >= half },
		},
		{`true`, events.Options{To: half}, func(l line) bool { return l.Time <= half }},
	} {
		f, err := events.NewFilter(test.filter)
		if err != nil {
			t.Errorf("%s: %v", test.filter, err)
			continue
		}
		test.o.Filter = f
		got, _ := write(t, data, test.o)
		want := 0
		for _, l := range all {
			if test.want(l) {
				want++
			}
		}
		for _, l := range got {
			if !test.want(l) {
				t.Errorf("%s: %+v", test.filter, l)
			}
		}
		if len(got) != want || want == 0 {
			t.Errorf("%s: %d, want %d", test.filter, len(got), want)
		}
	}
	f, err := events.NewFilter(`any(stack, .func matches "events_test.record" && .line > 0)`)
	if err != nil {
		t.Fatal(err)
	}
	got, result := write(t, data, events.Options{Filter: f, N: 3, Stacks: true})
	if len(got) != 3 || result.Read >= int64(len(all)) {
		t.Errorf("%d events of %+v", len(got), result)
	}
	for _, l := range got {
		if len(l.Stack) == 0 {
			t.Errorf("%+v has no stack", l)
		}
	}
}

// TestErrors checks the errors for invalid options and damaged traces.
func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "unexpected token EOF",
		"kin == 1":         "unknown name kin",
		"kind == 1":        "mismatched types",
		"goroutine":        "expected bool",
		`name matches "("`: "missing closing",
	} {
		if _, err := events.NewFilter(text); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for _, text := range []string{"", "hello", "go 1.26 trace\x00\x00\x00\x01"} {
		if _, err := events.Write(t.Context(), io.Discard, strings.NewReader(text), events.Options{}); err == nil {
			t.Errorf("%q is a trace", text)
		}
	}
	data := record(t)
	if result, err := events.Write(t.Context(), io.Discard, bytes.NewReader(data[:len(data)-1]),
		events.Options{}); err == nil && result.Damage == "" {
		t.Errorf("a trace that is cut off is whole: %+v", result)
	}
	f, err := events.NewFilter("stack[3].line > 0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := events.Write(t.Context(), io.Discard, bytes.NewReader(data), events.Options{Filter: f}); err == nil ||
		!strings.Contains(err.Error(), "filter at") {
		t.Errorf("an index that is out of range: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	long, err := events.NewFilter("false")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := events.Write(ctx, io.Discard, bytes.NewReader(data), events.Options{Filter: long}); err != nil &&
		!errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// FuzzWrite reads any bytes, and expects lines of JSON.
func FuzzWrite(f *testing.F) {
	small, err := os.ReadFile("../testdata/go1.26.trace")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(small)
	f.Add(small[:len(small)/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		var out bytes.Buffer
		if _, err := events.Write(t.Context(), &out, bytes.NewReader(data),
			events.Options{Stacks: true, N: 1000}); err != nil {
			return
		}
		for line := range bytes.Lines(out.Bytes()) {
			if !json.Valid(line) {
				t.Fatalf("%q is not JSON", line)
			}
		}
	})
}
