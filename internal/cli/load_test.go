package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/whet-go/whet/internal/cli"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/load/capacity"
	"github.com/whet-go/whet/load/compare"
	"github.com/whet-go/whet/recording"
)

// A loadServer answers every request with "hello" and remembers them.
type loadServer struct {
	*httptest.Server
	mu   sync.Mutex
	seen map[string]int // method, path, body and the selected headers
}

func newLoadServer(t *testing.T, header ...string) *loadServer {
	t.Helper()
	s := &loadServer{seen: map[string]int{}}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		key := []string{r.Method, r.URL.RequestURI(), string(body)}
		for _, name := range header {
			key = append(key, r.Header.Get(name))
		}
		s.mu.Lock()
		s.seen[strings.Join(key, " ")]++
		s.mu.Unlock()
		if r.URL.Path == "/broken" {
			w.WriteHeader(http.StatusInternalServerError)
		}
		_, _ = io.WriteString(w, "hello")
	}))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func (s *loadServer) count(key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[key]
}

// TestLoadExamples runs the examples of the help texts against a server of the test, with times and
// rates divided by a hundred.
func TestLoadExamples(t *testing.T) {
	s := newLoadServer(t)
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"order.json": `{"n":1}`,
		"urls.txt":   s.URL + "/a?user={{user}}\n" + s.URL + "/b\n",
		"users.csv":  "user\nada\ngrace\nalan\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"before", "after", "a1", "a2", "a3", "b1", "b2", "b3"} {
		if code, _, stderr := runWhet(t, "load", "-n", "100", "-o", name+".json", s.URL); code != 0 {
			t.Fatalf("exit code %d\n%s", code, stderr)
		}
	}
	shorter := strings.NewReplacer("http://localhost:8080", s.URL,
		"-d 30s", "-d 300ms", "-d 1m", "-d 600ms", "-d 10s", "-d 100ms",
		"--warmup 2s", "--warmup 20ms", "--ramp 30s", "--ramp 300ms", "1000..20000", "10..200", "-r 5000", "-r 50",
		"-r 1000 --assert", "-d 300ms -r 10 --assert",
		// A shared machine may be slow, but no search may take long.
		"p99<20ms", "p99<9s", "p99<50ms", "p99<9s", "--find-capacity", "--find-capacity -d 200ms --warmup 10ms -r 50..100")
	n := 0
	for _, command := range [][]string{{"load"}, {"load", "compare"}} {
		_, help, _ := runWhet(t, append(command, "--help")...)
		for _, example := range exampleLines(help) {
			n++
			args := shellFields(shorter.Replace(example))
			if command[len(command)-1] == "load" && strings.Contains(example, "--ramp") {
				args = append(args, "-d", "500ms")
			}
			if slices.ContainsFunc(args, func(arg string) bool { return arg == "-o" || arg == "--html" || arg == "--hgrm" }) {
				args = append(args, "--force")
			}
			code, stdout, stderr := runWhet(t, args[1:]...)
			// If the machine stalls for longer than a run, nothing is sent, or no rate is held.
			for again := 0; again < 4 && code != 0; again++ {
				if !slices.Contains(args, "--force") {
					args = append(args, "--force")
				}
				code, stdout, stderr = runWhet(t, args[1:]...)
			}
			if code != 0 || stdout == "" {
				t.Errorf("%s: exit code %d\n%s%s", example, code, stdout, stderr)
			}
		}
	}
	if n < 10 {
		t.Errorf("%d examples", n)
	}
	for _, name := range []string{"load.html", "difference.html"} {
		if page, err := os.ReadFile(name); err != nil || !bytes.HasPrefix(page, []byte("<!doctype html>")) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, key := range []string{`POST /orders {"n":1}`, "GET /a?user=grace ", "GET /b "} {
		if s.count(key) == 0 {
			t.Errorf("no request %q", key)
		}
	}
}

