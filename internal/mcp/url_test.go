package mcp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/mcp"
)

// TestURL loads and records a service that runs already.
func TestURL(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("/work", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, strings.Repeat("work ", 100)) // the client may have gone
	})
	service := httptest.NewServer(mux)
	defer service.Close()
	c := overPipes(t, server(t, mcp.Options{Roots: []string{t.TempDir()}}))
	requests := object{"urls": []string{service.URL + "/work"}, "connections": 2}
	loaded := c.call("load", object{"urls": requests["urls"], "connections": 2, "seconds": 0.3})
	if loaded["requests"].(float64) < 1 || loaded["failed"] != 0. || fmt.Sprint(loaded["status"]) !=
		fmt.Sprintf("map[200:%v]", loaded["requests"]) {
		t.Errorf("the load: %v", loaded)
	}
	r := c.call("record", object{"url": service.URL, "seconds": 1, "load": requests})
	if parts := fmt.Sprint(r["parts"]); !strings.Contains(parts, "profiles/cpu") || !strings.Contains(parts, "trace") {
		t.Errorf("the recording has %s", parts)
	}
	if l, _ := r["load"].(object); l == nil || l["requests"].(float64) < 1 || l["failed"] != 0. || r["failures"] != nil {
		t.Errorf("the recording: %v", r)
	}
	if r["captured"] != nil {
		t.Errorf("calls of a service that was not built were copied: %v", r["captured"])
	}
	if lines := c.call("hot_lines", object{"type": "alloc_objects"}); lines["type"] != "alloc_objects" {
		t.Errorf("the lines: %v", lines)
	}
}
