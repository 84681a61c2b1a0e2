package http1

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/textproto"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/whet-go/whet/internal/load/request"
)

func TestAppendRequest(t *testing.T) {
	get := request.Request{
		Method: "GET", Scheme: "http", Host: "h:1", Path: "/a?b", Header: []request.Field{
			{Name: "x-A", Value: "b"},
			{Name: "User-Agent", Value: "u"},
		},
	}
	for _, test := range []struct {
		name    string
		request func(*request.Request)
		closing bool
		want    string
	}{
		{"GET", func(*request.Request) {}, false, "GET /a?b HTTP/1.1\r\nHost: h:1\r\nx-A: b\r\nUser-Agent: u\r\n\r\n"},
		{
			"closing", func(r *request.Request) { r.Header = nil }, true,
			"GET /a?b HTTP/1.1\r\nHost: h:1\r\nConnection: close\r\n\r\n",
		},
		{
			"GET with body", func(r *request.Request) { r.Header, r.Body = nil, []byte("body") }, false,
			"GET /a?b HTTP/1.1\r\nHost: h:1\r\nContent-Length: 4\r\n\r\nbody",
		},
		{
			"POST", func(r *request.Request) { r.Header, r.Method = nil, "POST" }, false,
			"POST /a?b HTTP/1.1\r\nHost: h:1\r\nContent-Length: 0\r\n\r\n",
		},
		{
			"PUT", func(r *request.Request) { r.Header, r.Method = nil, "PUT" }, false,
			"PUT /a?b HTTP/1.1\r\nHost: h:1\r\nContent-Length: 0\r\n\r\n",
		},
		{
			"PATCH", func(r *request.Request) { r.Header, r.Method = nil, "PATCH" }, false,
			"PATCH /a?b HTTP/1.1\r\nHost: h:1\r\nContent-Length: 0\r\n\r\n",
		},
		{
			"DELETE", func(r *request.Request) { r.Header, r.Method = nil, "DELETE" }, false,
			"DELETE /a?b HTTP/1.1\r\nHost: h:1\r\n\r\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := get
			test.request(&r)
			if diff := cmp.Diff("before"+test.want, string(AppendRequest([]byte("before"), &r, test.closing))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// FuzzRequest checks that net/http reads what AppendRequest writes as the template intends.
func FuzzRequest(f *testing.F) {
	f.Add("GET", "http://h/path?query", "Accept", "*/*", "", "", false)
	f.Add("POST", "http://u:p@h:80/{{v}}?{{v}}", "X-{{v}}", "<{{v}}>", "{{v}}{{", "a b", true)
	f.Add("PUT", "http://[::1%25eth0]/é b", "Host", "other", "body", "\r\n", false)
	f.Add("PATCH", "https://h?#", "connection", "x", "\x00", "", true)
	f.Add("OPTIONS", "http://ü/*", "Pragma", " no-cache ", "\x00", "%", false)
	f.Add("GET", "http://h//a", "User-Agent", "", "", "", false)
	f.Fuzz(func(t *testing.T, method, rawURL, name, value, body, variable string, closing bool) {
		var names []string
		var rows [][]string
		if variable != "" {
			names, rows = []string{"v"}, [][]string{{variable}}
		}
		tmpl, err := request.New(method, rawURL, http.Header{name: {value, value}}, []byte(body), names, rows)
		if err != nil {
			return
		}
		var r request.Request
		tmpl.Expand(&r, 0)
		in := bufio.NewReader(bytes.NewReader(AppendRequest(nil, &r, closing)))
		got, err := http.ReadRequest(in)
		if err != nil {
			t.Fatalf("%v: %q", err, AppendRequest(nil, &r, closing))
		}
		gotBody, err := io.ReadAll(got.Body)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.ReadByte(); err != io.EOF {
			t.Errorf("bytes are left: %v", err)
		}
		if got.Method != r.Method || got.RequestURI != r.Path || got.Host != r.Host || string(gotBody) != string(r.Body) {
			t.Errorf("got %s %s %s %q, want %s %s %s %q", got.Method, got.Host, got.RequestURI, gotBody, r.Method,
				r.Host, r.Path, r.Body)
		}
		want := http.Header{}
		for _, f := range r.Header {
			// Spaces around a value are not part of it.
			want.Add(f.Name, textproto.TrimString(f.Value))
		}
		if closing {
			want.Add("Connection", "close")
		}
		if want.Get("Pragma") == "no-cache" && want["Cache-Control"] == nil {
			want.Set("Cache-Control", "no-cache") // net/http adds it
		}
		switch r.Method {
		case http.MethodPost, http.MethodPut, http.MethodPatch:
			if got.Header.Get("Content-Length") == "" {
				t.Error("no Content-Length")
			}
		}
		got.Header.Del("Content-Length") // checked by reading the body
		if diff := cmp.Diff(want, got.Header, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("-sent +read:\n%s", diff)
		}
		if closing && !got.Close {
			t.Error("not closing")
		}
		if !strings.HasPrefix(r.Path, "/") {
			t.Errorf("path %q", r.Path)
		}
	})
}

func BenchmarkAppendRequest(b *testing.B) {
	tmpl, err := request.New("GET", "http://127.0.0.1:8080/path?q=1", http.Header{"Accept": {"*/*"}}, nil, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	var r request.Request
	tmpl.Expand(&r, 0)
	b.ReportAllocs()
	var buf []byte
	for b.Loop() {
		buf = AppendRequest(buf[:0], &r, false)
	}
}
