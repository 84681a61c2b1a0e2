package workbench

import (
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"testing"
)

// pprofServer serves the profiles of this process.
func pprofServer(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}