// TestLoadSecrets checks that credentials reach the server, and nothing else.
func TestLoadSecrets(t *testing.T) {
	s := newLoadServer(t, "Authorization", "X-Key")
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"token": "sesame-token\n", "password": "sesame-password\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	withUser := strings.Replace(s.URL, "http://", "http://ada:sesame-url@", 1)
	for _, tt := range []struct {
		args []string
		want string // what the server sees; "" when the command fails
	}{
		{[]string{"--user", "ada:sesame:1", s.URL}, "Basic YWRhOnNlc2FtZTox "},
		{[]string{"--user", "ada", "--password-file", "password", s.URL}, "Basic YWRhOnNlc2FtZS1wYXNzd29yZA== "},
		{[]string{"--token-file", "token", s.URL}, "Bearer sesame-token "},
		{[]string{"-H", "X-Key: sesame-key", s.URL}, " sesame-key"},
		{[]string{withUser}, "Basic YWRhOnNlc2FtZS11cmw= "},
		{[]string{"-H", "sesame-header", s.URL}, ""},
		{[]string{"--user", "ada:sesame", "-H", "Authorization: sesame", s.URL}, ""},
		{[]string{"http://ada:sesame-url@\x7f/"}, ""},
		{[]string{strings.Replace(withUser, "http:", "ftp:", 1)}, ""},
		{[]string{"http://ada:sesame@192.0.2.1/"}, ""},
		{[]string{"--allow-remote", "other.test", "http://ada:sesame@192.0.2.1/"}, ""},
	} {
		args := append([]string{"load", "-n", "5", "-o", "r.json", "--html", "r.html", "--force"}, tt.args...)
		code, stdout, stderr := runWhet(t, args...)
		if (code == 0) != (tt.want != "") {
			t.Errorf("%q: exit code %d\n%s", args, code, stderr)
		}
		if tt.want != "" && s.count("GET /  "+tt.want) == 0 {
			t.Errorf("%q: the server has not seen %q", args, tt.want)
		}
		all := stdout + stderr
		for _, name := range []string{"r.json", "r.html"} {
			data, err := os.ReadFile(name)
			if err != nil && tt.want != "" {
				t.Fatal(err)
			}
			all += string(data)
		}
		if strings.Contains(all, "sesame") || strings.Contains(all, "c2VzYW1") {
			t.Errorf("%q shows a secret:\n%s%s", args, stdout, stderr)
		}
	}
}

