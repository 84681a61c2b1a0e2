package cli_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"
	pushv1 "github.com/grafana/pyroscope/api/gen/proto/go/push/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/push/v1/pushv1connect"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"

	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/clickhouse"
	"github.com/whet-go/whet/store/clickhouse/clickhousetest"
	"github.com/whet-go/whet/store/local"
)

// killsVariable is the number of kills of each test here; make kills sets it.
const killsVariable = "WHET_KILLS"

func kills(t *testing.T) int {
	t.Helper()
	text := os.Getenv(killsVariable)
	switch {
	case text != "":
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	case testing.Short():
		return 2
	}
	return 8
}

// TestKilledServe kills whet serve on a directory while clients send.
func TestKilledServe(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "profiles")
	x := newKilled(t, "--store", dir)
	x.serve()
	x.rounds(kills(t), func() {
		x.kill()
		x.serve()
	})
	s, err := local.Open(dir, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }() // only read
	x.check(s)
}

// TestKilledClickHouse kills whet serve on ClickHouse, then ClickHouse itself, while clients send. First a
// profile is acknowledged when it is in the buffer, too; then only when ClickHouse has it.
func TestKilledClickHouse(t *testing.T) {
	servers := clickhousetest.ForTest(t, clickhousetest.Options{})
	for _, part := range []string{"serve", "server"} {
		t.Run(part, func(t *testing.T) {
			st := servers.Address("killed_" + part)
			checked(t, 0, "was created", "store", "migrate", "--store", st)
			var x *killed
			if part == "serve" {
				buffer := t.TempDir()
				x = newKilled(t, "--store", st, "--buffer", buffer)
				x.serve()
				x.rounds(kills(t), func() {
					x.kill()
					x.serve()
				})
				x.serve()
				for waiting := true; waiting; time.Sleep(20 * time.Millisecond) { // the process works meanwhile
					files, err := filepath.Glob(filepath.Join(buffer, "*.profiles"))
					if err != nil || t.Context().Err() != nil {
						t.Fatal(err, t.Context().Err())
					}
					waiting = len(files) > 0
				}
			} else {
				x = newKilled(t, "--store", st, "--buffer", "none")
				x.serve()
				x.rounds(kills(t), func() {
					servers.Kill(0)
					if err := servers.Run(t.Context(), 0); err != nil {
						t.Fatal(err)
					}
				})
			}
			a, err := clickhouse.ParseAddress(st)
			if err != nil {
				t.Fatal(err)
			}
			s, err := clickhouse.Open(t.Context(), a, clickhouse.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close() }() // only read
			x.check(s)
		})
	}
}

// killed are clients that send profiles to a process of whet serve which is killed and started again.
type killed struct {
	t    *testing.T
	args []string
	file []byte // a profile
	cmd  *exec.Cmd

	mu      sync.Mutex
	changed *sync.Cond // some of what follows
	address string     // "": none
	next    int        // number of the next profile
	sent    int        // acknowledged profiles
	over    bool
}

func newKilled(t *testing.T, args ...string) *killed {
	t.Helper()
	x := &killed{t: t, args: append([]string{"serve", "--http", "127.0.0.1:0"}, args...), file: cpuProfile(40)}
	x.args = append(x.args, t.TempDir())
	x.changed = sync.NewCond(&x.mu)
	t.Cleanup(x.kill)
	return x
}

// serve starts the process, after the one before was killed.
func (x *killed) serve() {
	x.t.Helper()
	x.kill()
	x.cmd = exec.Command("whet", x.args...)
	var stderr bytes.Buffer
	x.cmd.Stderr = &stderr
	out, err := x.cmd.StdoutPipe()
	if err != nil {
		x.t.Fatal(err)
	}
	if err := x.cmd.Start(); err != nil {
		x.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		x.t.Fatalf("no address: %v\n%s", err, &stderr)
	}
	x.set(strings.TrimSuffix(strings.TrimSpace(line), "/"))
}

