package mcp_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/whet-go/whet/internal/mcp"
)

// TestRefused calls tools with arguments that name something outside of the roots, smuggle flags or commands, or are
// too large. Each is refused with a reason, and nothing is written or run.
func TestRefused(t *testing.T) {
	dir := shop(t)
	outside, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, outside, "-- go.mod --\nmodule example.com/outside\n-- out.whet --\n-- out.go --\npackage outside\n")
	write(t, dir, "-- replaced/go.mod --\nmodule example.com/r\n\nreplace example.com/outside => "+outside+"\n"+
		"-- workspace/go.work --\ngo 1.26\nuse (\n\t./m\n\t"+outside+"\n)\n-- workspace/m/go.mod --\nmodule example.com/m\n"+
		"-- linked/go.mod --\nmodule example.com/l\n")
	var heap bytes.Buffer
	if err := pprof.WriteHeapProfile(&heap); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "heap.pb.gz"), heap.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink(filepath.Join(outside, "out.go"), filepath.Join(dir, "linked", "out.go")),
		os.Symlink(outside, filepath.Join(dir, "link")),
		os.Symlink(filepath.Join(outside, "out.whet"), filepath.Join(dir, "link.whet"))); err != nil {
		t.Skip("needs symbolic links:", err)
	}
	before := snapshot(t, outside)
	c := overPipes(t, server(t, mcp.Options{Roots: []string{dir}, Targets: []string{"staging.example.com:6060"}}))
	link := "diff --git a/text/l b/text/l\nnew file mode 120000\n--- /dev/null\n+++ b/text/l\n@@ -0,0 +1 @@\n" +
		"+/etc/passwd\n\\ No newline at end of file\n"
	named := func(name string) string {
		return "--- /dev/null\n+++ " + name + "\n@@ -0,0 +1 @@\n+package text\n"
	}
	for _, test := range []struct {
		tool      string
		arguments object
		want      string
	}{
		{"hot_lines", object{"recording": "/etc/passwd"}, "outside of the roots"},
		{"hot_lines", object{"recording": "../x.whet"}, "outside of the roots"},
		{"hot_lines", object{"recording": "/nowhere/x.whet"}, "outside of the roots"},
		{"hot_lines", object{"recording": "link/out.whet"}, "outside of the roots"},
		{"hot_lines", object{"recording": "link.whet"}, "outside of the roots"},
		{"hot_lines", object{"recording": "http://127.0.0.1:1/"}, "not the path of a recording"},
		{"hot_lines", object{"recording": "-"}, "not the path of a recording"},
		{"hot_lines", object{"recording": "."}, "not a regular file"},
		{"hot_lines", object{"recording": "a\x00b"}, "control characters"},
		{"hot_lines", object{"recording": "absent.whet"}, "paths are absolute, or relative to"},
		{"hot_lines", object{}, "call record first"},
		{"hot_lines", object{"n": 1000000}, "want 1 to 200"},
		{"hot_lines", object{"n": "many"}, "type"},
		{"hot_lines", object{"exec": "true"}, "exec"},
		{"find", object{"recording": "go.mod", "dir": outside}, "outside of the roots"},
		{"find", object{"recording": "go.mod", "dir": "link"}, "outside of the roots"},
		{"find", object{"recording": "go.mod", "dir": "-C/"}, "not a directory"},
		{"prove", object{"dir": "replaced", "patch": named("a.go")}, "is outside of the roots"},
		{"prove", object{"dir": "workspace/m", "patch": named("a.go")}, "is outside of the roots"},
		{"prove", object{}, "want either a patch or edits"},
		{"prove", object{"patch": link}, "symbolic link"},
		{"prove", object{"patch": named("../../etc/x.go")}, "outside of the repository"},
		{"prove", object{"patch": named("/etc/x.go")}, "outside of the repository"},
		{"prove", object{"patch": named("b/../../x.go")}, "outside of the repository"},
		{"prove", object{"patch": named("link/x.go")}, "symbolic link"},
		{"prove", object{"patch": named("go.mod")}, "must not change which modules"},
		{"prove", object{"patch": named(".git/hooks/post-checkout")}, "outside the repository"},
		{"prove", object{"patch": "rm -rf /"}, "it changes no files"},
		{"prove", object{"patch": strings.Repeat("x", 2<<20)}, "want at most"},
		{"prove", object{"patch": patch(t, "right"), "packages": []string{"-exec=/bin/true"}}, "not a package of the module"},
		{"prove", object{"patch": patch(t, "right"), "packages": []string{"./...", "-toolexec=x"}}, "not a package"},
		{"prove", object{"patch": patch(t, "right"), "packages": []string{"./x; touch y"}}, "not a package of the module"},
		{"prove", object{"patch": patch(t, "right"), "packages": []string{"../..."}}, "not a package of the module"},
		{"prove", object{"patch": patch(t, "right"), "packages": []string{"std"}}, "not a package of the module"},
		{"prove", object{"patch": patch(t, "right"), "bench": "-test.cpuprofile=x"}, "begins with -"},
		{"prove", object{"patch": patch(t, "right"), "bench": "("}, "not a regular expression"},
		{"prove", object{"patch": patch(t, "right"), "budget_seconds": 1e9}, "budget_seconds"},
		{"prove", object{"edits": []object{{"file": "../x.go", "old": "", "new": "package x"}}}, "outside of the repository"},
		{"prove", object{"edits": []object{{"file": "link/out.go", "old": "outside", "new": "x"}}}, "link/out.go"},
		{"prove", object{"edits": []object{{"file": "text/text.go", "old": "nowhere", "new": "x"}}}, "0 times (want once)"},
		{"prove", object{"edits": []object{{"file": "text/text.go", "old": "words", "new": "x"}}}, "(want once)"},
		{"prove_status", object{"job": "proof-99"}, `no proof "proof-99"`},
		{"record", object{}, "want one of url, package and bench"},
		{"record", object{"url": "http://example.com:6060/"}, "not on this machine"},
		{"record", object{"url": "staging.example.com:7070"}, "not on this machine"},
		{"record", object{"url": "http://127.0.0.1.example.com/"}, "not on this machine"},
		{"record", object{"url": "file:///etc/passwd"}, "neither http:// nor https://"},
		{"record", object{"package": "-exec=/bin/sh"}, "not a package of the module"},
		{"record", object{"package": "example.com/outside"}, "not a package of the module"},
		{"record", object{"package": "./..."}, "several packages"},
		{"record", object{"package": ".", "dir": outside}, "outside of the roots"},
		{"record", object{"package": "./text"}, "not a main package"},
		{"record", object{"package": "./text", "capture": "hot"}, "not a main package"},
		{"record", object{"package": "-exec=/bin/sh", "capture": "hot"}, "not a package of the module"},
		{"record", object{"package": ".", "capture": "("}, "not a regular expression"},
		{"record", object{"package": ".", "capture": "-"}, "begins with -"},
		{"record", object{"url": "http://127.0.0.1:1/", "capture": "hot"}, "give package or bench instead of url"},
		{"record", object{"package": ".", "capture": "hot", "capture_rate": 0}, "capture_rate is 0 (want above 0"},
		{"record", object{"package": ".", "capture": "hot", "capture_rate": 100.5}, "capture_rate is 100.5 (want above 0"},
		{"record", object{"package": ".", "capture": "hot", "capture_rate": -1}, "capture_rate is -1 (want above 0"},
		{"record", object{"package": ".", "capture": "hot", "capture_rate": "5%"}, "capture_rate"},
		{"record", object{"package": ".", "capture_rate": 5}, "no effect without capture"},
		{"record", object{"package": ".", "redact": "-"}, "redact"},
		{"record", object{"bench": ".", "packages": []string{"-exec=x"}}, "not a package of the module"},
		{"record", object{"package": ".", "output": filepath.Join(outside, "new.whet")}, "outside of the roots"},
		{"record", object{"package": ".", "output": "link/new.whet"}, "outside of the roots"},
		{"record", object{"package": ".", "output": "main.go"}, "does not end in .whet"},
		{"record", object{"package": ".", "output": "link.whet"}, "file already exists"},
		{"record", object{"package": ".", "seconds": 1e6}, "seconds is"},
		{"load", object{"urls": []string{"http://10.0.0.1/"}}, "not on this machine"},
		{"load", object{"urls": []string{"http://127.0.0.1:1/", "http://example.com/"}}, "not on this machine"},
		{"load", object{"urls": []string{"http://127.0.0.1:1/"}, "body": "@/etc/passwd"}, "outside of the roots"},
		{"load", object{"urls": []string{"http://127.0.0.1:1/"}, "body": "@link/out.go"}, "outside of the roots"},
		{"load", object{"urls": []string{"http://127.0.0.1:1/"}, "connections": 1 << 30}, "connections is"},
		{"line_evidence", object{"file": "/etc/passwd", "line": 1, "recording": "heap.pb.gz"}, "not a Go file of the module"},
		{"line_evidence", object{"file": "link/out.go", "line": 1, "recording": "heap.pb.gz"}, "not a file of the module"},
		{"line_evidence", object{"file": "../x.go", "line": 1, "recording": "heap.pb.gz"}, "not a file of the module"},
		{"find", object{"recording": "heap.pb.gz", "dir": "linked"}, "is outside of the roots"},
		{"compare", object{"before": "/etc/passwd"}, "outside of the roots"},
		{"trace_requests", object{"recording": "link.whet"}, "outside of the roots"},
		{"compare", object{"before": "heap.pb.gz", "after": "/etc/passwd"}, "outside of the roots"},
		{"trace_requests", object{"recording": "heap.pb.gz", "handler": "("}, "not a regular expression"},
		{"trace_requests", object{"recording": "heap.pb.gz", "slowest": -1}, "want 1 to 20"},
		{"line_evidence", object{"file": "text/text.go", "line": 1, "recording": "/etc/passwd"}, "outside of the roots"},
		{"line_evidence", object{"file": "text/text.go", "line": -1}, "file and line are not given"},
		{"prove", object{"patch": patch(t, "right"), "recording": "/etc/passwd"}, "outside of the roots"},
		{"prove", object{"patch": patch(t, "right"), "wait_seconds": -1}, "wait_seconds"},
		{"prove_cancel", object{"job": "../proof-1"}, "has no proof"},
		{"load", object{"urls": []string{"http://127.0.0.1:1/"}, "headers": []string{"A: b\r\nHost: evil"}}, "header"},
		{"load", object{"urls": []string{"http://127.0.0.1:1/"}, "method": "GET / HTTP/1.1\r\nX:"}, "method"},
		{"load", object{"urls": []string{"http://127.0.0.1:1/"}, "rate": "-1"}, "rate"},
		{"load", object{"urls": []string{}}, "urls is empty"},
		{"no/such tool", object{}, "unknown tool"},
	} {
		result, failed := c.try(test.tool, test.arguments)
		if failed == "" || !strings.Contains(failed, test.want) || len(failed) > 8000 {
			t.Errorf("%s %s: %.300q, %v, want %q", test.tool, compact(test.arguments), failed, result, test.want)
		}
	}
	for _, uri := range []string{
		"whet://recordings/top/cpu//etc/passwd", "whet://recordings/top/cpu/..%2f..%2fetc%2fpasswd", "whet://documents/top-1",
		"whet://recordings/exec/cpu/x", "file:///etc/passwd",
	} {
		if r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s: %v", uri, r)
		}
	}
	if after := snapshot(t, outside); after != before {
		t.Errorf("outside of the roots:\n%s", after)
	}
}

