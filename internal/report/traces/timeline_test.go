package traces

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"runtime/trace"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/whet-go/whet/internal/golden"
	"github.com/whet-go/whet/internal/report/reporttest"
	"github.com/whet-go/whet/internal/server"
	"github.com/whet-go/whet/internal/trace/tracetest"
	"github.com/whet-go/whet/internal/trace/window"
	"github.com/whet-go/whet/trace/timeline"
	"github.com/whet-go/whet/ui"
)

// TestTimelineTypes keeps the page's types those of Go.
func TestTimelineTypes(t *testing.T) {
	var b strings.Builder
	b.WriteString("// Generated from Go by internal/report (make goldens). DO NOT EDIT.\n")
	for _, typ := range []reflect.Type{
		reflect.TypeFor[timeline.State](), reflect.TypeFor[timeline.TypeCount](), reflect.TypeFor[timeline.Trace](),
		reflect.TypeFor[timeline.RowInfo](),
		reflect.TypeFor[timeline.RowList](), reflect.TypeFor[timeline.RowSpans](), reflect.TypeFor[timeline.SpanAnswer](),
		reflect.TypeFor[timeline.Point](),
		reflect.TypeFor[window.TimelineFrame](),
		reflect.TypeFor[window.TimelineMetric](), reflect.TypeFor[window.TimelineStack](),
		reflect.TypeFor[timeline.LogMark](), reflect.TypeFor[timeline.MarkRow](), reflect.TypeFor[timeline.MarkAnswer](),
		reflect.TypeFor[timeline.StayBucket](), reflect.TypeFor[timeline.Stay](), reflect.TypeFor[timeline.StayAnswer](),
		reflect.TypeFor[timeline.Frame](), reflect.TypeFor[timeline.StackWeight](), reflect.TypeFor[timeline.StackAnswer](),
		reflect.TypeFor[timeline.CauseTime](), reflect.TypeFor[timeline.ClassInfo](),
		reflect.TypeFor[timeline.Utilization](), reflect.TypeFor[timeline.UtilizationAnswer](),
		reflect.TypeFor[window.TimelineDoc](),
	} {
		fmt.Fprintf(&b, "\nexport interface %s {\n", reporttest.TSName(typ))
		for i := range typ.NumField() {
			f := typ.Field(i)
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if strings.Contains(options, "omit") {
				name += "?"
			}
			fmt.Fprintf(&b, "  %s: %s;\n", name, reporttest.TSName(f.Type))
		}
		b.WriteString("}\n")
	}
	// Arrays, to be small: timeline.RowSpans writes them.
	b.WriteString("\n/** from, to, number of the state, number of the stack, and what it is with. */\n" +
		"export type Span = [from: number, to: number, state: number, stack: number, other: number];\n" +
		"\n/** from, to, and pairs of a state's number and its time. */\nexport type Part = number[];\n")
	path := "../../../ui/src/api/timeline.ts"
	golden.Check(t, path, []byte(b.String()))
}

// journeyWorker waits for a lock that others hold for a while.
func journeyWorker(mu *sync.Mutex, rounds int) {
	for range rounds {
		mu.Lock()
		<-time.After(2 * time.Millisecond)
		mu.Unlock()
	}
}

// tracedTimeline returns the timeline of a trace of a server that gets requests, and of workers
// that wait for each other.
func tracedTimeline(t *testing.T, rounds int) *timeline.Timeline {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(bytes.Repeat([]byte("x"), 1000)) // the client may be gone
	}))
	defer s.Close()
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	_, task := trace.NewTask(t.Context(), "order")
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() { // not wg.Go, so that its kind is a function of ours
			defer wg.Done()
			journeyWorker(&mu, rounds)
		}()
	}
	for range 40 * rounds {
		answer, err := s.Client().Get(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			t.Fatal(err)
		}
		if err := answer.Body.Close(); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
	task.End()
	trace.Stop()
	return timeline.New(tracetest.Index(t, out.Bytes()), "</script><script>window.pwned=1</script>.out")
}

