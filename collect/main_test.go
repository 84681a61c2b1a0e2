package collect

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	runtimepprof "runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/whet-go/whet/recording"
)

// The test binary also serves as the programs that the tests record and kill.
const roleVar = "WHET_COLLECT_TEST_ROLE"

func TestMain(m *testing.M) {
	switch role := os.Getenv(roleVar); {
	case role == "":
		os.Exit(m.Run())
	case strings.HasPrefix(role, "server"):
		if err := serve(strings.Fields(role)[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case strings.HasPrefix(role, "recorder "):
		f := strings.Fields(role)
		_, err := Run(context.Background(), Options{URL: f[1], Out: f[2], Duration: time.Hour})
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve is a server with pprof handlers that burns CPU, allocates, blocks and contends. Options:
// "rates" enables block and mutex profiles, "stubborn" ignores signals, "quits" exits on a request
// for its trace, "bare" has no handlers, "profiled" takes a CPU profile of itself all the time,
// "exits" exits immediately.
func serve(options []string) error {
	on := func(o string) bool { return strings.Contains(" "+strings.Join(options, " ")+" ", " "+o+" ") }
	if on("rates") {
		runtime.SetBlockProfileRate(1)
		runtime.SetMutexProfileFraction(1)
	}
	if on("profiled") {
		if err := runtimepprof.StartCPUProfile(io.Discard); err != nil {
			return err
		}
	}
	if on("exits") {
		fmt.Println("cannot find the configuration")
		os.Exit(3)
	}
	ctx := context.Background()
	if on("stubborn") {
		signal.Ignore(os.Interrupt, syscall.SIGTERM)
	} else {
		var stop context.CancelFunc
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt)
		defer stop()
	}
	mux := http.NewServeMux()
	if !on("bare") {
		mux.HandleFunc("/debug/pprof/", pprof.Index)
		mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		if !on("quits") {
			mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
		}
	}
	if on("quits") {
		mux.HandleFunc("/debug/pprof/trace", func(http.ResponseWriter, *http.Request) { os.Exit(3) })
	}
	mux.HandleFunc("/work", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintln(w, len(allocateInWindow()))
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go churn()
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() {
		<-ctx.Done()
		_ = srv.Close()
	}()
	fmt.Printf("http://%s\n", l.Addr())
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// churn produces samples for every profile.
func churn() {
	var mu sync.Mutex
	ch := make(chan int)
	for range 2 {
		go func() {
			for {
				mu.Lock()
				spin(20_000)
				mu.Unlock()
				ch <- 1
			}
		}()
	}
	for range ch {
		spin(1000)
	}
}

var spun atomic.Int64

//go:noinline
func spin(n int) {
	x := 0
	for i := range n {
		x += i * i
	}
	spun.Store(int64(x))
}

//go:noinline
func allocateInWindow() []byte { return make([]byte, 8<<20) }

// startServer runs a server in its own process.
func startServer(t *testing.T, options string) (url string, cmd *exec.Cmd) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVar+"=server "+options)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line), cmd
}

func openRecording(t *testing.T, path string) *recording.Recording {
	t.Helper()
	r, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	if errs := r.Verify(); len(r.Warnings)+len(errs) > 0 {
		t.Errorf("recording is damaged: %v, %v", r.Warnings, errs)
	}
	return r
}

// missing returns what the recording lists about a missing part.
func missing(m recording.Meta, part string) (recording.Missing, bool) {
	for _, miss := range m.Missing {
		if miss.Part == part {
			return miss, true
		}
	}
	return recording.Missing{}, false
}

func readPart(t *testing.T, r *recording.Recording, name string) []byte {
	t.Helper()
	rc, err := r.Part(name)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(rc)
	if err := errors.Join(err, rc.Close()); err != nil {
		t.Fatal(err)
	}
	return data
}
