package index

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"

	"golang.org/x/exp/trace"

	"github.com/whet-go/whet/trace/index/indextest"
)

// TestRecordStacks compares the stacks of records with those of the events that began them.
func TestRecordStacks(t *testing.T) {
	data := indextest.Record(t, 4_000)
	want := map[string]int{}
	r, err := trace.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for {
		ev, err := r.ReadEvent()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		var calls []string
		for f := range ev.Stack().Frames() {
			calls = append(calls, fmt.Sprint(f.Func, ":", f.Line))
		}
		at := " " + strings.Join(calls, " ")
		switch ev.Kind() {
		case trace.EventTaskBegin:
			want[ev.Task().Type+at]++
		case trace.EventRegionBegin:
			want[ev.Region().Type+at]++
		case trace.EventRangeBegin:
			want[ev.Range().Name+at]++
		case trace.EventLog:
			want[ev.Log().Category+at]++
		}
	}
	x := build(t, data)
	got := map[string]int{}
	for _, stream := range []Stream{Tasks, Regions, Logs, Ranges} {
		if err := x.Records(stream, 0, x.Info.Duration, func(r *Record) bool {
			var calls []string
			for _, f := range x.Stack(r.Stack) {
				calls = append(calls, fmt.Sprint(f.Func, ":", f.Line))
			}
			if r.From > 0 || len(calls) > 0 { // else it began before the trace
				got[x.Name(r.Name)+" "+strings.Join(calls, " ")]++
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, name := range []string{"job ", "piece ", "part ", "at ", "stop-the-world (GC sweep termination) "} {
		found := false
		for at := range got {
			found = found || strings.HasPrefix(at, name) && strings.Contains(at, "indextest.Record")
		}
		if !found {
			t.Errorf("no record %q in indextest.Record among %v", name, got)
		}
	}
}
