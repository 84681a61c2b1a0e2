package summary_test

import (
	"bytes"
	"context"
	"runtime"
	"runtime/trace"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/trace/tracetest"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/summary"
)

// indexed makes a trace and its index.
func indexed(t *testing.T) *index.Index {
	t.Helper()
	var data bytes.Buffer
	if err := trace.Start(&data); err != nil {
		t.Fatal(err)
	}
	ctx, task := trace.NewTask(context.Background(), "job")
	var wg sync.WaitGroup
	work := make(chan int)
	for range 3 {
		wg.Go(func() {
			for range work {
				trace.WithRegion(ctx, "part", func() { runtime.Gosched() })
			}
		})
	}
	for n := range 500 {
		work <- n
	}
	close(work)
	wg.Wait()
	trace.Log(ctx, "note", "all parts are done")
	trace.Log(ctx, "note", "now garbage is collected")
	runtime.GC()
	task.End()
	trace.Stop()
	return tracetest.Index(t, data.Bytes())
}

// TestWindows checks that windows add up to the whole.
func TestWindows(t *testing.T) {
	x := indexed(t)
	whole, err := summary.New(x, 0, x.Info.Duration)
	if err != nil {
		t.Fatal(err)
	}
	total := map[string]time.Duration{}
	add := func(s *summary.Summary, sign time.Duration) {
		for _, k := range s.Kinds {
			sum := time.Duration(0)
			for _, stay := range k.Stays {
				total[k.Name+" "+stay.Name] += sign * stay.Total
				sum += stay.Total
				if stay.P50 > stay.P99 || stay.P99 > stay.Max || stay.Total > time.Duration(stay.Count)*stay.Max {
					t.Errorf("%s %s: %+v", k.Name, stay.Name, stay)
				}
			}
			if sum != k.Time {
				t.Errorf("%s is there for %v, and in states for %v", k.Name, k.Time, sum)
			}
		}
		for _, stay := range s.All.Stays {
			together := summary.Stay{}
			for _, k := range s.Kinds {
				for _, one := range k.Stays {
					if one.Code == stay.Code {
						together.Count += one.Count
						together.Total += one.Total
						together.Max = max(together.Max, one.Max)
					}
				}
			}
			if stay.Count != together.Count || stay.Total != together.Total || stay.Max != together.Max ||
				stay.P50 == 0 && stay.Max > 0 || stay.P50 > stay.P99 || stay.P99 > stay.Max {
				t.Errorf("all in %s: %+v, kinds together %+v", stay.Name, stay, together)
			}
		}
		for _, p := range s.Procs {
			total["proc"] += sign * p.Busy
		}
		for _, r := range s.Ranges {
			total[r.Name] += sign * r.Total
		}
	}
	add(whole, 1)
	const parts = 7
	for i := range int64(parts) {
		s, err := summary.New(x, x.Info.Duration*i/parts, x.Info.Duration*(i+1)/parts)
		if err != nil {
			t.Fatal(err)
		}
		add(s, -1)
	}
	for what, left := range total {
		if left != 0 {
			t.Errorf("%s: the windows differ from the whole by %v", what, left)
		}
	}
	// Compare with what the index knows about the whole trace.
	for _, k := range x.Kinds() {
		for _, stays := range k.Stays {
			for i := range whole.Kinds {
				if whole.Kinds[i].Name == k.Name && whole.Kinds[i].Of(stays.Code) != stays.Total {
					t.Errorf("%s %s: %v, the index has %v", k.Name, x.Code(stays.Code), whole.Kinds[i].Of(stays.Code), stays.Total)
				}
			}
		}
	}
	if len(whole.Logs) != 1 || whole.Logs[0] != (summary.Log{Category: "note", Count: 2}) {
		t.Errorf("logs %+v", whole.Logs)
	}
	if len(whole.Tasks) != 1 || whole.Tasks[0].Name != "job" || len(whole.Regions) != 1 || whole.Regions[0].Count != 500 ||
		len(whole.Ranges) == 0 || len(whole.Metrics) == 0 {
		t.Errorf("tasks %+v, regions %+v, ranges %+v, metrics %+v", whole.Tasks, whole.Regions, whole.Ranges, whole.Metrics)
	}
}
