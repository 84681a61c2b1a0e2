package mcp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/whet-go/whet/internal/leaktest"
	"github.com/whet-go/whet/internal/mcp"
	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/profile/profiletest"
)

// soonAnyway is how soon after it is canceled nothing may be left of a call on a machine that does other things, too.
// On one that does not it is less than a second: docs/measured/mcp-clients.md.
const soonAnyway = 10 * time.Second

// marker is an environment variable that all processes of a test inherit.
const marker = "WHET_TEST_OF_CANCEL"

// A lab is a session of which a test sees all that it leaves: processes, files and goroutines.
type lab struct {
	*client
	temp, caches, dir, mark string
	fails                   bool // whether calls that are not canceled fail
}

// newLab starts a session with a service. Its directories for temporary files and caches are new.
func newLab(t *testing.T) *lab {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{temp: t.TempDir(), caches: t.TempDir(), dir: shop(t)}
	l.mark = marker + "=" + l.temp
	t.Setenv(marker, l.temp)
	t.Setenv("TMPDIR", l.temp)
	t.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
	l.cold(t)
	l.client = overPipes(t, server(t, mcp.Options{Roots: []string{l.dir}}))
	return l
}

// cold removes what whet has cached.
func (l *lab) cold(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp(l.caches, "") //nolint:usetesting // t.TempDir would be in TMPDIR, which is watched
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", dir)
}

// files returns the names of all files for temporary files. What is removed meanwhile may be missing.
func (l *lab) files() map[string]bool {
	names := map[string]bool{}
	_ = filepath.WalkDir(l.temp, func(name string, _ fs.DirEntry, err error) error {
		if err == nil {
			names[name] = true
		}
		return nil
	})
	return names
}

// left returns the processes that the test has started and that have not ended, and the files that were not there
// before.
func (l *lab) left(before map[string]bool) (list []string) {
	processes, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return []string{err.Error()}
	}
	for _, name := range processes {
		environment, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(environment, []byte(l.mark+"\x00")) ||
			name == fmt.Sprintf("/proc/%d/environ", os.Getpid()) {
			continue
		}
		command, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline"))
		list = append(list, strings.ReplaceAll(string(command), "\x00", " "))
	}
	for name := range l.files() {
		if !before[name] {
			list = append(list, name)
		}
	}
	return list
}

