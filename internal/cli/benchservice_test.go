package cli_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	_ "net/http/pprof" // of helloService
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/cli"
	"github.com/whet-go/whet/service"
)

// helloService is the service that the tests compare, as the command hello.
func helloService() {
	port := flag.String("p", os.Getenv("PORT"), "port")
	burn := flag.Int("burn", 0, "rounds of arithmetic for each request")
	die := flag.Int64("die", 0, "exit at the n-th request")
	text := flag.String("text", "hello", "what to answer")
	deaf := flag.Bool("deaf", false, "do not listen")
	flag.Parse()
	if *deaf {
		fmt.Println("waiting for the database")
		select {}
	}
	var asked atomic.Int64
	var sum atomic.Int64
	http.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == *die {
			fmt.Println("out of cheese")
			os.Exit(3)
		}
		x := 1
		for i := range *burn {
			x = x*31 + i
		}
		sum.Store(int64(x))
		_, _ = fmt.Fprint(w, *text)
	})
	fmt.Fprintln(os.Stderr, http.ListenAndServe("127.0.0.1:"+*port, nil))
	os.Exit(1)
}

// TestBenchServiceExamples runs the examples of whet bench --service, shortened.
func TestBenchServiceExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Chdir(t.TempDir())
	_, help, _ := runWhet(t, "bench", "--service", "--help")
	examples := exampleLines(help)
	if len(examples) != 5 {
		t.Fatalf("%d examples in\n%s", len(examples), help)
	}
	examples = examples[:4] // TestCaptureService has the last one
	port := func() string {
		addr := freeAddr(t)
		return addr[strings.LastIndex(addr, ":")+1:]
	}
	first, second := port(), port()
	for second == first { // a port is free again once it is returned
		second = port()
	}
	replace := strings.NewReplacer("./old", "hello", "./new", "hello -burn 5000", "8001", first, "8002", second)
	for _, example := range examples {
		args := append(shellFields(replace.Replace(example))[1:], "--slice", "20ms", "--warmup", "20ms", "-c", "2")
		var code int
		var stdout, stderr string
		if !longEnough(300*time.Millisecond, func(d time.Duration) bool {
			if strings.Contains(example, "gogc.json") {
				_ = os.Remove("gogc.json") // of the time before
			}
			code, stdout, stderr = runWhet(t, append(args, "--max-time", d.String())...)
			return code == 0 && strings.Contains(stdout, "cpu/req ") && strings.Contains(stdout, "allocs/req ") &&
				strings.Contains(stdout, "verdict: ")
		}) {
			t.Errorf("%s: exit code %d\n%s%s", example, code, stdout, stderr)
		}
	}
	data, err := os.ReadFile("gogc.json")
	if err != nil {
		t.Fatal(err)
	}
	var r service.Result
	if err := json.Unmarshal(data, &r); err != nil || r.Schema != service.Schema ||
		r.Sides[1].Command != "GOGC=400 hello -p {port}" || r.Sides[0].Seen.Requests == 0 || len(r.AB.Subjects) != 1 ||
		r.AB.Precision != 0.01 {
		t.Errorf("%v, %+v", err, r)
	}
}

// TestBenchServiceSlower detects a service that uses more CPU time and checks the text of the
// report.
func TestBenchServiceSlower(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Setenv("COLUMNS", "80")
	code, stdout, stderr := runWhet(t, "bench", "--service", "hello -p {port} -burn 100000",
		"hello -p {port} -burn 400000", "--load", "http://{addr}/",
		"--max-time", "30s", "--slice", "30ms", "--precision", "25%", "-c", "2", "--same-answers")
	if code != 0 || !strings.Contains(stdout, "B is worse in cpu/req (+") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	for line := range strings.Lines(stdout) {
		if len([]rune(line)) > 81 {
			t.Errorf("%d columns: %s", len([]rune(line))-1, line)
		}
	}
}

// signalWriter closes ready when the output contains a text.
type signalWriter struct {
	mu    sync.Mutex
	buf   bytes.Buffer
	text  string
	ready chan struct{}
}

func (w *signalWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	had := strings.Contains(w.buf.String(), w.text)
	w.buf.Write(p)
	if !had && strings.Contains(w.buf.String(), w.text) {
		close(w.ready)
	}
	return len(p), nil
}

func (w *signalWriter) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

// TestBenchServiceInterrupted interrupts before anything was measured.
func TestBenchServiceInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	errs := &signalWriter{text: "waiting for B", ready: make(chan struct{})}
	go func() {
		<-errs.ready
		cancel()
	}()
	var out bytes.Buffer
	code := cli.Main(ctx,
		[]string{"bench", "--service", "hello -p {port}", "hello -p {port} -deaf", "--load", "http://{addr}/"},
		strings.NewReader(""), &out, errs)
	if code != 1 || out.Len() > 0 || !strings.HasSuffix(errs.String(), "whet: interrupted\n") {
		t.Errorf("exit code %d\n%s%s", code, &out, errs)
	}
}

// TestBenchServiceDeaf checks that the output of a service that does not listen is shown.
func TestBenchServiceDeaf(t *testing.T) {
	var code int
	var stdout, stderr string
	start := regexp.MustCompile(`(?m)^whet: B: start hello -p [0-9]+ -deaf: ` +
		`it does not listen at 127\.0\.0\.1:[0-9]+ within [0-9a-z.]+; its last output`)
	if !longEnough(200*time.Millisecond, func(d time.Duration) bool { // A has to listen in time
		code, stdout, stderr = runWhet(t, "bench", "--service", "hello -p {port}", "hello -p {port} -deaf",
			"--load", "http://{addr}/", "--start-timeout", d.String())
		return start.MatchString(stderr) && strings.Contains(stderr, "\n  waiting for the database\n")
	}) {
		t.Errorf("stderr:\n%s", stderr)
	}
	if code != 1 || stdout != "" || !strings.Contains(stderr, "hint: make the command listen at the address of --load") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestBenchServiceDies checks that the measurements of a service that ends early are shown.
func TestBenchServiceDies(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	log := filepath.Join(t.TempDir(), "log")
	for _, flags := range []string{"", "--json"} {
		args := []string{
			"bench", "--service", "hello -p {port} -burn 100000", "hello -p {port} -burn 100000 -die 400",
			"--load", "http://{addr}/",
			"--slice", "20ms", "--warmup", "1ms", "--max-time", "2m", "-r", "1000", "--target-log", log,
			cmp.Or(flags, "--engine=net/http"),
		}
		code, stdout, stderr := runWhet(t, args...)
		if code != 1 || !strings.Contains(stdout, "out of cheese") {
			t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
		}
		var r service.Result
		if flags == "--json" {
			if err := json.Unmarshal([]byte(stdout), &r); err != nil || r.AB.Subjects[0].Stopped != ab.Failed ||
				!strings.Contains(stderr, "exit status 3") {
				t.Errorf("%v, %+v\n%s", err, r.AB, stderr)
			}
		}
	}
	if data, err := os.ReadFile(log); err != nil || !strings.Contains(string(data), "out of cheese") {
		t.Errorf("log %q, %v", data, err)
	}
}
