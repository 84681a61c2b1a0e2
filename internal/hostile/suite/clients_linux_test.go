package suite

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/whet-go/whet/internal/hostile"
)

// service is the environment variable that makes this test binary a service with the named answer;
// its argument is the address. otherHost is the variable with the address of another host.
const (
	service   = "WHET_HOSTILE_SERVICE"
	otherHost = "WHET_HOSTILE_OTHER"
)

// serve answers in a hostile way until the process ends.
func serve(name string, args []string) int {
	answer := hostile.Answers(os.Getenv(otherHost))[name]
	if answer == nil || len(args) != 1 {
		fmt.Fprintf(os.Stderr, "no answer %q to %q\n", name, args)
		return 2
	}
	if _, err := hostile.Serve(args[0], answer); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	select {}
}

// TestServices compares services that answer in hostile ways with themselves.
func TestServices(t *testing.T) {
	t.Parallel()
	other, token := secondHost(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range slices.Sorted(maps.Keys(hostile.Answers(""))) {
		if !chosen(i, 0) && !strings.HasPrefix(name, "redirect") {
			continue
		}
		command := fmt.Sprintf("%s='%s' %s=%s %s {addr}", service, name, otherHost, other.URL(), self)
		p := probe{dir: t.TempDir(), args: []string{
			"bench", "--service", command, command, "--load", "http://{addr}/debug/pprof/", "--token-file", token,
			"--max-time", "3s", "--slice", "200ms", "--timeout", "1s", "--target-log", os.DevNull,
		}}
		if strings.HasPrefix(name, "redirect") {
			p.args = append(p.args, "-H", "X-Key: "+hostile.Secret, "-H", "Cookie: session="+hostile.Secret)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			atOnce <- struct{}{}
			defer func() { <-atOnce }()
			e := holds(t, p)
			t.Logf("exit code %d, %d MB, CPU %v; %s", e.code, e.memory>>20, e.cpu, short(e.stderr))
			if e.code == 2 {
				t.Error("nothing was tried")
			}
		})
	}
}

// slowClients is more connections than a server of whet accepts.
const slowClients = 300

// TestSlowClients opens many connections to the servers of whet that never send a request, or never
// read the response. Other clients are still answered, memory is bounded, and the server stops on
// request.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	dir, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"timeline": {"trace", "timeline", "internal/trace/testdata/go1.26.trace"},
		"serve":    {"serve", "recording/testdata"},
		"pprof":    {"pprof", "-no_browser", "-http=127.0.0.1:", "pgo/testdata/hot.pb.gz"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			slowly(t, dir, args)
		})
	}
}

var address = regexp.MustCompile(`http://[^ /\n]+`)

func slowly(t *testing.T, dir string, args []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wall)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "usage")
	cmd := exec.CommandContext(ctx, self, append([]string{whet}, args...)...)
	cmd.Dir, cmd.Env = dir, append(homeless(t), measured+"="+file)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	stderr, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	found := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if a := address.FindString(lines.Text()); a != "" {
				select {
				case found <- a:
				default:
				}
			}
		}
		_, _ = io.Copy(io.Discard, stderr)
	}()
	var base string
	select {
	case base = <-found:
	case <-ctx.Done():
		t.Fatal("no address printed")
	}
	host, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	for i := range slowClients {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", host.Host)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		ask := "GET / HTTP/1.1\r\nHost: localhost\r\nX-Never"
		if i%2 == 0 {
			ask = strings.Repeat("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 50)
		}
		_, _ = io.WriteString(c, ask) // the server may have had enough
	}
	asked, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(asked)
	if err != nil {
		t.Fatalf("a client among slow ones: %v", err)
	}
	page, err := io.ReadAll(answer.Body)
	if _ = answer.Body.Close(); err != nil || answer.StatusCode != http.StatusOK || len(page) == 0 {
		t.Errorf("a client among slow ones: status %d, %d bytes, %v", answer.StatusCode, len(page), err)
	}
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	_ = w.Close()
	if ctx.Err() != nil {
		t.Fatalf("%v does not end: %v", args, err)
	}
	u, err := used(file)
	if err != nil {
		t.Fatal(err)
	}
	if u.Memory > hostile.BoundMemory {
		t.Errorf("%v takes %d MB", args, u.Memory>>20)
	}
	t.Logf("%d MB, CPU %v", u.Memory>>20, u.CPU)
}