// TestLoadJSON checks that the file and --json have the same schema, and the same content as the
// text.
func TestLoadJSON(t *testing.T) {
	s := newLoadServer(t)
	t.Chdir(t.TempDir())
	code, stdout, stderr := runWhet(t, "load", "-n", "200", "-c", "4", "-o", "r.json", "--hgrm", "r.hgrm", "--json",
		s.URL+"/x")
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	data, err := os.ReadFile("r.json")
	if err != nil || string(data) != stdout {
		t.Errorf("%v: the file differs from standard output", err)
	}
	var r load.Result
	if err := json.Unmarshal(data, &r); err != nil || r.Schema != load.Schema || r.Requests != 200 ||
		r.Connections != 4 || r.Status[200] != 200 {
		t.Errorf("%v\n%s", err, data)
	}
	hgrm, err := os.ReadFile("r.hgrm")
	if err != nil || !strings.Contains(string(hgrm), "Total count    =          200]") {
		t.Errorf("%v\n%s", err, hgrm)
	}
	if code, _, stderr := runWhet(t, "load", "-n", "1", "-o", "r.json", s.URL); code != 1 ||
		!strings.Contains(stderr, "hint: --force replaces it") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

// TestLoadExitCodes distinguishes failures, warnings and missed objectives.
func TestLoadExitCodes(t *testing.T) {
	s := newLoadServer(t)
	// A connection occupies the port, so that nothing can listen there.
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}}
	c, err := d.DialContext(t.Context(), "tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	closed := "http://" + c.LocalAddr().String()
	t.Chdir(t.TempDir())
	for _, tt := range []struct {
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{[]string{"-n", "10", s.URL}, 0, "verdict: ", ""},
		{[]string{"-n", "10", "--strict", s.URL}, 1, "only 10 answers", "not accepted (--strict)"},
		{[]string{"-n", "10", "--strict", "--json", s.URL}, 1, `"too_short"`, "only 10 answers"},
		{[]string{"-n", "10", "--assert", "p99<1h,errors<1%", s.URL}, 0, "✓ p99<1h0m0s held", ""},
		{
			[]string{"-n", "10", "--assert", "p99<1h", "--assert", "p50<1ns", s.URL},
			3,
			"✗ p50<1ns missed",
			"whet: --assert: p50<1ns missed",
		},
		{[]string{"-n", "10", "--strict", "--assert", "p50<1ns", s.URL}, 1, "", "--strict"},
		{[]string{"-n", "10", s.URL + "/broken"}, 0, "500: 10", ""},
		{[]string{"-n", "10", "--assert", "errors<1%", s.URL + "/broken"}, 3, "", "errors<0.01 missed: 100%"},
		{[]string{"-n", "3", closed}, 1, "", "hint: is the server running"},
		{
			[]string{"http://192.0.2.1/"},
			1,
			"",
			"hint: whet loads only this machine unless you give --allow-remote 192.0.2.1;",
		},
		{[]string{"-n", "10", "--http2", "--streams", "4", "-c", "1", s.URL}, 0, "1 connection of 4 streams · http/2", ""},
		{[]string{"-n", "10", "--engine", "net/http", "--no-keepalive", s.URL}, 0, "net/http", ""},
		{[]string{"-d", "300ms", "-r", "100", "--arrivals", "poisson", s.URL}, 0, "100/s poisson", ""},
		{[]string{"-d", "300ms", "-r", "10..100", s.URL}, 0, "10/s to 100/s in 300ms", ""},
		{[]string{"-n", "4", "--body", "x", "-m", "PUT", s.URL}, 0, "PUT http://", ""},
	} {
		code, stdout, stderr := runWhet(t, append([]string{"load"}, tt.args...)...)
		if code != tt.code || !strings.Contains(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) {
			t.Errorf("whet load %s: exit code %d, want %d with %q and %q\n%s%s",
				tt.args, code, tt.code, tt.stdout, tt.stderr, stdout, stderr)
		}
	}
}

