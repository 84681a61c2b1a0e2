package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/fix/failures"
	"github.com/whet-go/whet/internal/leaktest"
	"github.com/whet-go/whet/internal/loopback"
	"github.com/whet-go/whet/internal/mcp"
	"github.com/whet-go/whet/internal/mcp/fit"
	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/prove"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// write writes an archive of files.
func write(t *testing.T, dir, archive string) {
	t.Helper()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// shop writes the service in testdata to a new directory.
func shop(t *testing.T) string {
	t.Helper()
	archive, err := os.ReadFile("testdata/shop.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, string(archive))
	return dir
}

// patch returns a candidate in testdata.
func patch(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".diff"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// server returns a server with a root, which the test closes.
func server(t *testing.T, o mcp.Options) *mcp.Server {
	t.Helper()
	s, err := mcp.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// A client is one session of a test.
type client struct {
	*sdk.ClientSession
	t     *testing.T
	steps chan string // progress notifications
}

func connect(t *testing.T, transport sdk.Transport) *client {
	t.Helper()
	c := &client{t: t, steps: make(chan string, 1000)}
	var err error
	c.ClientSession, err = sdk.NewClient(&sdk.Implementation{Name: "test"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			select {
			case c.steps <- r.Params.Message:
			default:
			}
		},
	}).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // some tests close the server first
	return c
}

// overPipes connects a client as on standard input and output.
func overPipes(t *testing.T, s *mcp.Server) *client {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := s.Run(t.Context(), in, out)
		ended <- errors.Join(err, out.Close())
	}()
	c := connect(t, &sdk.IOTransport{Reader: fromServer, Writer: toServer})
	t.Cleanup(func() {
		_ = toServer.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return c
}

const token = "0123456789abcdef-test"

// A bearer adds the token to requests.
type bearer struct{ http.RoundTripper }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	return b.RoundTripper.RoundTrip(r)
}

// listen serves HTTP, and returns the address of the endpoint.
func listen(t *testing.T, s *mcp.Server) string {
	t.Helper()
	l, err := loopback.Listen(t.Context(), loopback.DefaultAddr)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, token) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String() + mcp.Path
}

// overHTTP connects a client to an endpoint.
func overHTTP(t *testing.T, endpoint string) *client {
	t.Helper()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(transport.CloseIdleConnections)
	return connect(t, &sdk.StreamableClientTransport{
		Endpoint: endpoint, HTTPClient: &http.Client{Transport: bearer{transport}},
	})
}

// try calls a tool. The result must be within the limit, and the text must be the structured content.
func (c *client) try(tool string, arguments any) (result map[string]any, failed string) {
	c.t.Helper()
	r, err := c.CallTool(c.t.Context(), params(tool, arguments))
	if err != nil {
		return nil, err.Error()
	}
	size, err := json.Marshal(r)
	if err != nil {
		c.t.Fatal(err)
	}
	if len(size) > fit.DefaultLimit {
		c.t.Errorf("%s: the result has %d bytes", tool, len(size))
	}
	text := r.Content[0].(*sdk.TextContent).Text
	if r.IsError {
		return nil, text
	}
	if err := json.Unmarshal([]byte(text), &result); err != nil {
		c.t.Fatalf("%s: %v", tool, err)
	}
	structured, err := json.Marshal(r.StructuredContent)
	if err != nil {
		c.t.Fatal(err)
	}
	var same map[string]any
	if err := json.Unmarshal(structured, &same); err != nil || len(same) != len(result) {
		c.t.Errorf("%s: %v: the structured content differs from the text: %s\n%s", tool, err, structured, text)
	}
	c.t.Logf("%s %v: %d bytes", tool, compact(arguments), len(size))
	return result, ""
}

func compact(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text[:min(len(text), 120)])
}

func params(tool string, arguments any) *sdk.CallToolParams {
	p := &sdk.CallToolParams{Name: tool, Arguments: arguments}
	p.SetProgressToken(tool)
	return p
}

// call calls a tool that must succeed.
func (c *client) call(tool string, arguments any) map[string]any {
	c.t.Helper()
	result, failed := c.try(tool, arguments)
	if failed != "" {
		c.t.Fatalf("%s %s: %s", tool, compact(arguments), failed)
	}
	return result
}

type object = map[string]any

// prove hands in a change, and waits for the verdict.
func (c *client) prove(arguments object) object {
	c.t.Helper()
	arguments["wait_seconds"] = 1
	v := c.call("prove", arguments)
	for v["state"] == "waiting" || v["state"] == "running" {
		v = c.call("prove_status", object{"job": v["job"], "wait_seconds": 20})
	}
	if v["state"] != "done" {
		c.t.Fatalf("the proof: %v", v)
	}
	return v
}

// TestLoop is what an assistant does: it records a service under load, finds the line, hands in a wrong patch, reads
// the counterexample, hands in a slower one and a right one, and gets the verdicts.
func TestLoop(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	dir := shop(t)
	before := snapshot(t, dir)
	dropped := t.TempDir()
	if err := failures.Remember(dropped, droppedBefore(dir)); err != nil {
		t.Fatal(err)
	}
	s := server(t, mcp.Options{Roots: []string{dir}, Failures: dropped})
	t.Run("stdio", func(t *testing.T) {
		provetest.Part(t)
		loop(t, overPipes(t, s))
	})
	t.Run("http", func(t *testing.T) {
		provetest.Part(t)
		loop(t, overHTTP(t, listen(t, s)))
	})
	if after := snapshot(t, dir); after != before {
		t.Errorf("the user's files have changed:\n%s\n%s", before, after)
	}
}

// droppedBefore is what whet fix has tried before: a candidate for each of the two lines that concatenate.
func droppedBefore(dir string) *fix.Result {
	r := &fix.Result{Dir: dir}
	for _, code := range []string{"out += separator", "out += w"} {
		r.Attempts = append(r.Attempts, fix.Attempt{
			Finding: find.Finding{
				Tier: find.Proposed, Function: "Join", Places: []find.Place{{File: "text/text.go", Code: code}},
			},
			Outcome: prove.OutcomeDifferent, Diff: "-\t\t" + code, Reason: `Join([]string{"é"}, "") behaves differently`,
		})
	}
	return r
}

func loop(t *testing.T, c *client) {
	r := c.call("record", object{
		"package": ".", "args": []string{"-addr", "{addr}"}, "seconds": 2,
		"load": object{"urls": []string{"http://{addr}/report?n=200"}}, "capture": `text\.`,
	})
	if list, _ := r["captured"].([]any); len(list) != 1 || strings.Contains(fmt.Sprint(r["missing"]), "arguments: ") ||
		list[0].(object)["function"] != "example.com/shop/text.Join" || list[0].(object)["calls"].(float64) < 1 {
		t.Errorf("the functions of which calls were copied: %v, missing %v", list, r["missing"])
	}
	if l := r["load"].(object); l["requests"].(float64) < 10 || l["failed"].(float64) > 0 {
		t.Errorf("the load: %v", l)
	}
	hot := c.call("hot_lines", object{})["lines"].([]any)[0].(object)
	if hot["function"] != "example.com/shop/text.Join" || hot["file"] != "text/text.go" {
		t.Errorf("the hottest line: %v", hot)
	}
	found := c.call("find", object{})["findings"].([]any)[0].(object)
	if found["file"] != "text/text.go" {
		t.Errorf("found: %v", found)
	}
	at := object{"file": found["file"], "line": found["line"]}
	e := c.call("line_evidence", at)
	if e["function"] != "Join" || e["finding"] == nil || e["callers"] == nil || e["callees"] == nil ||
		e["allocations"] == nil || e["compiler_notes"] == nil {
		t.Errorf("the evidence: %v", e)
	}
	calls, _ := e["captured"].(object)
	if text := fmt.Sprint(calls["arguments"]); !strings.Contains(text, "lengths:[200 200 200] name:words") ||
		!strings.Contains(text, `name:separator type:string values:[, ]`) {
		t.Errorf("what the function is called with: %v", calls)
	}
	if list, _ := e["failed"].([]any); len(list) != 1 || list[0].(object)["outcome"] != "different" ||
		!strings.Contains(list[0].(object)["reason"].(string), `"é"`) {
		t.Errorf("what whet fix has dropped: %v", e["failed"])
	}
	if list := fmt.Sprint(e["benchmarks"]); list != "[text.BenchmarkJoin]" {
		t.Errorf("the benchmarks that reach it: %v", list)
	}

	wrong := c.prove(object{"patch": patch(t, "wrong")})
	if wrong["outcome"] != "different" || !strings.Contains(wrong["reason"].(string), "Join behaves") ||
		!strings.Contains(wrong["test"].(string), "func Test") {
		t.Errorf("the wrong patch: %v", wrong)
	}
	if steps := c.drain(); !slices.ContainsFunc(steps, func(s string) bool { return strings.Contains(s, "build") }) {
		t.Errorf("progress: %q", steps)
	}
	if slower := c.prove(object{"patch": patch(t, "slower")}); slower["outcome"] != "slower" {
		t.Errorf("the slower patch: %v", slower)
	}
	failed := c.call("line_evidence", at)["failed"].([]any)
	if len(failed) != 3 || failed[1].(object)["outcome"] != "different" || failed[0].(object)["outcome"] != "slower" ||
		!begin(failed[1].(object)["reason"], wrong["reason"]) || failed[1].(object)["diff"] != patch(t, "wrong") {
		t.Errorf("the candidates that failed: %v", failed)
	}
	right := c.prove(object{"patch": patch(t, "right")})
	outcome := right["outcome"]
	if missing, _ := right["missing"].([]any); outcome == "unproven" && len(missing) == 1 &&
		strings.Contains(missing[0].(string), "a cost elsewhere is not weighed") {
		t.Logf("other programs on this machine: %v", missing) // it may take others for a cost of the change
	} else if outcome != "faster" || !strings.Contains(right["next"].(string), "apply") {
		t.Errorf("the right patch: %v", right)
	}
	if figures := fmt.Sprint(right["figures"]); !strings.Contains(figures, "Join allocs/op: -9") {
		t.Errorf("the figures of the right patch: %s", figures)
	}
	// The whole verdict.
	name := "whet://documents/prove-" // and a number
	whole := ""
	for i := range 40 {
		read, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: fmt.Sprint(name, i)})
		if err == nil {
			whole = read.Contents[0].Text
		}
	}
	if !strings.Contains(whole, `"schema":"whet.prove/1"`) ||
		!strings.Contains(whole, fmt.Sprintf(`"outcome":%q`, outcome)) {
		t.Errorf("the whole verdict: %.300s", whole)
	}
	uri := "whet://recordings/tree/cpu/" + r["recording"].(string)
	view, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
	if err != nil || !strings.Contains(view.Contents[0].Text, `"schema":"whet.tree/2"`) {
		t.Errorf("a view of the recording: %v", err)
	}
	if traced := c.call("trace_requests", object{}); traced["requests"].(float64) < 1 {
		t.Errorf("the requests: %v", traced)
	}
	compared := c.call("compare", object{"before": r["recording"]})
	if total := compared["total"].(object); total["within_noise"] != true {
		t.Errorf("the recording compared with itself: %v", compared)
	}
}