// kill kills the process, if there is one.
func (x *killed) kill() {
	if x.cmd != nil {
		_ = x.cmd.Process.Kill() // in the middle of what it does
		_ = x.cmd.Wait()         // killed
		x.cmd = nil
		x.set("")
	}
}

func (x *killed) set(address string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.address = address
	x.changed.Broadcast()
}

// rounds lets clients send, each profile until it is acknowledged, and breaks something again and again
// after some profiles. At the end the process is killed.
func (x *killed) rounds(n int, breaks func()) {
	x.t.Helper()
	var all sync.WaitGroup
	for _, send := range []func(address string, number int) error{
		x.post, x.post, x.push(), x.push(connect.WithGRPCWeb()),
	} {
		all.Go(func() { x.client(send) })
	}
	for range n {
		x.mu.Lock()
		for until := x.sent + rand.IntN(40); x.sent < until; {
			x.changed.Wait()
		}
		x.mu.Unlock()
		time.Sleep(rand.N(20 * time.Millisecond)) // at any moment of a request, not after an answer
		breaks()
	}
	x.mu.Lock()
	x.over = true
	x.mu.Unlock()
	all.Wait()
	x.kill()
}

// client sends profiles until the end.
func (x *killed) client(send func(address string, number int) error) {
	for {
		x.mu.Lock()
		if x.over {
			x.mu.Unlock()
			return
		}
		number := x.next
		x.next++
		x.mu.Unlock()
		for done := false; !done; {
			x.mu.Lock()
			for x.address == "" && x.t.Context().Err() == nil {
				x.changed.Wait()
			}
			address := x.address
			x.mu.Unlock()
			if x.t.Context().Err() != nil {
				return // the test has failed
			}
			if err := send(address, number); err != nil {
				time.Sleep(rand.N(20 * time.Millisecond)) // as a client does before it tries again
				continue
			}
			x.mu.Lock()
			x.sent++
			x.changed.Broadcast()
			x.mu.Unlock()
			done = true
		}
	}
}

// post sends a profile as a file.
func (x *killed) post(address string, number int) error {
	answer, err := http.Post(fmt.Sprintf("%s/ingest/pprof?service=shop&label.n=%d", address, number), "",
		bytes.NewReader(x.file))
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if answer.StatusCode == http.StatusNoContent {
		return nil
	}
	if answer.StatusCode < 500 {
		x.t.Errorf("%s: %s", answer.Status, text)
	}
	return errors.Join(err, errors.New(answer.Status))
}

// push returns a function that sends a profile as Pyroscope's clients do.
func (x *killed) push(o ...connect.ClientOption) func(address string, number int) error {
	return func(address string, number int) error {
		c := pushv1connect.NewPusherServiceClient(http.DefaultClient, address, o...)
		_, err := c.Push(x.t.Context(), connect.NewRequest(&pushv1.PushRequest{Series: []*pushv1.RawProfileSeries{{
			Labels: []*typesv1.LabelPair{
				{Name: "__name__", Value: "process_cpu"},
				{Name: "service_name", Value: "shop"},
				{Name: "n", Value: fmt.Sprint(number)},
			},
			Samples: []*pushv1.RawSample{{RawProfile: x.file}},
		}}}))
		return err
	}
}

// check finds each profile once.
func (x *killed) check(s store.Reader) {
	x.t.Helper()
	all, err := s.Profiles(x.t.Context(), store.Query{}, 1<<20)
	if err != nil {
		x.t.Fatal(err)
	}
	times := map[string]int{}
	for _, m := range all {
		times[m.Labels.Get("n")]++
	}
	for n := range x.next {
		if got := times[fmt.Sprint(n)]; got != 1 {
			x.t.Errorf("acknowledged profile %d is stored %d times", n, got)
		}
	}
	if len(times) != x.next || x.sent != x.next {
		x.t.Errorf("%d profiles are stored and %d acknowledged, of %d", len(times), x.sent, x.next)
	}
	if _, stats, err := s.Merge(x.t.Context(), store.Query{Kind: "cpu"}); err != nil || stats.Profiles != x.next {
		x.t.Errorf("%d profiles merged (want %d), %v", stats.Profiles, x.next, err)
	}
}
