package export_test

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"runtime/trace"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/whet-go/whet/internal/trace/export"
	"github.com/whet-go/whet/internal/trace/tracetest"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/requests"
	"github.com/whet-go/whet/trace/summary"
)

// indexed returns the index of a trace of a server with tasks and regions.
func indexed(t *testing.T) *index.Index {
	t.Helper()
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, task := trace.NewTask(r.Context(), "answer")
		defer task.End()
		trace.WithRegion(ctx, "outer", func() {
			trace.Log(ctx, "step", "one")
			trace.WithRegion(ctx, "inner", func() {
				mu.Lock()
				defer mu.Unlock()
				runtime.Gosched()
			})
		})
		_, below := trace.NewTask(ctx, "below")
		below.End()
		done := make(chan []byte)
		go func() { done <- make([]byte, 50<<10) }()
		_, _ = w.Write((<-done)[:10])
	}))
	defer server.Close()
	ask := func(n int) {
		for range n {
			resp, err := server.Client().Get(server.URL)
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
	}
	ask(1)
	var data bytes.Buffer
	if err := trace.Start(&data); err != nil {
		t.Fatal(err)
	}
	_, open := trace.NewTask(t.Context(), "open")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { ask(15) })
	}
	runtime.GC()
	wg.Wait()
	trace.Stop()
	open.End()
	return tracetest.Index(t, data.Bytes())
}

// A slice is a slice as read by another program.
type slice struct {
	group, track, name string
	from, to           int64
	args               map[string]string
}

// A drawn is an export as read by another program.
type drawn struct {
	slices   []slice
	counters map[string]int
}

// windows returns options for exports: everything, a part, goroutines of one kind.
func windows(x *index.Index) map[string]export.Options {
	return map[string]export.Options{
		"all":        {Name: "test"},
		"part":       {From: x.Info.Duration / 3, To: x.Info.Duration / 2},
		"goroutines": {Goroutines: regexp.MustCompile(`net/http\.\(\*conn\)\.serve`)},
	}
}

// check compares an export with a summary of the same window.
func check(t *testing.T, x *index.Index, o export.Options, d drawn) {
	t.Helper()
	if o.To == 0 {
		o.To = x.Info.Duration
	}
	want, busy := map[string]time.Duration{}, map[string]time.Duration{}
	groups, err := summary.Groups(x, summary.ByStart, summary.Options{From: o.From, To: o.To, Goroutines: o.Goroutines})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		for _, s := range g.Stays {
			name := s.Name
			if name == "" {
				name = "waiting"
			}
			want[name] += s.Total
			if s.Code == index.Running || s.Code == index.Assist {
				busy[cmp.Or(g.Name, "(no stack)")] += s.Total
			}
		}
	}
	got, ran := map[string]time.Duration{}, map[string]time.Duration{}
	tracks := map[string][]slice{}
	count := map[string]int{}
	for _, s := range d.slices {
		key := s.group + "/" + s.track
		tracks[key] = append(tracks[key], s)
		count[s.group]++
		switch {
		case s.group == "goroutines" && !strings.HasSuffix(s.track, " regions"):
			got[s.name] += time.Duration(s.to - s.from)
		case s.group == "processors":
			ran[s.name] += time.Duration(s.to - s.from)
		}
	}
	same := func(what string, got, want map[string]time.Duration) {
		for name := range want {
			if want[name] != got[name] {
				t.Errorf("%s %s: %v, want %v", what, name, got[name], want[name])
			}
			delete(got, name)
		}
		for name := range got {
			t.Errorf("%s %s is not in the summary", what, name)
		}
	}
	same("goroutines", got, want)
	same("processors", ran, busy)
	for name, list := range tracks {
		// In the order in which they begin, by which programs sort, each slice ends before the next
		// begins, or contains it.
		slices.SortStableFunc(list, func(a, b slice) int { return cmp.Compare(a.from, b.from) })
		var open []int64
		for i, s := range list {
			if i > 0 && s.from < list[i-1].from || s.to < s.from {
				t.Fatalf("%s: %+v comes after %+v", name, s, list[max(i-1, 0)])
			}
			for len(open) > 0 && open[len(open)-1] <= s.from {
				open = open[:len(open)-1]
			}
			if len(open) > 0 && open[len(open)-1] < s.to {
				t.Fatalf("%s: %+v is neither within the one before nor after it", name, s)
			}
			open = append(open, s.to)
		}
	}
	if o.From == 0 && (count["requests"] == 0 || count["tasks"] == 0 ||
		o.Goroutines == nil && (count["collector"] == 0 || len(d.counters) < 2)) {
		t.Errorf("%v, counters %v", count, d.counters)
	}
}

