package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestHandlers(t *testing.T) {
	log.SetOutput(io.Discard)
	s := newServer(openDatabase(), "templates")
	go s.mailer.run()
	go s.outbox.run()
	h := s.routes()
	for _, test := range []struct {
		method, target, body string
		status               int
		want                 string // the answer contains it
	}{
		{"GET", "/products/7", "", 200, "<h1>product 0007</h1>\n<p>149 cents, 1000000 in stock</p>"},
		{"GET", "/products/x", "", 404, "no such product"},
		{"GET", "/customers/c07/orders", "", 200, `{"customer":"c07","product":259,"name":"product 0259","count":2}`},
		{"POST", "/orders", `{"customer":"c1","product":7,"count":2}`, 200, `"count":2`},
		{"POST", "/orders", `{"customer":"c1","product":7,"count":2000000}`, 409, "sold out"},
		{"POST", "/orders", `{`, 400, "unexpected end"},
		{"GET", "/products/7", "", 200, "999998 in stock"},
		{"POST", "/views", `{"customer":"c1","views":[{"product":9,"seconds":1,"from":"mail"}]}`, 204, ""},
		{"GET", "/popular", "", 200, `[{"product":7,"count":20},{"product":9,"count":1}]`},
		{"GET", "/search?q=0012+none", "", 200, `[{"id":12,"name":"product 0012"`},
		{"GET", "/search?q=0012+none", "", 200, `[{"id":12,"name":"product 0012"`}, // remembered
		{"GET", "/shipping?country=DE&kg=1", "", 200, `{"price":487}`},
		{"GET", "/shipping?country=XX&kg=1", "", 404, "we do not ship that"},
		{"GET", "/shipping?country=DE&kg=99", "", 404, "we do not ship that"},
		{"GET", "/price?id=x", "", 404, "no such product"},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(test.method, test.target, strings.NewReader(test.body)))
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s %s: %d %q, want %d with %q", test.method, test.target, w.Code, w.Body, test.status, test.want)
		}
	}
}

// A mistake is a row of the table in README.md.
type mistake struct{ what, where, named string }

var row = regexp.MustCompile("(?m)^\\| ([^|]+) \\| `(\\w+\\.go:\\d+)` \\| ([^|]+) \\|$")

// TestNamed records the service under load, and compares what whet find names with the table in
// README.md: all of it, at its lines.
func TestNamed(t *testing.T) {
	if testing.Short() {
		t.Skip("it records for ten seconds")
	}
	if _, err := os.Stat("../../cmd/whet"); err != nil {
		t.Skipf("whet's source is not here: %v", err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var want []mistake
	for _, m := range row.FindAllStringSubmatch(string(readme), -1) {
		want = append(want, mistake{m[1], m[2], m[3]})
	}
	if len(want) < 12 {
		t.Fatalf("README.md has %d mistakes, want 12 or more", len(want))
	}

	dir := t.TempDir()
	whet, service := filepath.Join(dir, "whet"), filepath.Join(dir, "orders")
	run(t, "go", "build", "-C", "../..", "-o", whet, "./cmd/whet")
	run(t, "go", "build", "-o", service, ".")
	addr, debug := freeAddress(t), freeAddress(t)
	load, err := os.ReadFile("load.txt")
	if err != nil {
		t.Fatal(err)
	}
	targets := filepath.Join(dir, "load.txt")
	if err := os.WriteFile(targets, bytes.ReplaceAll(load, []byte("127.0.0.1:8080"), []byte(addr)), 0o600); err != nil {
		t.Fatal(err)
	}
	recorded := filepath.Join(dir, "orders.whet")
	run(t, whet, "record", "-o", recorded, "-d", "10s", "--targets", targets, "--vars", "load.csv", "-c", "16",
		"--pprof-addr", debug, "--", service, "-addr", addr, "-pprof", debug, "-log", filepath.Join(dir, "orders.log"))
	out := run(t, whet, "find", "--json", recorded)
	var found struct {
		Advice []struct {
			File, Title, Evidence string
			Line                  int
		}
		Findings []struct {
			Title string
			Fix   struct{ Diff string }
		}
	}
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatal(err)
	}
	named := map[mistake]bool{}
	for _, a := range found.Advice {
		where := a.File + ":" + strconv.Itoa(a.Line)
		named[mistake{where: where, named: a.Title}] = true
		t.Logf("%s: %s: %s", where, a.Title, a.Evidence)
	}
	// Where a finding has a fix of a line, there is no advice for it.
	fixed := map[string]bool{}
	for _, f := range found.Findings {
		for _, where := range changed(f.Fix.Diff) {
			fixed[where] = true
			t.Logf("%s: fix of a finding: %s", where, f.Title)
		}
	}
	for _, m := range want {
		if !fixed[m.where] && !named[mistake{where: m.where, named: m.named}] {
			t.Errorf("%s: whet find does not name it as %q at %s", m.what, m.named, m.where)
		}
	}
}

var hunk = regexp.MustCompile(`^@@ -(\d+)`)

// changed lists the lines that a diff removes or replaces, as "file:line".
func changed(diff string) (lines []string) {
	file, at := "", 0
	for line := range strings.Lines(diff) {
		switch m := hunk.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "--- a/"):
			file = strings.TrimSpace(strings.TrimPrefix(line, "--- a/"))
		case m != nil:
			at, _ = strconv.Atoi(m[1])
		case strings.HasPrefix(line, "-"):
			lines = append(lines, file+":"+strconv.Itoa(at))
			at++
		case strings.HasPrefix(line, " "):
			at++
		}
	}
	return lines
}

// run runs a command and returns its standard output.
func run(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var out, failed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failed
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, failed.Bytes())
	}
	return out.Bytes()
}

// freeAddress returns an address on this machine that nothing listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return l.Addr().String()
}

func TestDebugAddressIsChecked(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", "no address"} {
		if err := serveDebug(addr); err == nil {
			t.Errorf("profiles are served on %s", addr)
		}
	}
}
