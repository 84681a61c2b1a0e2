package fast

import (
	"bytes"
	"io"
	"net/http"
	"path"
	"strings"
	"time"
	"unicode/utf8"
)

// Handler greets at GET /hello, with metrics, and at GET /simple, without.
func Handler(m *Metrics) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello", withMetrics(m, greet))
	mux.HandleFunc("GET /simple", greet)
	return mux
}

func greet(w http.ResponseWriter, _ *http.Request) {
	_, _ = io.WriteString(w, "Hello world!")
}

// withMetrics counts the requests to next and measures how long they take.
func withMetrics(m *Metrics, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		next(w, r)
		took := time.Since(begin)
		var room [256]byte
		tags := m.appendTags(room[:0], r)
		m.count("handler.received", tags)
		m.timing("handler.latency", tags, took)
	}
}

// appendTags appends the tags of a request in the form that follows a metric's name.
func (m *Metrics) appendTags(tags []byte, r *http.Request) []byte {
	tags = append(tags, m.host...)
	tags = append(tags, '.')
	tags = appendClean(tags, path.Base(r.URL.Path)) // which is never empty

	var room [256]byte
	agent := appendLower(room[:0], r.UserAgent())
	browser, system := parseUserAgent(agent)
	if system == "" {
		system = "no-os"
	}
	tags = append(tags, '.')
	tags = appendClean(tags, system)
	tags = append(tags, '.')
	if len(browser) == 0 {
		return append(tags, "no-browser"...)
	}
	return appendClean(tags, browser)
}

// parseUserAgent finds the browser with its version and the operating system in the
// small letters of a User-Agent:
//
//	mozilla/5.0 (x11; linux x86_64; rv:128.0) gecko/20100101 firefox/128.0
//
// is firefox/128.0 on linux. Unknown parts are empty.
func parseUserAgent(agent []byte) (browser []byte, system string) {
	// Browsers name those that they resemble, so the order matters, as it does for systems.
	for _, name := range [...]string{"firefox/", "edg/", "opr/", "chrome/", "safari/", "curl/"} {
		if at := bytes.Index(agent, []byte(name)); at >= 0 {
			browser, _, _ = bytes.Cut(agent[at:], []byte(" "))
			break
		}
	}
	for _, name := range [...]string{"windows", "android", "iphone", "mac os x", "linux"} {
		if bytes.Contains(agent, []byte(name)) {
			system = name
			break
		}
	}
	return browser, system
}

// appendLower appends s in lower case, as strings.ToLower does: letters that
// are not ASCII may become ones that are.
func appendLower(lower []byte, s string) []byte {
	begin := len(lower)
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			return append(lower[:begin], strings.ToLower(s)...)
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower = append(lower, c)
	}
	return lower
}