// TestChrome reads an export in Chrome's format.
func TestChrome(t *testing.T) {
	x := indexed(t)
	for name, o := range windows(x) {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			result, err := export.Chrome(&out, x, o)
			if err != nil {
				t.Fatal(err)
			}
			var file struct {
				TraceEvents []struct {
					Ph, Name string
					Pid, Tid int
					Ts, Dur  float64
					Args     map[string]any
				}
			}
			if err := json.Unmarshal(out.Bytes(), &file); err != nil {
				t.Fatal(err)
			}
			groups, tracks := map[int]string{}, map[int]string{}
			d := drawn{counters: map[string]int{}}
			nanos := func(micros float64) int64 { return int64(math.Round(micros * 1000)) }
			for _, ev := range file.TraceEvents {
				switch ev.Ph {
				case "M":
					switch ev.Name {
					case "process_name":
						groups[ev.Pid] = ev.Args["name"].(string)
					case "thread_name":
						tracks[ev.Tid] = ev.Args["name"].(string)
					}
				case "C":
					d.counters[ev.Name]++
				case "X":
					s := slice{
						groups[ev.Pid], tracks[ev.Tid], ev.Name, nanos(ev.Ts), nanos(ev.Ts) + nanos(ev.Dur),
						map[string]string{},
					}
					if s.group == "" || s.track == "" {
						t.Fatalf("%+v has no name", ev)
					}
					d.slices = append(d.slices, s)
				}
			}
			if result.Slices != int64(len(d.slices)) {
				t.Errorf("%+v, %d slices", result, len(d.slices))
			}
			check(t, x, o, d)
		})
	}
}

