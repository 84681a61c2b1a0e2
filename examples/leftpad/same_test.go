package main

import (
	"bytes"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/quick"
	"time"

	"github.com/whet-go/whet/examples/leftpad/fast"
	"github.com/whet-go/whet/examples/leftpad/slow"
)

// TestSameLeftpad pads random texts with both.
func TestSameLeftpad(t *testing.T) {
	same := func(text string, width int16, fill rune, ascii bool) bool {
		if width %= 300; ascii {
			fill &= 0x7f
		}
		return slow.Leftpad(text, int(width), fill) == fast.Leftpad(text, int(width), fill)
	}
	for _, fill := range []rune{'*', 0, 'é', '世', '😀', -1, 0xd800, 0x7fffffff, '\ufffd'} {
		for width := range int16(200) {
			for _, text := range []string{"", "test", "tést", "\xff\xfe"} {
				if !same(text, width, fill, false) {
					t.Fatalf("leftpad(%q, %d, %q): %q slow, %q fast", text, width, fill,
						slow.Leftpad(text, int(width), fill), fast.Leftpad(text, int(width), fill))
				}
			}
		}
	}
	if err := quick.Check(same, &quick.Config{MaxCount: 3000}); err != nil {
		t.Error(err)
	}
}

// TestSameMetrics sends random metrics with both.
func TestSameMetrics(t *testing.T) {
	same := func(namespace, name string, value float64, took time.Duration) bool {
		var s, f packets
		before := slow.StatsD{Namespace: namespace, SampleRate: 1, Conn: &s}
		after := fast.StatsD{Namespace: namespace, SampleRate: 1, Conn: &f}
		for _, m := range []interface {
			Count(string)
			Histogram(string, float64)
			Timing(string, time.Duration)
		}{&before, &after} {
			m.Count(name)
			m.Histogram(name, value)
			m.Timing(name, took)
		}
		return slices.Equal(s.all, f.all)
	}
	if err := quick.Check(same, nil); err != nil {
		t.Error(err)
	}
	if !same("", "a:b|c@d:é\xff", 1e300, -time.Nanosecond) {
		t.Error("reserved characters or long numbers differ")
	}
}

// TestSameSample has both choose from many metrics.
func TestSameSample(t *testing.T) {
	const n = 10_000
	for _, rate := range []float64{0.1, 0.5, 0.999} {
		var s, f packets
		before := slow.StatsD{SampleRate: rate, Conn: &s}
		after := fast.StatsD{SampleRate: rate, Conn: &f}
		for range n {
			before.Count("x")
			after.Count("x")
		}
		// Each is within five standard deviations, which are 50 at most, of n*rate.
		if d := len(s.all) - len(f.all); d < -500 || d > 500 || s.all[0] != f.all[0] {
			t.Errorf("rate %v: %d packets like %q slow, %d like %q fast", rate, len(s.all), s.all[0], len(f.all), f.all[0])
		}
	}
}

// FuzzSame sends the same request to both and compares the answers, the metrics, and the lines in
// the log.
func FuzzSame(f *testing.F) {
	for _, query := range []string{
		"str=test&len=10&chr=*", "str=test&len=6", "str=t%C3%A9st&len=9&chr=%C3%A9", "len=1024&chr=x", "",
		"str=test&len=a", "len=1025", "len=-1", "len=9&chr=ab", "len=9&chr=%ff", "str=%ff%fe&len=9", "str=%zz&len=9",
		"str=a&str=b&len=3&len=4", "str=a;len=9", "str=%3Cb%3E%26%E2%80%A8&len=9&chr=%3C", "str=%00%7f%22%5c&len=20&chr=%00",
		"len=9&str=" + strings.Repeat("x", 1024), "len=9&str=" + strings.Repeat("x", 1025), "len=9&chr=%F0%9F%98%80",
		"len=+9", "len=0",
	} {
		f.Add("GET", query, "", "test/1.0", "")
	}
	f.Add("HEAD", "str=test&len=10", "", "é \xff", "")
	f.Add("POST", "str=test&len=10", "application/x-www-form-urlencoded", "", "str=b")
	f.Add("GET", "len=10", "multipart/form-data; boundary=b", "",
		"--b\r\nContent-Disposition: form-data; name=\"str\"\r\n\r\nbody\r\n--b--\r\n")
	f.Fuzz(func(t *testing.T, method, query, contentType, agent, body string) {
		request := func() *http.Request {
			return &http.Request{
				Method: method, RequestURI: "/v1/leftpad/?" + query, RemoteAddr: "127.0.0.1:1",
				URL:    &url.URL{Path: "/v1/leftpad/", RawQuery: query},
				Header: http.Header{"Content-Type": {contentType}, "User-Agent": {agent}},
				Body:   io.NopCloser(strings.NewReader(body)),
			}
		}
		s, fst := slowParts(t), fastParts(t)
		s.serve(request())
		fst.serve(request())
		if err := s.differ(fst); err != "" {
			t.Error(err)
		}
	})
}