// TestLoadRemote checks that requests leave this machine only for hosts that are named. The host of
// the tests is remote only by its name.
func TestLoadRemote(t *testing.T) {
	s := newLoadServer(t)
	host, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	url := "http://service.test:" + port
	resolve := "service.test:" + port + ":" + host
	code, stdout, stderr := runWhet(t, "load", "-n", "10", "--resolve", resolve, "--allow-remote", "service.test", url)
	if code != 0 || strings.Count(stderr, "warning: sending load to service.test") != 1 ||
		!strings.Contains(stdout, "200: 10") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	// A name that is resolved to this machine needs no permission, and does not give permission for
	// others.
	if code, _, stderr := runWhet(t, "load", "-n", "10", "--resolve", resolve, url); code != 0 ||
		strings.Contains(stderr, "warning") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	targets := filepath.Join(t.TempDir(), "targets.txt")
	if err := os.WriteFile(targets, []byte("GET http://192.0.2.1/\nGET http://192.0.2.2/\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := runWhet(t, "load", "-n", "1", "--targets", targets, "--allow-remote", "192.0.2.1"); code != 1 ||
		!strings.Contains(stderr, "192.0.2.2: not a loopback address") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

// TestLoadInterrupt checks that Ctrl-C keeps what was measured.
func TestLoadInterrupt(t *testing.T) {
	s := newLoadServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	stderr := writerFunc(func(p []byte) (int, error) {
		if bytes.Contains(p, []byte("p99")) {
			cancel() // the first second has ended
		}
		return len(p), nil
	})
	code := cli.Main(ctx, []string{"load", "-d", "1h", s.URL}, nil, &out, stderr)
	cancel()
	if code != 0 || !strings.Contains(out.String(), ", interrupted") || !strings.Contains(out.String(), "latency") {
		t.Errorf("exit code %d\n%s", code, &out)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestLoadFindCapacity(t *testing.T) {
	s := newLoadServer(t)
	t.Chdir(t.TempDir())
	code, stdout, stderr := 1, "", ""
	// If the machine stalls for longer than a run, no rate is held.
	for again := 0; again < 10 && code != 0; again++ {
		code, stdout, stderr = runWhet(t, "load", "--find-capacity", "--slo", "p99<1h", "-r", "50..100", "-d", "200ms",
			"--warmup", "10ms", "-o", "c.json", "--html", "c.html", "--force", s.URL)
	}
	if code != 0 || !strings.Contains(stdout, "/s") || !strings.Contains(stderr, "run  1") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	data, err := os.ReadFile("c.json")
	if err != nil {
		t.Fatal(err)
	}
	var r capacity.Result
	if err := json.Unmarshal(data, &r); err != nil || r.Schema != capacity.Schema || len(r.Steps) == 0 ||
		(r.Rate == 100) != strings.Contains(stdout, "100/s or more") {
		t.Errorf("%v\n%s", err, data)
	}
	// If other programs delay the generator, the server did not miss the objective.
	missed := false
	for again := 0; again < 10 && !missed; again++ {
		code, stdout, stderr = runWhet(t, "load", "--find-capacity", "--slo", "p99<1ns", "-r", "50..100", "-d", "200ms",
			"--warmup", "10ms", s.URL)
		missed = code == 3 && strings.Contains(stdout, "no rate meets") ||
			code == 1 && strings.Contains(stdout, "the generator")
	}
	if !missed {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestLoadCompare compares files, several per side, and a recording.
func TestLoadCompare(t *testing.T) {
	s := newLoadServer(t)
	t.Chdir(t.TempDir())
	for _, name := range []string{"a.json", "b.json"} {
		if code, _, stderr := runWhet(t, "load", "-n", "300", "-o", name, s.URL); code != 0 {
			t.Fatalf("exit code %d\n%s", code, stderr)
		}
	}
	data, err := os.ReadFile("b.json")
	if err != nil {
		t.Fatal(err)
	}
	w, err := recording.Create("b.whet", recording.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.AddJSON(recording.LoadPart, json.RawMessage(data)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(recording.Meta{}); err != nil {
		t.Fatal(err)
	}
	_, fromFile, stderr := runWhet(t, "load", "compare", "--json", "a.json", "b.json")
	code, fromRecording, _ := runWhet(t, "load", "compare", "--json", "a.json", "b.whet")
	if code != 0 || fromFile != strings.Replace(fromRecording, `"name": "b.whet"`, `"name": "b.json"`, 1) {
		t.Errorf("exit code %d\n%s\n%s%s", code, fromFile, fromRecording, stderr)
	}
	var c compare.Comparison
	if err := json.Unmarshal([]byte(fromFile), &c); err != nil || c.Schema != compare.Schema ||
		len(c.Rows) != len(compare.Metrics()) {
		t.Errorf("%v\n%s", err, fromFile)
	}
	code, stdout, stderr := runWhet(t, "load", "compare", "a.json,b.json", "b.json", "--html", "c.html", "-o", "c.json")
	if code != 0 || !strings.Contains(stdout, "A  a.json,b.json") || !strings.Contains(stdout, "2 runs") ||
		!strings.Contains(stdout, "p99.9") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	for name, text := range map[string]string{"text.json": "hello", "other.json": `{"schema":"whet.top/2"}`} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := runWhet(t, "load", "compare", "a.json", name); code != 1 ||
			!strings.Contains(stderr, name) || !strings.Contains(stderr, "hint: give what `whet load -o FILE`") {
			t.Errorf("%s: exit code %d\n%s", name, code, stderr)
		}
	}
	if code, _, stderr := runWhet(t, "load", "compare", "a.json", "none.json"); code != 1 ||
		!strings.Contains(stderr, "none.json") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}