// TestOTLP reads an export in OpenTelemetry's format.
func TestOTLP(t *testing.T) {
	x := indexed(t)
	if x.Info.Began.IsZero() {
		t.Fatal("the trace does not say when it began")
	}
	var out, again bytes.Buffer
	o := export.Options{Name: "test", Began: x.Info.Began}
	result, err := export.OTLP(&out, x, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := export.OTLP(&again, x, o); err != nil || !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Errorf("the same trace is exported otherwise: %v", err)
	}
	var data otlp.TracesData
	if err := protojson.Unmarshal(out.Bytes(), &data); err != nil {
		t.Fatal(err)
	}
	if len(data.ResourceSpans) != 1 || data.ResourceSpans[0].Resource.Attributes[0].Value.GetStringValue() != "test" {
		t.Fatalf("%d resources", len(data.ResourceSpans))
	}
	// OTLP's JSON has identifiers in hexadecimal, where other JSON of protocol buffers has base64.
	id := func(b []byte, size int) string {
		text := base64.StdEncoding.EncodeToString(b)
		if raw, err := hex.DecodeString(text); err != nil || len(raw) != size {
			t.Fatalf("%q is not an identifier of %d bytes", text, size)
		}
		return text
	}
	spans := map[string]*otlp.Span{}
	for _, sp := range data.ResourceSpans[0].ScopeSpans[0].Spans {
		if at := time.Unix(0, int64(sp.StartTimeUnixNano)); time.Since(at) < 0 || time.Since(at) > time.Hour ||
			sp.EndTimeUnixNano < sp.StartTimeUnixNano {
			t.Errorf("%v to %v", at, sp.EndTimeUnixNano)
		}
		if key := id(sp.SpanId, 8); spans[key] == nil {
			spans[key] = sp
		} else {
			t.Errorf("two spans are %s: %v, %v", key, sp, spans[key])
		}
	}
	if result.Slices != int64(len(spans)) {
		t.Errorf("%+v, %d spans", result, len(spans))
	}
	waits := map[string]int64{}
	count := map[string]int{}
	for _, sp := range spans {
		if len(sp.ParentSpanId) == 0 {
			count["roots of "+sp.Name]++
			continue
		}
		above := spans[id(sp.ParentSpanId, 8)]
		if above == nil || id(above.TraceId, 16) != id(sp.TraceId, 16) || sp.StartTimeUnixNano < above.StartTimeUnixNano ||
			sp.StartTimeUnixNano > above.EndTimeUnixNano {
			t.Fatalf("%v is not below %v", sp, above)
		}
		kind := sp.Name
		if above.Kind == otlp.Span_SPAN_KIND_SERVER && sp.Name != "answer" {
			waits[id(sp.ParentSpanId, 8)] += int64(sp.EndTimeUnixNano - sp.StartTimeUnixNano)
			kind = "wait"
		}
		count[kind+" below "+above.Name]++
	}
	messages := 0
	for _, sp := range spans {
		for _, e := range sp.Events {
			if sp.Name != "answer" || e.Name != "step" || e.Attributes[0].Key != "message" ||
				e.Attributes[0].Value.GetStringValue() != "one" || e.TimeUnixNano < sp.StartTimeUnixNano ||
				e.TimeUnixNano > sp.EndTimeUnixNano {
				t.Fatalf("event %v of %v", e, sp)
			}
			messages++
		}
	}
	if messages != count["outer below answer"] || messages < 45 {
		t.Errorf("%d messages, want one in each of %d regions", messages, count["outer below answer"])
	}
	served := 0
	for key, sp := range spans {
		if sp.Kind != otlp.Span_SPAN_KIND_SERVER {
			continue
		}
		served++
		running := int64(0)
		for _, a := range sp.Attributes {
			if a.Key == "whet.running_ns" {
				running = a.Value.GetIntValue()
			}
		}
		if took := int64(sp.EndTimeUnixNano - sp.StartTimeUnixNano); took != running+waits[key] {
			t.Errorf("a request of %d ns runs for %d and waits for %d", took, running, waits[key])
		}
	}
	found, err := requests.Find(x, requests.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if served != found.Count || served < 45 || count["below below answer"] < 45 || count["inner below outer"] < 45 ||
		count["outer below answer"] < 45 ||
		count["roots of open"] != 1 {
		t.Errorf("%d requests, want %d: %v", served, found.Count, count)
	}
	if n := count["roots of answer"]; n > 20 {
		t.Errorf("%d tasks are not below requests: %v", n, count)
	}
	// Without Began, times count from 1970.
	out.Reset()
	if _, err := export.OTLP(&out, x, export.Options{}); err != nil ||
		!strings.Contains(out.String(), "unknown_service:go") {
		t.Fatal(err)
	}
	early := regexp.MustCompile(`"startTimeUnixNano":"(\d+)"`).FindAllStringSubmatch(out.String(), -1)
	if i := slices.IndexFunc(early,
		func(m []string) bool { return len(m[1]) > len(fmt.Sprint(x.Info.Duration)) }); len(early) == 0 || i >= 0 {
		t.Errorf("%d spans, of them one at %v", len(early), early[max(i, 0)])
	}
}

// TestWindow checks the errors for invalid windows, and what is not written.
func TestWindow(t *testing.T) {
	x := indexed(t)
	for _, run := range []func(io.Writer, *index.Index, export.Options) (export.Result,
		error){export.Chrome, export.Perfetto, export.OTLP} {
		if _, err := run(io.Discard, x, export.Options{From: 2, To: 1}); err == nil {
			t.Error("a window that ends before it begins is exported")
		}
		if _, err := run(broken{}, x, export.Options{}); err == nil {
			t.Error("an error of writing is lost")
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
