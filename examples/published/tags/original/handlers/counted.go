// Package handlers has the pages.
package handlers

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.com/tags/stats"

	"github.com/mileusna/useragent"
)

// Counted wraps a page: its requests are counted and timed, by host, page, system and browser.
func Counted(page http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		begin := time.Now()
		tags := tagsOf(req)
		stats.Count("page.received", tags, 1)

		page(w, req)

		took := time.Since(begin)
		stats.Time("page.latency", tags, took)
	}
}

func tagsOf(req *http.Request) map[string]string {
	browser, system := clientOf(req.UserAgent())
	tags := map[string]string{
		"browser":  browser,
		"os":       system,
		"endpoint": filepath.Base(req.URL.Path),
	}
	host, err := os.Hostname()
	if err == nil {
		if dot := strings.IndexByte(host, '.'); dot > 0 {
			host = host[:dot]
		}
		tags["host"] = host
	}
	return tags
}

func clientOf(agent string) (browser, system string) {
	client := useragent.Parse(agent)

	if client.Name != "" {
		browser = client.Name
	}
	if client.OS != "" {
		system = client.OS
	}

	return browser, system
}
