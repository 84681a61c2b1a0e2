package service

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof" // on the mux of services with handlers
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/leaktest"
)

// The test binary also serves as the services that the tests compare.
const roleVar = "WHET_SERVICES_TEST_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(roleVar) == "" {
		leaktest.Main(m)
	}
	if err := serve(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve runs a service that does as much work as its flags specify.
func serve(args []string) error {
	fs := flag.NewFlagSet("service", flag.ContinueOnError)
	addr := fs.String("addr", "127.0.0.1:0", "where to listen")
	burn := fs.Int("burn", 0, "rounds of arithmetic for each request")
	alloc := fs.Int("alloc", 0, "objects to allocate for each request")
	fail := fs.Int64("fail", 0, "answer each n-th request with 503")
	die := fs.Int64("die", 0, "exit at the n-th request")
	body := fs.String("body", "hello", "what to answer; time is the time")
	bare := fs.Bool("bare", false, "have no pprof handlers")
	deaf := fs.Bool("deaf", false, "do not listen at all")
	stubborn := fs.Bool("stubborn", false, "ignore signals")
	child := fs.Bool("child", false, "start a child that serves")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *stubborn {
		signal.Ignore(os.Interrupt, syscall.SIGTERM)
	}
	if *child {
		c := exec.Command(os.Args[0], "-addr", *addr, "-burn", fmt.Sprint(*burn))
		c.Stderr = os.Stderr
		return c.Run()
	}
	if *deaf {
		fmt.Println("waiting for the database")
		select {}
	}
	mux := http.NewServeMux()
	if !*bare {
		mux.Handle("/debug/", http.DefaultServeMux)
	}
	var asked atomic.Int64
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		n := asked.Add(1)
		switch {
		case *die > 0 && n == *die:
			fmt.Println("out of cheese")
			os.Exit(3)
		case *fail > 0 && n%*fail == 0:
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		case r.URL.Path == "/missing":
			http.NotFound(w, r)
			return
		}
		spin(*burn)
		allocate(*alloc)
		text := *body
		if text == "time" {
			text = fmt.Sprint(time.Now().UnixNano())
		}
		_, _ = fmt.Fprint(w, text)
	})
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	fmt.Println("listening at", l.Addr())
	return (&http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}).Serve(l)
}

var spun atomic.Uint64

//go:noinline
func spin(n int) {
	x := uint64(n)
	for range n {
		x = x*6364136223846793005 + 1442695040888963407
	}
	spun.Store(x)
}

var kept atomic.Pointer[[64]byte]

//go:noinline
func allocate(n int) {
	for range n {
		kept.Store(new([64]byte))
	}
}

// command returns the command of a service with these flags: the test binary.
func command(flags string) Command {
	return Command{Args: append([]string{os.Args[0]}, strings.Fields(flags)...), Env: []string{roleVar + "=1"}}
}