// TestRoots are names that cannot be roots.
func TestRoots(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"/", file, filepath.Join(file, "below"), "absent"} {
		if s, err := mcp.New(mcp.Options{Roots: []string{name}}); err == nil {
			t.Errorf("%s is a root: %v", name, s.Close())
		}
	}
}

// TestLargeMessages sends 100 MB to a server on standard input and output: the request is answered with its id, and the
// next one works.
func TestLargeMessages(t *testing.T) {
	s := server(t, mcp.Options{Roots: []string{t.TempDir()}})
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := s.Run(t.Context(), in, out)
		ended <- errors.Join(err, out.Close())
	}()
	answers := bufio.NewReader(fromServer)
	answer := func() (m struct {
		ID    any
		Error struct{ Message string }
	},
	) {
		line, err := answers.ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(line, &m)
		}
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	send := func(parts ...string) {
		for _, p := range parts {
			if _, err := io.WriteString(toServer, p); err != nil {
				t.Error(err)
			}
		}
	}
	megabyte := strings.Repeat("x", 1<<20)
	for _, test := range []struct {
		before, after string
		id            any
	}{
		{`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"id":1,"name":"prove","arguments":{"patch":"`, `"}}}`, 7.0},
		{`{"method":"tools/call","params":{"name":"a \"id\": 3","arguments":["`, `"]},"jsonrpc":"2.0","id":"last"}`, "last"},
		{`{"jsonrpc":"2.0","method":"`, `"}`, nil},
	} {
		go func() {
			send(test.before)
			for range 100 {
				send(megabyte)
			}
			send(test.after, "\n")
		}()
		if m := answer(); m.ID != test.id || !strings.Contains(m.Error.Message, "want at most 4194304") {
			t.Errorf("%s: %v", test.before, m)
		}
	}
	go send(`{"jsonrpc":"2.0","id":8,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},`+
		`"clientInfo":{"name":"a","version":"1"}}}`, "\n")
	if m := answer(); m.ID != 8.0 || m.Error.Message != "" {
		t.Errorf("the next request: %v", m)
	}
	if err := errors.Join(toServer.Close(), <-ended); err != nil {
		t.Error(err)
	}
}

