package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/collect/documents"
	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/recording"
)

// captureServer is a server that handles secrets.
const captureServer = `package main

import (
	"log"
	"net"
	"net/http"
	_ "net/http/pprof"
	"strings"
)

type Login struct {
	User     string
	Password string
	APIKey   string
	Card     int64
}

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		for n := 0; ; n++ {
			check(&Login{"visible-user", "planted-password", "planted-key", 4111111111111111}, n%10)
			header(map[string][]string{"Authorization": {"planted-header"}, "Accept": {"visible-accept"}})
			text("postgres://app:planted-dsn@db/shop", "visible-text")
		}
	}()
	log.Fatal(http.Serve(l, nil))
}

func check(l *Login, times int) (token string) {
	for range times {
		token += l.User[:1] + l.Password[:1] + l.APIKey[:1]
	}
	if l.Card == 0 {
		return ""
	}
	return "planted-token" + token
}

func header(h map[string][]string) (n int) {
	for name, values := range h {
		n += len(name) + len(strings.Join(values, ","))
	}
	return n
}

func text(address, other string) (n int) {
	for range strings.Split(address, "/") {
		n += len(other)
	}
	return n
}
`

const captureBench = `package main

import "testing"

func BenchmarkText(b *testing.B) {
	for b.Loop() {
		text("a/b", "visible-bench")
	}
}
`

// captureModule writes the server and changes to its directory.
func captureModule(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"go.mod": "module example.com/server\n\ngo 1.24\n", "main.go": captureServer, "main_test.go": captureBench,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCapture checks that arguments of a server that whet builds are in the recording, and no secret, wherever it is.
func TestCapture(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	captureModule(t)
	code, stdout, stderr := runWhet(t, "record", "-o", "r.whet", "-d", "1s", "--trace", "0", "--capture", `^main\.`,
		"--", "go", "run", ".")
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	if !strings.Contains(stdout, "arguments") {
		t.Errorf("the summary lists no arguments:\n%s", stdout)
	}
	code, stdout, stderr = runWhet(t, "recording", "--calls", "r.whet")
	for _, want := range []string{
		"main.check", "visible-user", "visible-accept", "visible-text", "times int  value ", "redacted",
	} {
		if code != 0 && want == "main.check" || !strings.Contains(strings.ReplaceAll(stdout, "server.", "main."), want) {
			t.Errorf("exit code %d, the output lacks %q:\n%s%s", code, want, stdout, stderr)
		}
	}
	code, stdout, _ = runWhet(t, "recording", "--json", "r.whet", `\.text$`)
	var doc documents.Recording
	if err := json.Unmarshal([]byte(stdout), &doc); code != 0 || err != nil || len(doc.Arguments) != 1 ||
		doc.Arguments[0].Name != "text" || len(doc.Meta.Target.Command) != 3 {
		t.Errorf("exit code %d, %v\n%s", code, err, stdout)
	}
	// How many calls are copied depends on the machine; each has the result that belongs to its arguments.
	code, stdout, _ = runWhet(t, "recording", "--json", "--calls", "r.whet", `\.check$`)
	doc = documents.Recording{}
	if err := json.Unmarshal([]byte(stdout), &doc); code != 0 || err != nil || len(doc.Calls) != 1 ||
		len(doc.Calls[0].Calls) == 0 {
		t.Fatalf("exit code %d, %v\n%s", code, err, stdout)
	}
	for _, c := range doc.Calls[0].Calls {
		times, err := strconv.Atoi(c.Arguments[1].Text)
		if len(c.Results) != 1 {
			t.Fatalf("%d results", len(c.Results))
		}
		if err != nil || times < 0 || times > 9 || c.Results[0].Len != len("planted-token")+3*times {
			t.Errorf("%v: check with %q times returned %d bytes", err, c.Arguments[1].Text, c.Results[0].Len)
		}
	}
	data := argumentsOf(t, "r.whet")
	for _, secret := range []string{"planted", "4111111111111111"} {
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("the recording has %q", secret)
		}
	}
	if list, err := os.ReadDir("."); err != nil || len(list) != 4 {
		t.Errorf("the module has %v (%v), want its files and the recording", list, err)
	}
}

