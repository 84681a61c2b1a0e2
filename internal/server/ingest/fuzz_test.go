package ingest

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"

	"github.com/whet-go/whet/store"
)

// FuzzRequests sends any body with any query to the paths that take files: the answer is one of those
// that the package documents, and what is stored keeps the limits.
func FuzzRequests(f *testing.F) {
	header, body := form(f, map[string][]byte{
		"profile":            counts(f, map[string]int64{"contentions": 10, "delay": 20}),
		"prev_profile":       counts(f, map[string]int64{"contentions": 1, "delay": 2}),
		"sample_type_config": []byte(`{"delay":{"display-name":"block_duration","cumulative":true}}`),
	})
	f.Add("name=shop{a=b}&format=pprof&from=1&until=now", header.Get("Content-Type"), body)
	f.Add("name=shop.inuse_space&sampleRate=100", "", []byte("main;a 1\nmain;b 2\n"))
	f.Add("service=a&label.x=y&start=now-1h&duration=1s", "", raw(f, 50))
	limits := store.Limits{Samples: 1000, Labels: 4, Body: 1 << 20}
	f.Fuzz(func(t *testing.T, query, content string, body []byte) {
		if _, err := url.ParseQuery(query); err != nil {
			return
		}
		for _, path := range []string{"/ingest", "/api/v1/store/profiles", otlpPath} {
			m := &memory{limits: limits}
			r := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
			r.URL.RawQuery = query
			r.Header.Set("Content-Type", content)
			w := httptest.NewRecorder()
			New(Options{Writer: m, Limits: limits}).ServeHTTP(w, r)
			if !slices.Contains([]int{200, 204, 400, 413, 415}, w.Code) {
				t.Errorf("%s answers %d: %s", path, w.Code, w.Body)
			}
			if (w.Code < 300) != (len(m.stored()) > 0) && path != otlpPath {
				t.Errorf("%s answers %d and stores %d", path, w.Code, len(m.stored()))
			}
		}
	})
}