// TestSameConcurrently sends many simultaneous requests to both, each of which must get its own
// answer.
func TestSameConcurrently(t *testing.T) {
	s, f := slowParts(t), fastParts(t)
	var clients sync.WaitGroup
	for client := range 8 {
		clients.Go(func() {
			for i := range 50 {
				target := "/v1/leftpad/?str=" + strings.Repeat(string(rune('a'+client)), i+1) + "&len=60&chr=%C3%A9"
				a, b := httptest.NewRecorder(), httptest.NewRecorder()
				s.handler.ServeHTTP(a, httptest.NewRequest(http.MethodGet, target, nil))
				f.handler.ServeHTTP(b, httptest.NewRequest(http.MethodGet, target, nil))
				if a.Body.String() != b.Body.String() {
					t.Errorf("%s: %q slow, %q fast", target, a.Body, b.Body)
				}
			}
		})
	}
	clients.Wait()
	slices.Sort(s.sent.all) // they came in no order
	slices.Sort(f.sent.all)
	if !slices.Equal(s.sent.lines(), f.sent.lines()) {
		t.Errorf("%d packets slow, %d fast, or different ones", len(s.sent.all), len(f.sent.all))
	}
	slowLog, fastLog := strings.Split(s.logged(), "\n"), strings.Split(f.logged(), "\n")
	slices.Sort(slowLog)
	slices.Sort(fastLog)
	if !slices.Equal(slowLog, fastLog) {
		t.Errorf("%d lines in the log slow, %d fast, or different ones", len(slowLog), len(fastLog))
	}
}

// parts are one of the services and its output.
type parts struct {
	handler  http.Handler
	sent     *packets
	log      *bytes.Buffer
	closeLog func() error
	answer   *httptest.ResponseRecorder
}

func slowParts(t *testing.T) *parts {
	p := &parts{sent: new(packets), log: new(bytes.Buffer)}
	var l *log.Logger
	l, p.closeLog = slow.NewLog(p.log)
	p.handler = (&slow.Server{Stats: &slow.StatsD{Namespace: "t", SampleRate: 1, Conn: p.sent}, Log: l}).Routes()
	p.closeAtEnd(t)
	return p
}

func fastParts(t *testing.T) *parts {
	p := &parts{sent: new(packets), log: new(bytes.Buffer)}
	var l *log.Logger
	l, p.closeLog = fast.NewLog(p.log)
	p.handler = (&fast.Server{Stats: &fast.StatsD{Namespace: "t", SampleRate: 1, Conn: p.sent}, Log: l}).Routes()
	p.closeAtEnd(t)
	return p
}

func (p *parts) closeAtEnd(t *testing.T) {
	p.closeLog = sync.OnceValue(p.closeLog)
	t.Cleanup(func() {
		if err := p.closeLog(); err != nil {
			t.Error(err)
		}
	})
}

func (p *parts) serve(r *http.Request) {
	p.answer = httptest.NewRecorder()
	p.handler.ServeHTTP(p.answer, r)
}

// logged closes the log and returns it without times of day and durations.
func (p *parts) logged() string {
	_ = p.closeLog() // reported at the end
	return regexp.MustCompile(`(?m)^\S+ \S+ |(took) \S+s$`).ReplaceAllString(p.log.String(), "$1")
}

// differ returns the first difference; "" if there is none.
func (p *parts) differ(q *parts) string {
	switch {
	case p.answer.Code != q.answer.Code:
		return "status: " + http.StatusText(p.answer.Code) + " slow, " + http.StatusText(q.answer.Code) + " fast"
	case !maps.EqualFunc(p.answer.Header(), q.answer.Header(), slices.Equal):
		return "headers differ"
	case p.answer.Body.String() != q.answer.Body.String():
		return "body: " + p.answer.Body.String() + "slow, " + q.answer.Body.String() + "fast"
	case !slices.Equal(p.sent.lines(), q.sent.lines()):
		return "packets: " + strings.Join(p.sent.all, " ") + " slow, " + strings.Join(q.sent.all, " ") + " fast"
	case p.logged() != q.logged():
		return "log: " + p.log.String() + "slow,\n" + q.log.String() + "fast"
	}
	return ""
}

// packets stores each write separately. It is safe for concurrent use.
type packets struct {
	mu  sync.Mutex
	all []string
}

func (p *packets) Write(packet []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, string(packet))
	return len(packet), nil
}

// lines returns the packets without durations.
func (p *packets) lines() []string {
	var lines []string
	for _, packet := range p.all {
		lines = append(lines, regexp.MustCompile(`:[0-9.]+\|ms`).ReplaceAllString(packet, ":TIME|ms"))
	}
	return lines
}