// TestCaptureBench checks that arguments are copied while benchmarks run.
func TestCaptureBench(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	captureModule(t)
	code, _, stderr := runWhet(t, "record", ".", "--bench", ".", "--benchtime", "50ms", "-o", "b.whet",
		"--capture", `\.text$`)
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	if code, stdout, stderr := runWhet(t, "recording", "b.whet"); code != 0 || !strings.Contains(stdout, "visible-bench") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestCaptureTests checks that arguments are copied while tests run, even if they end at once: those of both tests.
func TestCaptureTests(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	captureModule(t)
	tests := "package main\n\nimport \"testing\"\n\nfunc TestText(t *testing.T) {\n\tfor range 3 {\n" +
		"\t\ttext(\"a/b\", \"visible-first\")\n\t}\n}\n\nfunc TestMore(t *testing.T) {\n" +
		"\ttext(\"postgres://app:planted-dsn@db/shop\", \"visible-last\")\n}\n"
	if err := os.WriteFile("text_test.go", []byte(tests), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := runWhet(t, "record", "-o", "t.whet", "--capture", `\.text$`, "--", "go", "test", "-run",
		"Text|More")
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	code, stdout, stderr := runWhet(t, "recording", "--calls", "t.whet")
	for _, want := range []string{"4 of 4 calls", "visible-first", "visible-last", "redacted"} {
		if code != 0 || !strings.Contains(stdout, want) || strings.Contains(stdout, "planted") {
			t.Errorf("exit code %d, the output lacks %q:\n%s%s", code, want, stdout, stderr)
		}
	}
	if code, _, stderr := runWhet(t, "top", "t.whet"); code != 0 {
		t.Errorf("whet top: exit code %d\n%s", code, stderr)
	}
	if list, err := os.ReadDir("."); err != nil || len(list) != 5 {
		t.Errorf("the module has %v (%v), want its files and the recording", list, err)
	}
}

// TestCaptureRedact checks what --redact adds, that "-" turns all rules off, and that a recording without --capture has
// no arguments.
func TestCaptureRedact(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	captureModule(t)
	tests := "package main\n\nimport \"testing\"\n\nfunc TestText(t *testing.T) {\n" +
		"\ttext(\"postgres://app:planted-dsn@db/shop\", \"visible-other\")\n}\n"
	if err := os.WriteFile("text_test.go", []byte(tests), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		redact         string
		planted, other bool
	}{{"", false, true}, {"^other$", false, false}, {"-", true, true}} {
		code, _, stderr := runWhet(t, "record", "-o", "t.whet", "--capture", `\.text$`, "--redact", test.redact, "--",
			"go", "test", "-run", "Text")
		if code != 0 {
			t.Fatalf("--redact %q: exit code %d\n%s", test.redact, code, stderr)
		}
		code, stdout, stderr := runWhet(t, "recording", "--calls", "t.whet")
		if code != 0 || strings.Contains(stdout, "planted-dsn") != test.planted ||
			strings.Contains(stdout, "visible-other") != test.other ||
			strings.Contains(stdout, "redacted") != (!test.planted || !test.other) {
			t.Errorf("--redact %q: exit code %d\n%s%s", test.redact, code, stdout, stderr)
		}
	}
	if code, _, stderr := runWhet(t, "record", ".", "--bench", ".", "--benchtime", "50ms", "-o", "b.whet"); code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	r, err := recording.Open("b.whet")
	if err != nil {
		t.Fatal(err)
	}
	if r.Has(recording.ArgumentsPart) || r.Close() != nil {
		t.Error("a recording without --capture has arguments")
	}
}

// padServer is a service for comparisons.
const padServer = `package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	_ "net/http/pprof"
	"os"
)

func main() {
	addr := flag.String("addr", "", "where to listen")
	flag.Parse()
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, pad(r.URL.Path, 40), os.Getenv("WHET_TEST_PAD"))
	})
	log.Fatal(http.ListenAndServe(*addr, nil))
}

func pad(text string, n int) string {
	for len(text) < n {
		text = "*" + text
	}
	return text
}
`

// TestCaptureService checks that the first service of a comparison is recorded under its load, with its environment and
// with arguments, after the comparison.
func TestCaptureService(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	captureModule(t)
	if err := errors.Join(os.WriteFile("main.go", []byte(padServer), 0o600), os.Remove("main_test.go")); err != nil {
		t.Fatal(err)
	}
	const command = "go run . -addr {addr}"
	code, stdout, stderr := runWhet(t, "bench", "--service", "WHET_TEST_PAD=visible-variable "+command, command, "--load",
		"http://{addr}/visible-path", "--record", "a.whet", "--capture", `\.pad$`, "--max-time", "1s", "--slice", "50ms",
		"--start-timeout", "2m", "-c", "2")
	if code != 0 || !strings.Contains(stdout, "verdict: ") {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr = runWhet(t, "recording", "a.whet")
	for _, want := range []string{`"/visible-path"`, "n int  value 40", "length 40", "load"} {
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("exit code %d, the output lacks %q:\n%s%s", code, want, stdout, stderr)
		}
	}
	for want, args := range map[string][]string{
		"no effect without --record":               {"--capture", "hot"},
		"--redact has no effect without --capture": {"--record", "b.whet", "--redact", "x"},
		"--capture-rate has no effect without":     {"--record", "b.whet", "--capture-rate", "5%"},
		"--capture-rate and --redact have no":      {"--capture-rate", "5%"},
		"is not a rate above 0% and up to 100%":    {"--record", "b.whet", "--capture", "hot", "--capture-rate", "0"},
		"does not say how the program is built":    {"--record", "b.whet", "--capture", "hot"},
		"missing closing )":                        {"--record", "b.whet", "--capture", "("},
		"main.go exists and is not a recording":    {"--record", "main.go"},
	} {
		args = append([]string{
			"bench", "--service", "./a -addr {addr}", "./b -addr {addr}", "--load", "http://{addr}/",
		}, args...)
		if code, _, stderr := runWhet(t, args...); code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d, error %s, want %q", args, code, stderr, want)
		}
	}
}

// TestCaptureErrors checks the errors of --capture and of whet recording.
func TestCaptureErrors(t *testing.T) {
	captureModule(t)
	if err := os.Mkdir("none", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("none/none.go", []byte("package none\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	record := func(args ...string) []string { return append([]string{"record", "-o", "r.whet"}, args...) }
	for want, args := range map[string][]string{
		"--capture needs a program that whet builds": record("--capture", "hot", "http://127.0.0.1:1"),
		"does not say how the program is built":      record("--capture", "hot", "--", "./server"),
		"it names no package of this module":         record("--capture", "hot", "--", "go", "run", "main.go"),
		`"101%" is not a rate above 0% and up to 100%`: record(
			"--capture", "hot", "--capture-rate", "101%", "--", "go", "run", ".",
		),
		`"often" is not a rate above 0% and up to 100%`: record(
			"--capture", "hot", "--capture-rate", "often", "--", "go", "run", ".",
		),
		"--capture-rate has no effect without --capture": record("--capture-rate", "2%", "--", "go", "run", "."),
		"--capture-rate has no effect with go test": record(
			"--capture", "hot", "--capture-rate", "2%", "--", "go", "test", ".",
		),
		"-exec is not supported":               record("--capture", "hot", "--", "go", "run", "-exec", "x", "."),
		"-bench is not supported with go test": record("--capture", "hot", "--", "go", "test", "-bench", "."),
		"-c is not supported with --capture":   record("--capture", "hot", "--", "go", "test", "-c"),
		"-run has no value":                    record("--capture", "hot", "--", "go", "test", "-run"),
		"no package has tests":                 record("--capture", "hot", "--", "go", "test", "./none"),
		"tests cannot be combined with a load": record("--load", "http://127.0.0.1:1", "--capture", "hot", "--", "go",
			"test"),
		"--trace has no effect with go test":               record("--trace", "1s", "--capture", "hot", "--", "go", "test"),
		"--redact has no effect without --capture":         record("--redact", "x", "--", "go", "run", "."),
		"missing closing )":                                record("--capture", "(", "--", "go", "run", "."),
		"want a recording, and maybe a regular expression": {"recording"},
		"open none.whet: no such file":                     {"recording", "none.whet"},
	} {
		if code, _, stderr := runWhet(t, args...); code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d, error %s, want %q", args, code, stderr, want)
		}
	}
}

// TestCapturedProof checks that what whet record copied reaches whet prove and whet fix, also next to a recording of
// tests that call the same function: only an argument of the service shows that a change is wrong.
func TestCapturedProof(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	t.Chdir(t.TempDir())
	provetest.WriteCoupons(t, ".")
	patch := filepath.Join(t.TempDir(), "change.diff")
	if err := os.WriteFile(patch, []byte(provetest.CouponPatch()), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, command := range map[string][]string{
		"service.whet": {"go", "run", ".", provetest.Coupon}, "tests.whet": {"go", "test", "./codes"},
	} {
		args := []string{"record", "-o", name, "-d", "1s", "--capture", `codes\.Discount$`, "--"}
		if code, _, stderr := runWhet(t, append(args, command...)...); code != 0 {
			t.Fatalf("%v: exit code %d\n%s", command, code, stderr)
		}
	}
	code, stdout, stderr := runWhet(t, "prove", "--patch", patch, "--recording", "service.whet", "--recording",
		"tests.whet", "--mutant-time", "0")
	for _, want := range []string{"different", strconv.Quote(provetest.Coupon)} {
		if code != 3 || !strings.Contains(stdout, want) {
			t.Errorf("prove: exit code %d, the output lacks %s:\n%s%s", code, want, stdout, stderr)
		}
	}
	code, stdout, stderr = runWhet(t, "fix", "service.whet", "--candidates", "cat '"+patch+"'", "--candidate-rounds", "1",
		"--candidate-lines", "1", "--budget", "0")
	for _, want := range []string{"different", strconv.Quote(provetest.Coupon)} {
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("fix: exit code %d, the output lacks %s:\n%s%s", code, want, stdout, stderr)
		}
	}
}

// argumentsOf returns the bytes of a recording's captured calls.
func argumentsOf(t *testing.T, file string) []byte {
	t.Helper()
	r, err := recording.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }() // read-only
	part, err := r.Part(recording.ArgumentsPart)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(part)
	if err != nil || part.Close() != nil {
		t.Fatal(err)
	}
	return data
}
