package targets_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/internal/load/targets"
)

// seen is what a server received.
type seen struct {
	Method, URI, Body string
	Header            http.Header
}

// TestCurlOracle runs command lines with a shell and curl, sends the targets that Read returns for
// them, and compares what the server received.
func TestCurlOracle(t *testing.T) {
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("needs %s", program)
		}
	}
	got := make(chan seen, 16)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		h := r.Header.Clone()
		if strings.HasPrefix(h.Get("User-Agent"), "curl/") || strings.HasPrefix(h.Get("User-Agent"), "Go-http-client") {
			h.Del("User-Agent")
		}
		if h.Get("Accept") == "*/*" { // curl's own
			h.Del("Accept")
		}
		if h.Get("Accept-Encoding") != "" { // which ones depends on curl's libraries
			h.Set("Accept-Encoding", "some")
		}
		h.Del("Content-Length")
		got <- seen{r.Method, r.RequestURI, string(body), h}
	}))
	t.Cleanup(server.Close)
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: transport}
	dir := directory(t)

	for _, line := range []string{
		`curl URL/`,
		`curl URL`,
		`curl 'URL/a?b=c#d'`,
		`curl -X DELETE URL/x`,
		`curl -XPATCH -d a=b URL/x`,
		`curl --request OPTIONS --url URL/x`,
		`curl -I URL/x`,
		`curl -sSkLvI URL/x`,
		`curl -I -X GET URL/x`,
		`curl -H 'X-A: 1' -H 'x-a:2' -H "X-B:  two words " URL/`,
		`curl -H 'X-Empty;' -H 'Accept: text/html' URL/`,
		`curl -d 'a=b' -d "c=d e" URL/`,
		`curl -da=b URL/`,
		`curl -d '' URL/`,
		`curl -d a -d '' -d b URL/`,
		`curl --data-ascii @thing.json URL/`,
		`curl -d @thing.json -d x=y URL/`,
		`curl --data-binary @sub/x URL/`,
		`curl --data-binary @thing.json URL/`,
		`curl --data-raw @thing.json URL/`,
		`curl --data-urlencode 'a=b c&d/é~' --data-urlencode '=x=y' --data-urlencode 'p q' URL/`,
		`curl --data-urlencode @thing.json --data-urlencode n@sub/x URL/`,
		`curl --json '{"a":1}' URL/`,
		`curl --json '{"a":' --json '1}' -H 'Accept: text/plain' URL/`,
		`curl --json @thing.json URL/`,
		`curl -d a=b -H 'Content-Type: text/plain' URL/`,
		`curl -d a=b -H 'Content-Type:' URL/`,
		`curl -G -d a=b --data-urlencode 'c=d e' URL/x`,
		`curl -G -d a=b 'URL/x?y=z'`,
		`curl -G -I -d a=b URL/x`,
		`curl -G -X PUT -d a=b URL/x`,
		`curl -u me:secret URL/`,
		`curl -u 'me:a:b' -H 'Authorization: Token x' URL/`,
		`curl --oauth2-bearer tok URL/`,
		`curl -A 'my agent' -e http://from/ URL/`,
		`curl -A one -H 'User-Agent: two' URL/`,
		`curl -e 'http://from/;auto' URL/`,
		`curl -b a=b URL/`,
		`curl -b a=b -b 'c=d; e=f' URL/`,
		`curl -b a=b -H 'Cookie: x=y' URL/`,
		`curl -r 0-99 URL/`,
		`curl --compressed URL/`,
		`curl --compressed -H 'Accept-Encoding: identity' URL/`,
		`curl -o /dev/null -w '%{http_code}' -m 5 URL/`,
		`curl -g 'URL/?x={a}'`,
		`curl -- URL/x`,
		`curl -H @headers URL/`,
		// Quoting.
		`curl URL/a\?b=\$c`,
		`curl "URL/a?b=\"c\"" -d "\a\\\$ \` + "`" + ` $ $" -g`,
		`curl URL/ -d 'single '\''quote'\''' -H "X: it's"`,
		`curl URL/ --data-raw $'a\nb\t\'\x41\u00e9\U0001F600\101\\\e\q\xzz'`,
		"curl URL/ \\\n  -d 'two\nlines' \\\n  -H 'X: 1' # a comment",
		`curl URL/a#b -d x#y`,
		`cu"r"l UR''L/ -d a`,
		"curl URL/ -d \"joined \\\nline\"",
	} {
		name := line
		line = strings.ReplaceAll(strings.ReplaceAll(line, "UR''L", "UR'L'"), "UR'L'", "URL")
		line = strings.ReplaceAll(line, "URL", server.URL)

		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		cmd := exec.CommandContext(ctx, "bash", "-c",
			strings.Replace(line, "curl ", "curl -sq -o /dev/null --noproxy '*' ", 1))
		if strings.HasPrefix(line, "cu") && !strings.HasPrefix(line, "curl ") {
			cmd = exec.CommandContext(ctx, "bash", "-c", line)
		}
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		cancel()
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
			continue
		}
		want := <-got

		list, err := targets.Read(strings.NewReader(line), targets.Options{Format: targets.Curl, Dir: dir})
		if err != nil || len(list) != 1 {
			t.Errorf("%s: %s, %v", name, shown(list), err)
			continue
		}
		target := list[0]
		req, err := http.NewRequestWithContext(t.Context(), target.Method, target.URL, strings.NewReader(string(target.Body)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		req.Header = target.Header
		resp, err := client.Do(req)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_ = resp.Body.Close()
		if diff := cmp.Diff(want, <-got); diff != "" {
			t.Errorf("%s (-curl +got):\n%s", name, diff)
		}
	}
}
