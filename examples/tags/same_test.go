package main

import (
	"fmt"
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

	"github.com/whet-go/whet/examples/tags/fast"
	"github.com/whet-go/whet/examples/tags/slow"
)

// agents are User-Agents of every kind.
func agents() []string {
	return []string{
		"", "curl/8.5.0", "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
		"Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/126.0.0.0 Safari/537.36 Edg/126.0.2592.56",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) " +
			"AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) Version/17.4 Mobile/15E148 Safari/604.1",
		"MOZILLA LINUX FIREFOX/128.0ESR",
		"firefox/", "Firefox/1.0:7|c\nevil:1|c", "Firefox/a{b}c/d\\e:f|g@h#i.j\tk\fl\rm\vn", "Firefox/é.世 x",
		"Firefox/\xff\xfe.1", "firefo\u212a/1", "l\u0130nux",
		"\u212aelvin l\u0130nux curl/7", "Safari/\u212a \xff", "linu\xffx",
		strings.Repeat("x", 300) + "Linux curl/" + strings.Repeat("9.", 3000), "curl/\x00\x7f",
	}
}

// TestSameClean cleans each character alone, and random texts.
func TestSameClean(t *testing.T) {
	for c := range rune(0x3100) {
		if text := "a" + string(c) + "b"; slow.Clean(text) != fast.Clean(text) {
			t.Errorf("Clean(%q): %q slow, %q fast", text, slow.Clean(text), fast.Clean(text))
		}
	}
	for c := range 256 {
		if text := string([]byte{byte(c)}); slow.Clean(text) != fast.Clean(text) {
			t.Errorf("Clean(%q): %q slow, %q fast", text, slow.Clean(text), fast.Clean(text))
		}
	}
	if err := quick.CheckEqual(slow.Clean, fast.Clean, nil); err != nil {
		t.Error(err)
	}
}

// both are the two services and the packets that they sent.
type both struct {
	slow, fast         http.Handler
	slowSent, fastSent packets
	slowMetrics        *slow.Metrics
	fastMetrics        *fast.Metrics
	close              func()
}

func newBoth(tb testing.TB) *both {
	b := new(both)
	b.slowMetrics, b.fastMetrics = slow.NewMetrics(&b.slowSent), fast.NewMetrics(&b.fastSent)
	b.slow, b.fast = slow.Handler(b.slowMetrics), fast.Handler(b.fastMetrics)
	b.close = sync.OnceFunc(func() {
		b.slowMetrics.Close()
		b.fastMetrics.Close()
	})
	tb.Cleanup(b.close)
	return b
}

// differ sends both the same request and returns how the answers, or the names that they would give
// a metric, differ; "" when they do not.
func (b *both) differ(request func() *http.Request) string {
	s, f := httptest.NewRecorder(), httptest.NewRecorder()
	b.slow.ServeHTTP(s, request())
	b.fast.ServeHTTP(f, request())
	if s.Code != f.Code || s.Body.String() != f.Body.String() || !maps.EqualFunc(s.Header(), f.Header(), slices.Equal) {
		return fmt.Sprintf("slow %d %v %q, fast %d %v %q", s.Code, s.Header(), s.Body, f.Code, f.Header(), f.Body)
	}
	if s, f := b.slowMetrics.Name("x", request()), b.fastMetrics.Name("x", request()); s != f {
		return fmt.Sprintf("slow names %q, fast %q", s, f)
	}
	return ""
}

// sentDiffer closes both and returns how the lines that they sent differ, ignoring order and
// durations; "" if they do not.
func (b *both) sentDiffer() string {
	b.close()
	s, f := b.slowSent.lines(), b.fastSent.lines()
	slices.Sort(s)
	slices.Sort(f)
	if !slices.Equal(s, f) {
		return fmt.Sprintf("slow sent %d lines, %.300q, fast %d, %.300q", len(s), s, len(f), f)
	}
	return ""
}

func get(method, path, agent string) func() *http.Request {
	return func() *http.Request {
		return &http.Request{
			Method: method, URL: &url.URL{Path: path}, RequestURI: path, Host: "localhost",
			Header: http.Header{"User-Agent": {agent}}, Body: http.NoBody,
		}
	}
}

func TestSame(t *testing.T) {
	b := newBoth(t)
	for _, agent := range agents() {
		for _, path := range []string{"/hello", "/simple", "/", "/hello/", "/hello/../hello", "/other"} {
			for _, method := range []string{"GET", "HEAD", "POST"} {
				if d := b.differ(get(method, path, agent)); d != "" {
					t.Errorf("%s %s from %.100q: %s", method, path, agent, d)
				}
			}
		}
	}
	if d := b.sentDiffer(); d != "" {
		t.Error(d)
	}
	if want := 2 * 2 * len(agents()); len(b.slowSent.lines()) != want { // GET and HEAD of /hello
		t.Errorf("%d lines, want %d", len(b.slowSent.lines()), want)
	}
}

// TestSameConcurrently has many simultaneous clients, each with different tags.
func TestSameConcurrently(t *testing.T) {
	b := newBoth(t)
	var clients sync.WaitGroup
	for client := range 8 {
		clients.Go(func() {
			for i := range 100 {
				if d := b.differ(get("GET", "/hello", fmt.Sprintf("Linux firefox/%d.%d", client, i))); d != "" {
					t.Error(d)
				}
			}
		})
	}
	clients.Wait()
	if d := b.sentDiffer(); d != "" {
		t.Error(d)
	}
	if got, want := len(b.fastSent.lines()), 2*8*100; got != want {
		t.Errorf("%d lines, want %d", got, want)
	}
}

// FuzzSame sends any request to both, and cleans any text.
func FuzzSame(f *testing.F) {
	for _, agent := range agents() {
		f.Add("GET", "/hello", agent)
		f.Add("GET", "/"+agent, agent)
	}
	f.Add("HEAD", "/simple", "")
	f.Add("", "", "")
	f.Fuzz(func(t *testing.T, method, path, agent string) {
		b := newBoth(t)
		if d := b.differ(get(method, path, agent)); d != "" {
			t.Error(d)
		}
		if d := b.sentDiffer(); d != "" {
			t.Error(d)
		}
		if s, f := slow.Clean(path), fast.Clean(path); s != f {
			t.Errorf("slow cleans %q, fast %q", s, f)
		}
	})
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

// lines returns the lines in the packets, without durations.
func (p *packets) lines() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var lines []string
	for _, packet := range p.all {
		lines = append(lines, strings.Split(regexp.MustCompile(`:[0-9.]+\|ms`).ReplaceAllString(packet, ":TIME|ms"), "\n")...)
	}
	return lines
}