// begin reports whether a text begins like another one: the rest of a long one may be left out.
func begin(some, all any) bool {
	text, _ := all.(string)
	is, ok := some.(string)
	return ok && text != "" && strings.HasPrefix(is, text[:min(len(text), 100)])
}

// drain returns the progress notifications so far.
func (c *client) drain() (steps []string) {
	for {
		select {
		case s := <-c.steps:
			steps = append(steps, s)
		default:
			return steps
		}
	}
}

// snapshot returns the names and contents of all files.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	if err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		fmt.Fprintf(&b, "%s\n%s\n", name, data)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestTruncated has a limit that nearly every result exceeds: each says where the rest is, and there it is.
func TestTruncated(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	const limit = 6000
	c := overPipes(t, server(t, mcp.Options{Roots: []string{shop(t)}, MaxResult: limit}))
	truncated := 0
	for _, test := range []struct {
		tool      string
		arguments object
	}{
		{"record", object{"bench": "Join", "seconds": 2}},
		{"hot_lines", object{"n": 200}},
		{"find", object{"n": 200}},
		{"line_evidence", object{"file": "text/text.go", "line": 13}},
		{"prove", object{"patch": patch(t, "wrong"), "wait_seconds": 300}},
		{"line_evidence", object{"file": "text/text.go", "line": 13}},
	} {
		r, err := c.CallTool(t.Context(), params(test.tool, test.arguments))
		if err != nil || r.IsError {
			t.Fatalf("%s: %v, %v", test.tool, err, r.Content[0])
		}
		size, err := json.Marshal(r)
		if err != nil || len(size) > limit {
			t.Errorf("%s: %v, %d bytes", test.tool, err, len(size))
		}
		where, _ := r.StructuredContent.(object)["truncated"].(string)
		if where == "" {
			continue
		}
		truncated++
		at := strings.Index(where, "whet://documents/")
		if at < 0 {
			t.Fatalf("%s: %s", test.tool, where)
		}
		uri, _, _ := strings.Cut(where[at:], ";")
		read, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil || !json.Valid([]byte(read.Contents[0].Text)) {
			t.Errorf("%s: %s: %v", test.tool, uri, err)
		}
	}
	if truncated < 2 {
		t.Errorf("%d results were truncated", truncated)
	}
}
