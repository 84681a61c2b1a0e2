package request

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/whet-go/whet/internal/diag"
)

func expand(t *testing.T, tmpl *Template, row int) Request {
	t.Helper()
	var r Request
	tmpl.Expand(&r, row)
	return r
}

var ignoreScratch = cmpopts.IgnoreUnexported(Request{})

func TestTemplate(t *testing.T) {
	agent := Field{"User-Agent", "whet-load"}
	names := []string{"id", "word"}
	rows := [][]string{{"1", "a b&c"}, {"2/3", "ü"}, {"", "%"}}
	for _, test := range []struct {
		name, method, url string
		header            http.Header
		body              string
		names             []string
		rows              [][]string
		row               int
		want              Request
		fixed             bool
		shown             string // URL, when not url
	}{
		{
			name: "plain", url: "http://127.0.0.1:8080/path?q=1", fixed: true,
			want: Request{Method: "GET", Scheme: "http", Host: "127.0.0.1:8080", Path: "/path?q=1", Header: []Field{agent}},
		},
		{
			name: "no path", url: "https://example.com", fixed: true,
			want: Request{Method: "GET", Scheme: "https", Host: "example.com", Path: "/", Header: []Field{agent}},
		},
		{
			name: "query without path, fragment", url: "HTTP://h?x=#y?z", fixed: true, shown: "http://h?x=",
			want: Request{Method: "GET", Scheme: "http", Host: "h", Path: "/?x=", Header: []Field{agent}},
		},
		{
			name: "only a fragment", url: "http://h#y", fixed: true, shown: "http://h",
			want: Request{Method: "GET", Scheme: "http", Host: "h", Path: "/", Header: []Field{agent}},
		},
		{
			name: "escapes", url: "http://h/a b|é%2F?c d\"é|%zz", fixed: true,
			want: Request{
				Method: "GET", Scheme: "http", Host: "h", Path: "/a%20b%7C%C3%A9%2F?c%20d%22%C3%A9|%zz",
				Header: []Field{agent},
			},
		},
		{
			name: "double slash", url: "http://h//a//b", fixed: true,
			want: Request{Method: "GET", Scheme: "http", Host: "h", Path: "//a//b", Header: []Field{agent}},
		},
		{
			name: "braces without variables", url: "http://h/{{id}}", header: http.Header{"A": {"{{id}}"}}, body: "{{id}}",
			fixed: true,
			want: Request{
				Method: "GET", Scheme: "http", Host: "h", Path: "/%7B%7Bid%7D%7D",
				Header: []Field{{"A", "{{id}}"}, agent}, Body: []byte("{{id}}"),
			},
		},
		{
			name: "header", method: "POST", url: "http://h/", body: "x", fixed: true,
			header: http.Header{"b": {"2", "1"}, "User-Agent": {"me"}, "Host": {"other:1"}},
			want: Request{
				Method: "POST", Scheme: "http", Host: "other:1", Path: "/",
				Header: []Field{{"User-Agent", "me"}, {"b", "2"}, {"b", "1"}}, Body: []byte("x"),
			},
		},
		{
			name: "no user agent", url: "http://h/",
			header: http.Header{"User-Agent": {""}, "Host": {""}, "X": {""}}, fixed: true,
			want: Request{Method: "GET", Scheme: "http", Host: "h", Path: "/", Header: []Field{{"X", ""}}},
		},
		{
			name: "user info", url: "http://me:se%40cret@h/", fixed: true, shown: "http://me:xxxxx@h/",
			want: Request{
				Method: "GET", Scheme: "http", Host: "h", Path: "/",
				Header: []Field{{"Authorization", "Basic bWU6c2VAY3JldA=="}, agent},
			},
		},
		{
			name: "user info and header", url: "http://me:secret@h/", header: http.Header{"Authorization": {"Bearer x"}},
			fixed: true, shown: "http://me:xxxxx@h/",
			want: Request{
				Method: "GET", Scheme: "http", Host: "h", Path: "/",
				Header: []Field{{"Authorization", "Bearer x"}, agent},
			},
		},
		{
			name: "IPv6 with zone and empty port", url: "http://[fe80::1%25eth0]:/",
			fixed: true, shown: "http://[fe80::1%25eth0]:/",
			want: Request{Method: "GET", Scheme: "http", Host: "[fe80::1]", Path: "/", Header: []Field{agent}},
		},
		{
			name: "Unicode host", url: "http://bücher.example:80/", fixed: true, shown: "http://b%C3%BCcher.example:80/",
			want: Request{Method: "GET", Scheme: "http", Host: "xn--bcher-kva.example:80", Path: "/", Header: []Field{agent}},
		},
		{
			name: "variables everywhere", method: "PUT", url: "http://h/x/{{id}}/{{ word }}?w={{word}}&i={{id}}#{{id}}",
			header: http.Header{"A": {"{{id}}"}, "B": {"<{{word}}>", "fixed"}},
			body:   `{"id":"{{id}}","w":"{{word}}"}`, names: names, rows: rows, row: 0,
			shown: "http://h/x/{{id}}/{{ word }}?w={{word}}&i={{id}}",
			want: Request{
				Method: "PUT", Scheme: "http", Host: "h", Path: "/x/1/a%20b&c?w=a+b%26c&i=1",
				Header: []Field{{"A", "1"}, {"B", "<a b&c>"}, {"B", "fixed"}, agent}, Body: []byte(`{"id":"1","w":"a b&c"}`),
			},
		},
		{
			name: "rows start over", url: "http://h/{{id}}?{{word}}", names: names, rows: rows, row: 4,
			want: Request{Method: "GET", Scheme: "http", Host: "h", Path: "/2%2F3?%C3%BC", Header: []Field{agent}},
		},
		{
			name: "empty values", url: "http://h/{{id}}{{id}}?{{id}}", names: names, rows: rows, row: 2,
			want: Request{Method: "GET", Scheme: "http", Host: "h", Path: "/?", Header: []Field{agent}},
		},
		{
			name: "query without path, with variable", url: "http://h?{{id}}", names: names, rows: rows, row: 1,
			want: Request{Method: "GET", Scheme: "http", Host: "h", Path: "/?2%2F3", Header: []Field{agent}},
		},
		{
			name: "variables not used", url: "http://h/", body: "}}{", names: names, rows: rows, fixed: true,
			want: Request{Method: "GET", Scheme: "http", Host: "h", Path: "/", Header: []Field{agent}, Body: []byte("}}{")},
		},
		{
			name: "no row but none needed", url: "http://h/", names: names, fixed: true,
			want: Request{Method: "GET", Scheme: "http", Host: "h", Path: "/", Header: []Field{agent}},
		},
		{
			name: "line ends where they do no harm", url: "http://h/{{a}}", body: "{{a}}",
			names: []string{"a"}, rows: [][]string{{"1\r\n\x00"}},
			want: Request{
				Method: "GET", Scheme: "http", Host: "h", Path: "/1%0D%0A%00",
				Header: []Field{agent}, Body: []byte("1\r\n\x00"),
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var body []byte
			if test.body != "" {
				body = []byte(test.body)
			}
			tmpl, err := New(test.method, test.url, test.header, body, test.names, test.rows)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, expand(t, tmpl, test.row), ignoreScratch, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if tmpl.Fixed() != test.fixed {
				t.Errorf("Fixed() = %v", tmpl.Fixed())
			}
			shown := test.shown
			if shown == "" {
				shown = test.url
			}
			if tmpl.URL() != shown {
				t.Errorf("URL() = %q, want %q", tmpl.URL(), shown)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	names := []string{"id", "word"}
	rows := [][]string{{"1", "a"}, {"2", "b\r\nEvil: 1"}}
	for _, test := range []struct {
		name, method, url string
		header            http.Header
		body              string
		names             []string
		rows              [][]string
		want, hint        string
	}{
		{
			name: "method", method: "GE T", url: "http://h/",
			want: `check method "GE T": not a valid method`, hint: "GET or POST",
		},
		{name: "CONNECT", method: "CONNECT", url: "http://h/", want: "tunnel"},
		{name: "relative", url: "/path", want: `read "/path": not an http:// or https:// address`, hint: "absolute"},
		{name: "scheme", url: "ftp://h/", want: `read ftp://h/: unknown scheme "ftp"`},
		{name: "no host", url: "http:///path", want: "no host"},
		{name: "only a port", url: "http://:80/", want: "no host"},
		{name: "no port", url: "http://u:pw@h:99999/", want: "port 99999 (want at most 65535)"},
		{name: "host", url: "http://a b/", want: "invalid character"},
		{name: "host character", url: "http://a\"b/", want: `invalid character in host "a\"b"`},
		{name: "no Unicode host", url: "http://ü.xn--!/", want: `host "ü.xn--!": idna`},
		{name: "port", url: "http://h:x/", want: "invalid port"},
		{name: "escape", url: "http://h/%zz", want: `read http://h/%zz: "%zz" is not an escaped byte`},
		{name: "cut escape", url: "http://h/%4", want: `"%4" is not an escaped byte`},
		{name: "control character", url: "http://h/\r\n", want: `read "http://h/\r\n": control character`},
		{
			name: "variable in host", url: "http://{{id}}/", names: names, rows: rows,
			want: "variable before the path", hint: "one target per host",
		},
		{name: "variable instead of host", url: "{{id}}/x", names: names, rows: rows, want: "variable before the path"},
		{name: "variable in host without variables", url: "http://{{id}}/", want: "invalid character"},
		{
			name: "unknown in address", url: "http://h/{{no}}", names: names, rows: rows,
			want: "fill in {{no}} in the address: unknown variable", hint: "the variables are id, word",
		},
		{
			name: "unknown in header", url: "http://h/", header: http.Header{"A": {"{{no}}"}}, names: names, rows: rows,
			want: "{{no}} in the header A", hint: "id, word",
		},
		{
			name: "unknown in body", url: "http://h/", body: "{{no}}", names: names, rows: rows,
			want: "{{no}} in the body", hint: "id, word",
		},
		{
			name: "none known", url: "http://h/", body: "{{no}}", names: []string{},
			want: "unknown variable", hint: "no variables are defined",
		},
		{
			name: "not closed", url: "http://h/", body: "a {{id} " + strings.Repeat("x", 100), names: names, rows: rows,
			want: `find the end of "{{id} xxxxx`, hint: "close",
		},
		{name: "no rows", url: "http://h/{{id}}", names: names, want: "no row"},
		{
			name: "short row", url: "http://h/", names: names, rows: [][]string{{"1", "2"}, {"1"}},
			want: "row 2: 1 values (want 2)",
		},
		{name: "two of a name", url: "http://h/", names: []string{"a", "a"}, want: `"a": duplicate name`},
		{
			name: "row with line end", url: "http://h/", header: http.Header{"A": {"x{{word}}"}}, names: names, rows: rows,
			want: "{{word}} of row 2 in the header A", hint: "line ends",
		},
		{
			name: "field name", url: "http://h/", header: http.Header{"A b": {"x"}},
			want: `check header "A b": not a header field name`,
		},
		{
			name: "field value", url: "http://h/", header: http.Header{"A": {"x\ny"}},
			want: "check header A: control character in the value",
		},
		{
			name: "content length", url: "http://h/", header: http.Header{"content-length": {"1"}},
			want: "check header content-length: Content-Length is computed", hint: "omit it",
		},
		{
			name: "transfer encoding", url: "http://h/", header: http.Header{"Transfer-Encoding": {"chunked"}},
			want: "Transfer-Encoding: bodies are sent unencoded", hint: "omit it",
		},
		{
			name: "Host with variable", url: "http://h/", header: http.Header{"Host": {"{{id}}"}}, names: names, rows: rows,
			want: "check header Host: variables are not allowed here",
		},
		{name: "Host with slash", url: "http://h/", header: http.Header{"Host": {"a/b"}}, want: "check header Host"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := New(test.method, test.url, test.header, []byte(test.body), test.names, test.rows)
			var e *diag.Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v is not a *diag.Error", err)
			}
			if errors.Unwrap(err) == nil || !strings.HasSuffix(err.Error(), errors.Unwrap(err).Error()) {
				t.Errorf("error %q, its cause %v", err, errors.Unwrap(err))
			}
			if !strings.Contains(err.Error(), test.want) || len(err.Error()) > 200 {
				t.Errorf("error %q, want %q in it", err, test.want)
			}
			if e.Hint == "" || !strings.Contains(e.Hint, test.hint) {
				t.Errorf("hint %q, want %q in it", e.Hint, test.hint)
			}
		})
	}
}

func TestPasswordIsNotShown(t *testing.T) {
	const password = "hunter2"
	for _, raw := range []string{
		"http://me:hunter2@h/ok",
		"http://me:hunter2@h/%zz",
		"http://me:hunter2@h/\x01",
		"ftp://me:hunter2@h/",
		"http://me:hunter2@/",
		"http://me:hunter2@h:port/",
		"http://me:hunter2/@h/",
		"http://me:hunter2%zz@h/",
		"http://me:%hunter2@h/",
		"http://me:hunter2@h h/",
		"http://me:{{a}}hunter2@h/",
		"http://me:hunter2\x7f@h/",
		"me:hunter2@h/",
	} {
		for _, header := range []http.Header{nil, {"A": {"\r"}}, {"Host": {"/"}}} {
			tmpl, err := New("", raw, header, nil, []string{"a"}, [][]string{{"1"}})
			var shown string
			if err != nil {
				shown = err.Error()
			} else {
				shown = tmpl.URL()
			}
			if shown == "" || strings.Contains(shown, password) {
				t.Errorf("%q: %s", raw, shown)
			}
		}
	}
}

// TestAsNetHTTP compares with net/http where both send the same: addresses that need no escaping,
// headers, Basic authentication.
func TestAsNetHTTP(t *testing.T) {
	for _, raw := range []string{
		"http://h", "http://h/", "http://h:80/a/b;c=d?e=f&g", "http://h/a%2fb%20c?%20+", "http://h//a", "http://h?",
		"http://h/a b", "http://h/ü?x",
		"http://me@h/", "http://me:pw@h/", "http://[::1]:8080/x", "http://h:/", "http://h/a[1]?b[]=1",
	} {
		tmpl, err := New("", raw, http.Header{"Accept": {"*/*"}}, nil, nil, nil)
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		got := expand(t, tmpl, 0)
		want, err := http.NewRequest(http.MethodGet, raw, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if got.Path != want.URL.RequestURI() || got.Host != want.Host {
			t.Errorf("%s: %s %s, net/http %s %s", raw, got.Host, got.Path, want.Host, want.URL.RequestURI())
		}
		if want.URL.User == nil {
			continue
		}
		served := httptest.NewRequest(http.MethodGet, got.Path, http.NoBody)
		for _, f := range got.Header {
			served.Header.Add(f.Name, f.Value)
		}
		user, password, ok := served.BasicAuth()
		if wantPassword, _ := want.URL.User.Password(); !ok || user != want.URL.User.Username() || password != wantPassword {
			t.Errorf("%s: user %q, password %q", raw, user, password)
		}
	}
}

// TestExpandOfManyIntoOne expands several templates into one Request, which must not change any of
// them.
func TestExpandOfManyIntoOne(t *testing.T) {
	var all []*Template
	for _, body := range []string{"first body", "{{a}}", "", "second {{a}} body {{a}}", "third body"} {
		for _, header := range []http.Header{{}, {"X": {"{{a}}!"}, "Y": {"1", "2"}}, {"User-Agent": {""}}} {
			tmpl, err := New("POST", "http://h/{{a}}/x", header, []byte(body),
				[]string{"a"}, [][]string{{"one"}, {"twenty-two"}, {""}})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, tmpl)
		}
	}
	var shared Request
	for i := range 1000 {
		tmpl := all[i*7%len(all)]
		tmpl.Expand(&shared, i)
		if diff := cmp.Diff(expand(t, tmpl, i), shared, ignoreScratch, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("expansion %d: -alone +shared:\n%s", i, diff)
		}
	}
}

func TestExpandAllocations(t *testing.T) {
	tmpl, err := New("POST", "http://h/fixed", http.Header{"A": {"{{a}}"}, "B": {"b"}}, []byte("<{{a}}>"),
		[]string{"a"}, [][]string{{"x"}, {"yy"}})
	if err != nil {
		t.Fatal(err)
	}
	var r Request
	row := 0
	if n := testing.AllocsPerRun(100, func() { tmpl.Expand(&r, row); row++ }); n != 0 {
		t.Errorf("%v allocations for values that are whole fields, want none", n)
	}
	if tmpl, err = New(
		"", "http://h/{{a}}", http.Header{"A": {"<{{a}}>"}}, nil, []string{"a"}, [][]string{{"x"}, {"yy"}},
	); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { tmpl.Expand(&r, row); row++ }); n != 2 {
		t.Errorf("%v allocations, want one for the path and one for the header value", n)
	}
}

// FuzzValues checks that any value can be read back from a path or query.
func FuzzValues(f *testing.F) {
	f.Add("a b", "c&d=é")
	f.Add("../%2F?#\r\n", "\x00{{a}}")
	f.Fuzz(func(t *testing.T, a, b string) {
		tmpl, err := New("", "http://h/x/{{a}}/y?k={{b}}&l={{a}}", nil, []byte("{{b}}{{a}}"),
			[]string{"a", "b"}, [][]string{{a, b}})
		if err != nil {
			t.Fatal(err)
		}
		r := expand(t, tmpl, 0)
		u, err := url.ParseRequestURI(r.Path)
		if err != nil {
			t.Fatalf("%q: %v", r.Path, err)
		}
		if q := u.Query(); u.Path != "/x/"+a+"/y" || q.Get("k") != b || q.Get("l") != a || len(q) != 2 {
			t.Errorf("%q: path %q, query %q", r.Path, u.Path, q)
		}
		if string(r.Body) != b+a {
			t.Errorf("body %q", r.Body)
		}
	})
}

func BenchmarkExpand(b *testing.B) {
	for _, test := range []struct{ name, url string }{
		{"variables=0", "http://h/items?w=word"},
		{"variables=2", "http://h/items/{{id}}?w={{word}}"},
	} {
		b.Run(test.name, func(b *testing.B) {
			tmpl, err := New("", test.url, http.Header{"Accept": {"*/*"}}, nil,
				[]string{"id", "word"}, [][]string{{"1", "one"}, {"2", "two"}})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			var r Request
			for i := 0; b.Loop(); i++ {
				tmpl.Expand(&r, i)
			}
		})
	}
}