// cancel calls a tool, cancels the call when now returns, and checks that nothing is left of it soon. It returns how
// long that took, and whether the call had ended before.
func (l *lab) cancel(
	t *testing.T, tool string, arguments object, now func(ended <-chan struct{}),
) (time.Duration, bool) {
	t.Helper()
	before, since := l.files(), leaktest.Since()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	over := make(chan struct{})
	go func() {
		defer close(over)
		r, err := l.CallTool(ctx, params(tool, arguments))
		if err == nil && r.IsError && !l.fails {
			t.Errorf("%s: %s", tool, r.Content[0].(*sdk.TextContent).Text)
		}
		ended <- err
	}()
	now(over)
	canceled := time.Now()
	cancel()
	early := <-ended == nil
	<-over
	if early {
		return 0, true // its result is kept
	}
	var left []string
	for {
		if left = l.left(before); len(left) == 0 || time.Since(canceled) > soonAnyway {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	took := time.Since(canceled)
	if len(left) > 0 {
		t.Errorf("%s: %v after it was canceled, this is left: %q", tool, took, left)
	}
	if err := since(max(soonAnyway-took, 0)); err != nil {
		t.Errorf("%s: %v after it was canceled: %v", tool, soonAnyway, err)
	}
	return time.Since(canceled), false
}

// anytime cancels calls at moments before most that are chosen at random, until some had not ended.
func (l *lab) anytime(t *testing.T, tool string, arguments object, most time.Duration, times int) {
	t.Helper()
	for canceled, tries := 0, 0; canceled < times; tries++ {
		if tries > 20*times {
			t.Fatal("the calls end before they are canceled")
		}
		l.cold(t)
		after := rand.N(most)
		took, early := l.cancel(t, tool, arguments, func(ended <-chan struct{}) {
			select {
			case <-time.After(after):
			case <-ended:
			}
		})
		if early {
			most = after
			continue
		}
		canceled++
		t.Logf("canceled after %v: nothing is left after %v", after, took)
	}
}

// record makes a recording with all that the tools read.
func (l *lab) record() {
	l.t.Helper()
	l.call("record", object{
		"package": ".", "args": []string{"-addr", "{addr}"}, "seconds": 1,
		"load": object{"urls": []string{"http://{addr}/report?n=200"}},
	})
}

// answers returns the address of a service that answers after some time.
func answers(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(50 * time.Millisecond):
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestCancelAnytime cancels calls of all tools that take some time, at moments that are chosen at random. Nothing is
// left of them: no goroutine, no process, and no file.
func TestCancelAnytime(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	l := newLab(t)
	l.record()
	program := object{
		"package": ".", "args": []string{"-addr", "{addr}"}, "seconds": 1,
		"load": object{"urls": []string{"http://{addr}/report?n=10"}},
	}
	captured := object{"package": ".", "args": []string{"-addr", "{addr}"}, "seconds": 1, "capture": `text\.`}
	recording, _ := filepath.Glob(filepath.Join(l.temp, "whet-mcp-*", "*.whet"))
	if len(recording) != 1 {
		t.Fatalf("the recordings: %q", recording)
	}
	address := answers(t)
	line := object{"recording": recording[0], "file": "text/text.go", "line": 16}
	right := object{"patch": patch(t, "right"), "recording": recording[0], "wait_seconds": 600}
	wrong := object{"patch": patch(t, "wrong"), "recording": recording[0], "wait_seconds": 600}
	for _, test := range []struct {
		name, tool string
		arguments  object
		most       time.Duration // a call may take that long
		times      int
	}{
		{"a program", "record", program, 3 * time.Second, 4},
		{"a program with copies of calls", "record", captured, 6 * time.Second, 4},
		{"benchmarks", "record", object{"bench": "Join", "seconds": 1}, 2 * time.Second, 3},
		{"load", "load", object{"urls": []string{address}, "seconds": 60}, time.Second, 2},
		{"hot lines", "hot_lines", object{"recording": recording[0]}, 20 * time.Millisecond, 4},
		{"find", "find", object{"recording": recording[0]}, 3 * time.Second, 6},
		{"line evidence", "line_evidence", line, 5 * time.Second, 6},
		{"compare", "compare", object{"before": recording[0], "after": recording[0]}, 20 * time.Millisecond, 4},
		{"trace", "trace_requests", object{"recording": recording[0]}, 100 * time.Millisecond, 4},
		{"prove", "prove", right, 25 * time.Second, 4},
		{"prove a wrong patch", "prove", wrong, 10 * time.Second, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			l.anytime(t, test.tool, test.arguments, test.most, test.times)
		})
	}
}

// TestCancelCompilers cancels calls while a compiler runs that takes a minute.
func TestCancelCompilers(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	l := newLab(t)
	l.record()
	slow, started := filepath.Join(t.TempDir(), "slow"), filepath.Join(t.TempDir(), "started")
	script := "#!/bin/sh\nif [ \"$2\" != -V=full ]; then echo >>" + started + "; sleep 60; fi\nexec \"$@\"\n"
	if err := os.WriteFile(slow, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOFLAGS", "-toolexec="+slow)
	for i, test := range []struct {
		name, tool string
		arguments  object
	}{
		{"a program", "record", object{"package": ".", "args": []string{"-addr", "{addr}"}}},
		{"a program with copies of calls", "record", object{
			"package": ".", "args": []string{"-addr", "{addr}"}, "capture": `text\.`,
		}},
		{"benchmarks", "record", object{"bench": "Join", "seconds": 1}},
		{"find", "find", object{}},
		{"line evidence", "line_evidence", object{"file": "text/text.go", "line": 16, "skip_benchmarks": true}},
		{"benchmarks of a line", "line_evidence", object{"file": "text/text.go", "line": 16}},
		{"prove", "prove", object{"patch": patch(t, "right"), "wait_seconds": 600}},
	} {
		t.Run(test.name, func(t *testing.T) {
			// Nothing of the module is compiled before.
			text := fmt.Sprintf("\n// Changed is %d-%d.\nconst Changed = %d\n", i, time.Now().UnixNano(), i)
			name := filepath.Join(l.dir, "text", "changed.go")
			if err := os.WriteFile(name, []byte("package text\n"+text), 0o600); err != nil {
				t.Fatal(err)
			}
			_ = os.Remove(started) // the first one has none
			l.cold(t)
			took, early := l.cancel(t, test.tool, test.arguments, func(ended <-chan struct{}) {
				for {
					if _, err := os.Stat(started); err == nil {
						return
					}
					select {
					case <-time.After(5 * time.Millisecond):
					case <-ended:
						t.Fatal("the call has ended without a compiler")
					}
				}
			})
			if early {
				t.Error("the call has ended before it was canceled")
			}
			t.Logf("nothing is left after %v", took)
		})
	}
}

// TestCancelLarge cancels calls that read a profile of two hundred thousand stacks.
func TestCancelLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	l := newLab(t)
	l.fails = true // the source of the program is missing
	o := profiletest.LargeShared()
	o.Samples = 200_000
	p := profiletest.Generate(o)
	name := filepath.Join(l.dir, "large.pb.gz")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.Write(f), f.Close()); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		tool      string
		arguments object
	}{
		{"hot_lines", object{"recording": name}},
		{"find", object{"recording": name}},
		{"line_evidence", object{"recording": name, "file": "text/text.go", "line": 16}},
		{"compare", object{"before": name, "after": name}},
	} {
		t.Run(test.tool, func(t *testing.T) { l.anytime(t, test.tool, test.arguments, 5*time.Second, 5) })
	}
}