// timelineData takes the data out of a page again: only what does not need spans' own format.
func timelineData(t *testing.T, page []byte) (doc struct {
	Rows  []timeline.RowList
	Spans struct {
		Width int
		Rows  []struct {
			ID           string
			Spans, Parts [][]int64
		}
	}
	Named  []timeline.RowInfo
	Frames []window.TimelineFrame
	Stacks []window.TimelineStack
	Trace  timeline.Trace
},
) {
	t.Helper()
	_, rest, ok := bytes.Cut(page, []byte(`id="whet-timeline">"`))
	text, _, end := bytes.Cut(rest, []byte(`"</script>`))
	if !ok || !end {
		t.Fatal("the page holds no data")
	}
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(text)))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestTimelinePage holds a page to what the timeline answers.
func TestTimelinePage(t *testing.T) {
	if js := ui.TimelineJS(); strings.Contains(js, "</script") || strings.Contains(js, "<!--") {
		t.Error("the script cannot stand inline")
	}
	tl := tracedTimeline(t, 5)
	var out bytes.Buffer
	if err := WriteTimelinePage(t.Context(), &out, tl, window.Options{}); err != nil {
		t.Fatal(err)
	}
	if out.Len() > TimelinePageMax || bytes.Contains(out.Bytes(), []byte("<script>window.pwned")) ||
		bytes.Contains(out.Bytes(), []byte("connect-src")) {
		t.Errorf("%d bytes; or a foreign name is markup, or the page may ask a server", out.Len())
	}
	doc := timelineData(t, out.Bytes())
	rows := map[string]int{}
	spans := map[string]int{}
	known := map[uint32]bool{}
	for _, s := range doc.Stacks {
		known[s.Stack] = true
		for _, f := range s.Frames {
			if doc.Frames[f].Function == "" && doc.Frames[f].File == "" {
				t.Errorf("stack %d has an empty frame", s.Stack)
			}
		}
	}
	for _, l := range doc.Rows {
		rows[l.Type] = len(l.Rows)
		for i := range l.Rows {
			spans[l.Rows[i].ID] = 0
		}
	}
	for _, r := range doc.Spans.Rows {
		if _, ok := spans[r.ID]; !ok {
			t.Errorf("spans of %s, which has no row", r.ID)
		}
		spans[r.ID] = len(r.Spans) + len(r.Parts)
		for _, s := range r.Spans {
			if s[3] != 0 && !known[uint32(s[3])] {
				t.Fatalf("%s: stack %d is not in the page", r.ID, s[3])
			}
		}
	}
	if rows["proc"] == 0 || rows["goroutine"] < 4 || rows["request"] < 10 || rows["task"] != 1 {
		t.Errorf("rows: %v", rows)
	}
	for id, n := range spans {
		if n == 0 && strings.HasPrefix(id, "r") {
			t.Errorf("nothing is known of %s", id)
		}
	}

	// One page asks a server, and may.
	page, policy, err := TimelineServed("x")
	if err != nil || !strings.Contains(policy, "connect-src 'self'") || !bytes.Contains(page, []byte(policy)) {
		t.Errorf("served: %v, %s", err, policy)
	}
}

// TestTimelineJourney walks through the timeline in a real browser, as ui/journey/timeline.mjs says.
// WHET_SHOTS names a folder for its screenshots.
func TestTimelineJourney(t *testing.T) {
	reporttest.RunJourney(t, "timeline.mjs", func() map[string][]byte {
		tl := tracedTimeline(t, 20)
		var page bytes.Buffer
		if err := WriteTimelinePage(t.Context(), &page, tl, window.Options{}); err != nil {
			t.Fatal(err)
		}
		html, policy, err := TimelineServed("journey")
		if err != nil {
			t.Fatal(err)
		}
		h, err := server.New(tl, server.Page{HTML: html, Policy: policy})
		if err != nil {
			t.Fatal(err)
		}
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return map[string][]byte{"page": page.Bytes(), "address": []byte(s.URL + "/")}
	})
}

// TestTimelineLong has a page of names that would not fit: they are cut, and the page is made.
func TestTimelineLong(t *testing.T) {
	d := &window.TimelineDoc{
		Rows: []timeline.RowList{{Rows: []timeline.RowInfo{{
			Name: strings.Repeat("n", 5000),
			Kind: strings.Repeat("é", 5000),
		}}}},
		Named:  []timeline.RowInfo{{Name: strings.Repeat("n", 5000)}},
		Frames: []window.TimelineFrame{{Function: strings.Repeat("f", 5000), File: strings.Repeat("g", 5000)}},
	}
	clip(d, 96)
	for _, s := range []string{
		d.Rows[0].Rows[0].Name, d.Rows[0].Rows[0].Kind, d.Named[0].Name, d.Frames[0].Function,
		d.Frames[0].File,
	} {
		if len(s) > 96 || len(s) < 80 || !strings.Contains(s, "…") {
			t.Errorf("%d bytes: %q", len(s), s)
		}
	}
}
