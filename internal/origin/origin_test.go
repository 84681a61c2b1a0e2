package origin

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

func TestSame(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"http://h/a", "http://h/b", true},
		{"http://h/a", "http://H:80/b", true},
		{"https://h", "https://h:443", true},
		{"http://h", "https://h", false},
		{"http://h:1", "http://h:2", false},
		{"http://h", "http://sub.h", false},
		{"http://h:80", "https://h:80", false},
		{"http://[::1]:1", "http://[::1]:1", true},
	} {
		a, _ := url.Parse(tc.a)
		b, _ := url.Parse(tc.b)
		if got := Same(a, b); got != tc.want {
			t.Errorf("Same(%s, %s) = %v", tc.a, tc.b, got)
		}
	}
}

// TestRedirect follows redirects between two servers, with and without secrets.
func TestRedirect(t *testing.T) {
	var reached atomic.Int32
	var referer atomic.Value
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		referer.Store(r.Header.Get("Referer"))
	}))
	defer other.Close()
	mux := http.NewServeMux()
	mux.Handle("/away", http.RedirectHandler(other.URL, http.StatusFound))
	mux.Handle("/twice", http.RedirectHandler("/away", http.StatusTemporaryRedirect))
	mux.Handle("/round", http.RedirectHandler("/round", http.StatusFound))
	mux.Handle("/here", http.RedirectHandler("/there", http.StatusFound))
	mux.HandleFunc("/there", func(http.ResponseWriter, *http.Request) {})
	mux.Handle("/file", http.RedirectHandler("file:///etc/passwd", http.StatusFound))
	first := httptest.NewServer(mux)
	defer first.Close()

	for _, tc := range []struct {
		path    string
		secret  bool
		reaches int32
		err     string
	}{
		{"/here", true, 0, ""},
		{"/away", true, 0, "another host, port or scheme"},
		{"/twice", true, 0, "another host, port or scheme"},
		{"/away", false, 1, ""},
		{"/round", false, 0, "more than 10 redirects"},
		{"/file", false, 0, "other than http"},
	} {
		reached.Store(0)
		client := &http.Client{CheckRedirect: Policy{Secret: tc.secret}.Redirect}
		resp, err := client.Get(first.URL + tc.path + "?token=secret")
		if err == nil {
			_ = resp.Body.Close()
		}
		if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%s: %v", tc.path, err)
		}
		if n := reached.Load(); n != tc.reaches {
			t.Errorf("%s: the other server saw %d requests, want %d", tc.path, n, tc.reaches)
		}
	}
	if r, _ := referer.Load().(string); r != "" {
		t.Errorf("the other server got a Referer: %q", r)
	}
}
