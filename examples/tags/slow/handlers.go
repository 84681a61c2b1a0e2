package slow

import (
	"io"
	"net/http"
	"os"
	"path"
	"strings"
	"time"
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
		tags := requestTags(r)
		m.count("handler.received", tags)
		m.timing("handler.latency", tags, took)
	}
}

// requestTags returns the tags of a request.
func requestTags(r *http.Request) map[string]string {
	browser, system := parseUserAgent(r.UserAgent())
	tags := map[string]string{
		"endpoint": path.Base(r.URL.Path),
		"os":       system,
		"browser":  browser,
	}
	if host, err := os.Hostname(); err == nil {
		tags["host"], _, _ = strings.Cut(host, ".")
	}
	return tags
}

// parseUserAgent finds the browser with its version and the operating system, in
// small letters:
//
//	Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0
//
// is firefox/128.0 on linux. Unknown parts are "".
func parseUserAgent(agent string) (browser, system string) {
	agent = strings.ToLower(agent)
	// Browsers name those that they resemble, so the order matters, as it does for systems.
	for _, name := range []string{"firefox/", "edg/", "opr/", "chrome/", "safari/", "curl/"} {
		if at := strings.Index(agent, name); at >= 0 {
			browser, _, _ = strings.Cut(agent[at:], " ")
			break
		}
	}
	for _, name := range []string{"windows", "android", "iphone", "mac os x", "linux"} {
		if strings.Contains(agent, name) {
			system = name
			break
		}
	}
	return browser, system
}
