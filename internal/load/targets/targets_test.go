package targets_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/internal/load/targets"
	"github.com/whet-go/whet/load"
)

// directory creates a directory of body files.
func directory(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"thing.json": "{\"a\": 1}\r\n", "empty": "", "sub/x": "x\x00\xff\n", "headers": "X-A: 1\r\n\r\nX-B: 2\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestRead includes the examples in vegeta's documentation of its formats
// (https://github.com/tsenart/vegeta, -format and -targets).
func TestRead(t *testing.T) {
	dir := directory(t)
	thing := []byte("{\"a\": 1}\r\n")
	for _, test := range []struct {
		name, text string
		want       []load.Target
	}{
		{
			"simple targets",
			"GET http://goku:9090/path/to/dragon?item=ball\n" +
				"GET http://user:password@goku:9090/path/to\n" +
				"HEAD http://goku:9090/path/to/success\n",
			[]load.Target{
				{Method: "GET", URL: "http://goku:9090/path/to/dragon?item=ball"},
				{Method: "GET", URL: "http://user:password@goku:9090/path/to"},
				{Method: "HEAD", URL: "http://goku:9090/path/to/success"},
			},
		},
		{
			"custom headers",
			"GET http://user:password@goku:9090/path/to\nX-Account-ID: 8675309\n\n" +
				"DELETE http://goku:9090/path/to/remove\n" +
				"Confirmation-Token: 90215\nAuthorization: Token DEADBEEF\n",
			[]load.Target{
				{Method: "GET", URL: "http://user:password@goku:9090/path/to", Header: http.Header{"X-Account-Id": {"8675309"}}},
				{Method: "DELETE", URL: "http://goku:9090/path/to/remove", Header: http.Header{
					"Confirmation-Token": {"90215"}, "Authorization": {"Token DEADBEEF"},
				}},
			},
		},
		{
			"custom bodies",
			"POST http://goku:9090/things\n@thing.json\n\n" +
				"PATCH http://goku:9090/thing/71988591\n@" + filepath.Join(dir, "empty") + "\n",
			[]load.Target{
				{Method: "POST", URL: "http://goku:9090/things", Body: thing},
				{Method: "PATCH", URL: "http://goku:9090/thing/71988591", Body: []byte{}},
			},
		},
		{
			"bodies and headers",
			"POST http://goku:9090/things\nX-Account-ID: 99\n@sub/../thing.json\n" +
				"GET http://goku:9090/",
			[]load.Target{
				{Method: "POST", URL: "http://goku:9090/things", Header: http.Header{"X-Account-Id": {"99"}}, Body: thing},
				{Method: "GET", URL: "http://goku:9090/"},
			},
		},
		{
			"comments",
			"# get a dragon ball\nGET http://goku:9090/path/to/dragon?item=ball\n" +
				"  # specify a test account\nX-Account-ID: 99\n#\n\n",
			[]load.Target{
				{Method: "GET", URL: "http://goku:9090/path/to/dragon?item=ball", Header: http.Header{"X-Account-Id": {"99"}}},
			},
		},
		{
			"headers more than once, colons, spaces, line ends of Windows",
			"\ufeff\r\n  PROPFIND   http://h/ \r\n" +
				"A: 1:2 \r\na:\t3\r\n\r\n\r\n",
			[]load.Target{
				{Method: "PROPFIND", URL: "http://h/", Header: http.Header{"A": {"1:2", "3"}}},
			},
		},
		{"a request line after headers", "GET http://a/\nX: 1\nGET http://b/\nhttp://c/\nX: 2", []load.Target{
			{Method: "GET", URL: "http://a/", Header: http.Header{"X": {"1"}}},
			{Method: "GET", URL: "http://b/"},
			{URL: "http://c/", Header: http.Header{"X": {"2"}}},
		}},
		{
			"addresses and weights",
			"http://a/\n# weight: 3\nhttps://b/{{id}}?q={{ a word }}\n" +
				"#weight:2\nGET http://c/",
			[]load.Target{
				{URL: "http://a/"},
				{URL: "https://b/{{id}}?q={{ a word }}", Weight: 3},
				{Method: "GET", URL: "http://c/", Weight: 2},
			},
		},
		{
			"JSON",
			`{"method":"GET","url":"http://goku","body":"UHVuY2gh","header":{"Content-Type":["text/plain"]}}` + "\n\n" +
				`{"url":"http://h/","weight":4,"body":"","header":{"b":["2"],"B":["1"],"c":[]}}` + "\r\n# weight: 5\n" +
				`{"method":"PUT","url":"http://h/","body":null,"header":null}`,
			[]load.Target{
				{Method: "GET", URL: "http://goku", Body: []byte("Punch!"), Header: http.Header{"Content-Type": {"text/plain"}}},
				{URL: "http://h/", Weight: 4, Body: []byte{}, Header: http.Header{"B": {"1", "2"}}},
				{Method: "PUT", URL: "http://h/", Weight: 5},
			},
		},
		{
			"curl",
			"# often\n# weight: 3\ncurl -sX PUT -H 'X-A: 1' \\\n  -d @thing.json \\\r\n  127.0.0.1:8080/a\n\n" +
				"/usr/bin/curl http://h/b http://h/c#part # comment\n",
			[]load.Target{
				{Method: "PUT", URL: "http://127.0.0.1:8080/a", Weight: 3, Body: []byte(`{"a": 1}`), Header: http.Header{
					"X-A": {"1"}, "Content-Type": {"application/x-www-form-urlencoded"},
				}},
				{Method: "GET", URL: "http://h/b"},
				{Method: "GET", URL: "http://h/c"},
			},
		},
		{
			"curl with variables",
			`curl http://h/{{id}}?q={{ a word }} -d '{{id}}' 'http://[::1]:80/{{id}}' -g 'http://h/{a,b}[1-3]'`,
			nil,
		},
		{
			"curl with quoted variables",
			`curl 'http://h/{{id}}?q={{ a word }}' -d '{{id}}' 'http://[::1]:80/{{id}}'`,
			[]load.Target{
				{Method: "POST", URL: "http://h/{{id}}?q={{ a word }}", Body: []byte("{{id}}"), Header: http.Header{
					"Content-Type": {"application/x-www-form-urlencoded"},
				}},
				{Method: "POST", URL: "http://[::1]:80/{{id}}", Body: []byte("{{id}}"), Header: http.Header{
					"Content-Type": {"application/x-www-form-urlencoded"},
				}},
			},
		},
	} {
		got, err := targets.Read(strings.NewReader(test.text), targets.Options{Dir: dir})
		if (err != nil) != (test.want == nil) {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestReadErrors(t *testing.T) {
	dir := directory(t)
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, targets.MaxBodies+1); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ text, want string }{
		{"", "read t.txt: no targets"},
		{"# nothing\n\n", "read t.txt: no targets"},
		{
			"GET http://h/\n\nPOST /things",
			"read t.txt:3: expected an address that starts with http:// or https://, found the scheme \"\"",
		},
		{
			"GET http://h/ HTTP/1.1",
			"read t.txt:1: the address contains a space, a control character or invalid UTF-8; " +
				"percent-encode it, such as %20",
		},
		{"GET ftp://h/", "read t.txt:1: expected an address that starts with http:// or https://, found the scheme \"ftp\""},
		{"GET http:///x", "read t.txt:1: the address has no host"},
		{"GET http://h:x/", `read t.txt:1: address "http://h:x/": invalid port ":x" after host`},
		{"GET http://me:s%cret@h/", "read t.txt:1: the address cannot be parsed"},
		{"GET http://{{host}}/", `read t.txt:1: address "http://{{}}/": invalid character "{" in host name`},
		{"get http://h/", "read t.txt:1: expected METHOD URL, such as GET http://127.0.0.1:8080/"},
		{"Authorization: Bearer s3cret", "read t.txt:1: expected METHOD URL, such as GET http://127.0.0.1:8080/"},
		{"GET http://h/\nAuthorization", "read t.txt:2: expected Name: value, @body-file, METHOD URL or an empty line"},
		{"GET http://h/\nX:", "read t.txt:2: expected Name: value, @body-file, METHOD URL or an empty line"},
		{"GET http://h/\nx Y: 1", `read t.txt:2: invalid header field name "x Y"`},
		{
			"GET http://h/\nX: s3cret\x00",
			"read t.txt:2: header field X: value contains a control character or invalid UTF-8",
		},
		{"@thing.json", "read t.txt:1: expected METHOD URL before the file of a body"},
		{"GET http://h/\n@thing.json\n@thing.json", "read t.txt:3: expected METHOD URL before the file of a body"},
		{"GET http://h/\n@thing.json\nX: 1", "read t.txt:3: expected METHOD URL or an empty line after the file of a body"},
		{"GET http://h/\n@", "read t.txt:2: expected the name of a file after @"},
		{"GET http://h/\n@sub", "read t.txt:2: read body: " + filepath.Join(dir, "sub") + " is not a regular file"},
		{"GET http://h/\n@large", "read t.txt:2: bodies are larger than 64MB in total"},
		{"# weight: 2", "read t.txt:1: no target follows this weight"},
		{"# weight: 2\n# weight: 3\nGET http://h/", "read t.txt:2: duplicate weight for one target (first in line 1)"},
		{"# weight: heavy\nGET http://h/", `read t.txt:1: weight "heavy" is not a whole number`},
		{"# weight: 0\nGET http://h/", "read t.txt:1: weight 0 is not between 1 and 1000000"},
		{
			`{"url":"http://h/"}` + "\n{\n",
			"read t.txt:2: expected one JSON object with method, url, body, header, name and weight: " +
				"the object does not end on its line",
		},
		{
			`{"url":"http://h/"}{}`,
			"read t.txt:1: expected one JSON object with method, url, body, header, name and weight: " +
				"unexpected data after the object",
		},
		{
			`{"url":"http://h/","uri":1}`,
			`read t.txt:1: expected one JSON object with method, url, body, header, name and weight: ` +
				`json: unknown field "uri"`,
		},
		{
			`{"url":"http://h/"` + "}\n[]",
			"read t.txt:2: expected one JSON object with method, url, body, header, name and weight: " +
				"json: cannot unmarshal array into Go value of type targets.jsonTarget",
		},
		{`{"method":"GET"}`, `read t.txt:1: expected "url" in the object`},
		{
			`{"url":"http://h/","method":"G T"}`,
			`read t.txt:1: "G T" is not a method (want GET, POST or another name in capitals)`,
		},
		{
			`{"url":"http://h/","body":"?"}`,
			"read t.txt:1: expected one JSON object with method, url, body, header, name and weight: " +
				"body: illegal base64 data at input byte 0",
		},
		{`{"url":"http://h/","weight":0}`, "read t.txt:1: weight 0 is not between 1 and 1000000"},
		{
			"# weight: 2\n" + `{"url":"http://h/","weight":3}`,
			"read t.txt:2: duplicate weight for one target (first in line 1)",
		},
		{`{"url":"http://h/","header":{"a b":["1"]}}`, `read t.txt:1: invalid header field name "a b"`},
		{"curl http://h/\nwget http://h/", "read t.txt:2: expected a command line that starts with curl"},
		{"curl", "read t.txt:1: expected an address in the curl command"},
		{"curl \\\n  --frob http://h/", "read t.txt:1: unknown curl option --frob"},
		{"curl -sWx http://h/", "read t.txt:1: unknown curl option -W"},
		{"\ncurl http://h/ -F a=b", "read t.txt:2: curl option -F would change the request and is not supported"},
		{"curl http://h/ -T f", "read t.txt:1: curl option -T would change the request and is not supported"},
		{
			"curl --proxy http://p http://h/",
			"read t.txt:1: curl option --proxy would change the request and is not supported",
		},
		{"curl http://h/ -H", "read t.txt:1: curl option -H: missing value"},
		{"curl http://h/ -H X", "read t.txt:1: curl option -H: expected Name: value"},
		{"curl http://h/ -H 'X Y:'", `read t.txt:1: curl option -H: invalid header field name "X Y"`},
		{"curl http://h/ -u me", "read t.txt:1: curl option -u: expected user:password"},
		{"curl http://h/ -b jar", "read t.txt:1: curl option -b: cookie files are not supported; use NAME=VALUE"},
		{"curl http://h/ -I -d x", "read t.txt:1: curl options -I and -d are mutually exclusive"},
		{"curl http://h/ -d @-", "read t.txt:1: expected the name of a file after @"},
		{"curl http://h/ -d @large", "read t.txt:1: bodies are larger than 64MB in total"},
		{"curl http://h/ -X 'G T'", `read t.txt:1: "G T" is not a method (want GET, POST or another name in capitals)`},
		{"curl http://h/{a,b}", "read t.txt:1: curl would expand the braces or brackets into several addresses"},
		{"curl http://h?x=[1-3]", "read t.txt:1: curl would expand the braces or brackets into several addresses"},
		{
			"curl http://h/?a=1&b=2",
			`read t.txt:1: "&" outside quotes: a shell would interpret it; put it in single quotes if it is literal`,
		},
		{
			"curl http://h/ \\\n -H \"X: $TOKEN\"",
			"read t.txt:2: a $T: a shell would interpret it; put it in single quotes if it is literal",
		},
		{
			"curl http://h/ -H \"X: `id`\"",
			"read t.txt:1: a ` in double quotes: a shell would interpret it; put it in single quotes if it is literal",
		},
		{"curl 'http://h/\n\n", "read t.txt:1: missing closing '"},
		{"curl \"http://h/", "read t.txt:1: missing closing \""},
		{"curl $'http://h/", "read t.txt:1: missing closing ' of $'"},
		{"curl http://h/ \\", "read t.txt:1: nothing follows the last \\"},
		{
			"curl http://h/ | jq",
			`read t.txt:1: "|" outside quotes: a shell would interpret it; put it in single quotes if it is literal`,
		},
	} {
		got, err := targets.Read(strings.NewReader(test.text), targets.Options{Name: "t.txt", Dir: dir})
		var e *load.Error
		if got != nil || !errors.As(err, &e) || err.Error() != test.want {
			t.Errorf("%q: %s, error\n\t%v, want\n\t%s", test.text, shown(got), err, test.want)
			continue
		}
		if all := err.Error() + e.Hint; strings.Contains(all, "s3cret") || strings.Contains(all, "s%cret") {
			t.Errorf("%q: the error tells the secret: %s", test.text, all)
		}
	}
	_, err := targets.Read(strings.NewReader("GET http://h/"), targets.Options{Format: "yaml"})
	var e *load.Error
	if !errors.As(err, &e) || err.Error() != `read targets: unknown format "yaml" (want http, json or curl)` ||
		e.Hint != "omit it to detect the format from the content" {
		t.Errorf("unknown format: %v", err)
	}
	if _, err = targets.Read(
		strings.NewReader("GET http://h/\n@nowhere"), targets.Options{Dir: dir},
	); !errors.Is(err, os.ErrNotExist) || !errors.As(err, &e) || e.Hint == "" {
		t.Errorf("a body file that is not there: %v", err)
	}
}

func TestReadFormatGiven(t *testing.T) {
	for format, text := range map[targets.Format]string{
		targets.HTTP: "http://h/", targets.JSON: `{"url":"http://h/"}`, targets.Curl: "curl http://h/",
	} {
		for _, asked := range targets.Formats() {
			got, err := targets.Read(strings.NewReader(text), targets.Options{Format: asked})
			if (err == nil) != (asked == format) {
				t.Errorf("%q as %s: %s, %v", text, asked, shown(got), err)
			}
		}
	}
}

func TestBounds(t *testing.T) {
	line := "http://127.0.0.1/\n"
	got, err := targets.Read(strings.NewReader(strings.Repeat(line, targets.MaxTargets)), targets.Options{})
	if err != nil || len(got) != targets.MaxTargets {
		t.Errorf("%d targets, %v", len(got), err)
	}
	_, err = targets.Read(strings.NewReader(strings.Repeat(line, targets.MaxTargets+1)), targets.Options{})
	if want := fmt.Sprintf(
		"read targets:%d: more than %d targets", targets.MaxTargets+1, targets.MaxTargets,
	); err == nil || err.Error() != want {
		t.Errorf("one too many: %v; want %s", err, want)
	}
	_, err = targets.Read(bytes.NewReader(make([]byte, targets.MaxFile+1)), targets.Options{})
	if want := "read targets: larger than 64MB"; err == nil || err.Error() != want {
		t.Errorf("too large: %v; want %s", err, want)
	}
	// A file that is used repeatedly counts once; the body that -d makes from it counts each time.
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "b"), bytes.Repeat([]byte("a"), targets.MaxBodies/3), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		text string
		ok   bool
	}{
		{strings.Repeat("PUT http://h/\n@b\n", 9), true},
		{strings.Repeat("curl http://h/ --data-binary @b\n", 9), true},
		{strings.Repeat("curl http://h/ -d @b\n", 9), false},
		{"curl http://h/" + strings.Repeat(" -d "+strings.Repeat("a", 99), 20_000), true},
		{strings.Repeat("curl http://h/ --data-binary @b -d a\n", 9), false},
		{"curl -G http://h/1 http://h/2 http://h/3 http://h/4 --data-binary @b\n", false},
		{"curl http://h/ " + strings.Repeat(" --json @b", 9), false},
	} {
		_, err := targets.Read(strings.NewReader(test.text), targets.Options{Dir: dir})
		if bounded := err != nil && strings.Contains(err.Error(), "larger than 64MB in total"); bounded == test.ok {
			t.Errorf("%.40q…: %v", test.text, err)
		}
	}
}