// TestHTTP sends requests that a server on HTTP must refuse: without the token, from web pages, for other hosts, too
// large.
func TestHTTP(t *testing.T) {
	s := server(t, mcp.Options{Roots: []string{t.TempDir()}})
	for _, bad := range []string{"", "short", "with spaces in the token"} {
		if _, err := s.Handler(bad); err == nil {
			t.Errorf("the token %q is accepted", bad)
		}
	}
	endpoint := listen(t, s)
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"a","version":"1"}}}`
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	ask := func(method, url, body string, change func(*http.Request)) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if change != nil {
			change(r)
		}
		answer, err := client.Do(r)
		if err != nil {
			return 0, err.Error()
		}
		text, err := io.ReadAll(answer.Body)
		if err := errors.Join(err, answer.Body.Close()); err != nil {
			t.Error(err)
		}
		return answer.StatusCode, string(text)
	}
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	without := func(r *http.Request) { r.Header.Del("Authorization") }
	unannounced := func(r *http.Request) { r.ContentLength = -1 }
	if code, text := ask("POST", endpoint, hello, nil); code != 200 || !strings.Contains(text, `"serverInfo"`) {
		t.Fatalf("%d %s", code, text)
	}
	for name, test := range map[string]struct {
		method, url, body string
		change            func(*http.Request)
		code              int
	}{
		"no token":           {"POST", endpoint, hello, without, 401},
		"another token":      {"POST", endpoint, hello, header("Authorization", "Bearer "+token+"x"), 401},
		"an empty token":     {"POST", endpoint, hello, header("Authorization", "Bearer "), 401},
		"another scheme":     {"POST", endpoint, hello, header("Authorization", "Basic "+token), 401},
		"a token in a query": {"POST", endpoint + "?token=" + token, hello, without, 401},
		"reading without":    {"GET", endpoint, "", without, 401},
		"another page":       {"POST", endpoint, hello, header("Origin", "http://evil.example"), 403},
		"a page's file":      {"POST", endpoint, hello, header("Origin", "null"), 403},
		"another site":       {"POST", endpoint, hello, header("Sec-Fetch-Site", "cross-site"), 403},
		"another host":       {"POST", endpoint, hello, func(r *http.Request) { r.Host = "evil.example" }, 403},
		"another path":       {"POST", strings.TrimSuffix(endpoint, mcp.Path) + "/other", hello, nil, 404},
		"an unknown method":  {"PUT", endpoint, hello, nil, 405},
		"5 MB":               {"POST", endpoint, strings.Repeat(" ", 5<<20), nil, 413},
		"5 MB, unannounced":  {"POST", endpoint, strings.Repeat(" ", 5<<20), unannounced, 413},
	} {
		if code, text := ask(test.method, test.url, test.body, test.change); code != test.code || text == "" {
			t.Errorf("%s: %d %s, want %d", name, code, text, test.code)
		}
	}
	if code, text := ask("POST", endpoint, strings.Repeat(" ", 100<<20), nil); code != 413 {
		t.Errorf("100 MB: %d %s", code, text)
	}
	if code, _ := ask("POST", endpoint, hello, nil); code != 200 {
		t.Errorf("after that: %d", code)
	}
}

// TestSessions has ten clients at once: each sees its own state only.
func TestSessions(t *testing.T) {
	dir := shop(t)
	s := server(t, mcp.Options{Roots: []string{dir}})
	endpoint := listen(t, s)
	type outcome struct{ job, other, failed string }
	outcomes := make(chan outcome, 10)
	for i := range 10 {
		c := overHTTP(t, endpoint)
		go func() {
			var o outcome
			text := fmt.Sprintf("package text\n\n// This is number %d.\n", i) // there is nothing to prove
			if i%5 == 0 && !testing.Short() {
				text += "const N = 1\n"
			}
			result, failed := c.try("prove", object{
				"edits": []object{{"file": "text/n.go", "old": "", "new": text}}, "wait_seconds": 0,
			})
			if o.failed = failed; failed == "" {
				o.job = result["job"].(string)
				for state := ""; state != "done" && o.failed == ""; {
					var v object
					if v, o.failed = c.try("prove_status", object{"wait_seconds": 60}); o.failed == "" {
						if state = v["state"].(string); state != "done" && state != "waiting" && state != "running" {
							o.failed = fmt.Sprint(v)
						}
					}
				}
				_, o.other = c.try("prove_status", object{"job": "proof-77"})
			}
			outcomes <- o
		}()
	}
	for range 10 {
		if o := <-outcomes; o.failed != "" || o.job != "proof-1" || !strings.Contains(o.other, "this session has no proof") {
			t.Errorf("%+v", o)
		}
	}
}