func TestWarnings(t *testing.T) {
	var got []string
	_, err := targets.Read(strings.NewReader(
		"curl http://h/\ncurl -skL --max-time 3 -H 'User-Agent:' http://h/\n",
	), targets.Options{
		Name: "c", Warn: func(w load.Warning) { got = append(got, w.String()) },
	})
	want := []string{
		"c:2: curl option -k has no effect: use --insecure of whet load",
		"c:2: curl option -L has no effect: redirects are not followed",
		"c:2: curl option --max-time has no effect: use --timeout of whet load",
		"c:2: the User-Agent header field cannot be removed",
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(path, []byte("GET /"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if _, err := targets.Read(f, targets.Options{}); err == nil || !strings.HasPrefix(err.Error(), "read "+path+":1: ") {
		t.Errorf("error %v does not name the file", err)
	}
	if _, err := targets.ReadVariables(f); err == nil || err.Error() != "read "+path+": no rows" {
		t.Errorf("error %v does not name the file", err)
	}
}

func TestWrite(t *testing.T) {
	var b bytes.Buffer
	err := targets.Write(&b, []load.Target{
		{URL: "http://h/?a=1&b=<2>"},
		{Method: "PUT", URL: "http://h/", Body: []byte("hi"), Header: http.Header{"X-A": {"1", "2"}}, Weight: 3},
	})
	want := `{"method":"GET","url":"http://h/?a=1&b=<2>"}
{"method":"PUT","url":"http://h/","body":"aGk=","header":{"X-A":["1","2"]},"weight":3}
`
	if err != nil || b.String() != want {
		t.Errorf("%v\n%s\nwant\n%s", err, b.String(), want)
	}
}

func TestReadVariables(t *testing.T) {
	got, err := targets.ReadVariables(strings.NewReader("\ufeffid, a word \r\n1,\"x,\"\"y\"\"\nz\"\n\n2, \n"))
	want := &load.Variables{Names: []string{"id", "a word"}, Rows: [][]string{{"1", "x,\"y\"\nz"}, {"2", " "}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for text, want := range map[string]string{
		"":                    "read variables: no rows",
		"a,b\n":               "read variables: no rows",
		"a,,b\n1,2,3\n":       "read variables:1: column 2 has no name",
		"a,b,a \n1,2,3\n":     `read variables:1: duplicate column "a"`,
		"a,{b}\n1,2\n":        `read variables:1: name "{b}" contains braces`,
		"a,b\n1,2\n\n1,2,3\n": "read variables:4: expected 2 values, found 3",
		"a,b\n1\n":            "read variables:2: expected 2 values, found 1",
		"a,b\n1,\"x\n":        `read variables:2: extraneous or missing " in quoted-field`,
		"a\n" + strings.Repeat("1\n", targets.MaxRows+1): fmt.Sprintf(
			"read variables:%d: more than %d rows", targets.MaxRows+2, targets.MaxRows,
		),
	} {
		got, err := targets.ReadVariables(strings.NewReader(text))
		if got != nil || err == nil || err.Error() != want {
			t.Errorf("%.40q: %v, %v; want %s", text, got, err, want)
		}
	}
}

// TestTargetNames reads the name of a target in each format, and writes it.
func TestTargetNames(t *testing.T) {
	for _, text := range []string{
		"# name: home page\n# weight: 2\nhttp://h/a\n\nhttp://h/b\n",
		"{\"url\":\"http://h/a\",\"name\":\"home page\",\"weight\":2}\n{\"url\":\"http://h/b\"}\n",
		"# name:  home page\n# weight: 2\n{\"url\":\"http://h/a\"}\n{\"url\":\"http://h/b\"}\n",
		"# weight: 2\n# name: home page\ncurl http://h/a\ncurl http://h/b\n",
	} {
		got, err := targets.Read(strings.NewReader(text), targets.Options{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if len(got) != 2 || got[0].Name != "home page" || got[0].Weight != 2 || got[1].Name != "" {
			t.Errorf("%q: %s", text, shown(got))
		}
		var out bytes.Buffer
		if err := targets.Write(&out, got); err != nil {
			t.Fatal(err)
		}
		again, err := targets.Read(&out, targets.Options{})
		if err != nil || again[0].Name != "home page" || again[1].Name != "" {
			t.Errorf("%q: written and read: %s, %v", text, shown(again), err)
		}
	}
	for text, want := range map[string]string{
		"# name: a\n# name: b\nhttp://h/\n":                 "t.txt:2: duplicate name for one target (first in line 1)",
		"http://h/\n# name: a\n":                            "t.txt:2: no target follows this name",
		"# name:\nhttp://h/\n":                              "t.txt:1: the name is empty",
		"# name: a:b\nhttp://h/\n":                          "t.txt:1: name \"a:b\" contains , :",
		"# name: a\n{\"url\":\"http://h/\",\"name\":\"b\"}": "t.txt:2: duplicate name for one target",
		"{\"url\":\"http://h/\",\"name\":\"\"}":             "t.txt:1: the name is empty",
	} {
		if _, err := targets.Read(
			strings.NewReader(text), targets.Options{Name: "t.txt"},
		); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// shown formats targets with their bodies as text.
func shown(list []load.Target) string {
	var b strings.Builder
	for _, t := range list {
		fmt.Fprintf(&b, "{%q %s %s %q %q %d}", t.Name, t.Method, t.URL, t.Header, t.Body, t.Weight)
	}
	return b.String()
}
