package profiles_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/trace"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/whet-go/whet/internal/trace/profiles"
	"github.com/whet-go/whet/internal/trace/tracetest"
)

// record returns a trace of a loaded server.
func record(t *testing.T) []byte {
	t.Helper()
	var mu sync.Mutex
	counts := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		counts[r.URL.Path]++
		mu.Unlock()
		done := make(chan struct{})
		go func() { close(done) }()
		<-done
		if _, err := os.ReadFile("oracle_test.go"); err != nil {
			t.Error(err)
		}
		_, _ = fmt.Fprintln(w, "hello")
	}))
	defer server.Close()
	ask := func(n int) {
		for range n {
			resp, err := server.Client().Get(server.URL + "/x")
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
	}
	ask(1) // some goroutines are older than the trace
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { ask(300) })
	}
	for range 20 {
		runtime.GC()
	}
	wg.Wait()
	if conn, err := net.Dial("tcp", server.Listener.Addr().String()); err == nil {
		_ = conn.Close()
	}
	trace.Stop()
	return out.Bytes()
}

// TestOracle compares the profiles with those of go tool trace.
func TestOracle(t *testing.T) {
	data := record(t)
	dir := t.TempDir()
	name := filepath.Join(dir, "trace.out")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	x := tracetest.Index(t, data)
	for _, typ := range []profiles.Type{profiles.Net, profiles.Sync, profiles.Syscall, profiles.Sched} {
		out, err := exec.CommandContext(t.Context(), "go", "tool", "trace", "-pprof="+string(typ), name).Output()
		if len(out) == 0 {
			t.Fatalf("go tool trace: %v", err)
		}
		want, err := profile.ParseData(out)
		if err != nil {
			t.Fatal(err)
		}
		got, err := profiles.New(x, typ, profiles.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := got.CheckValid(); err != nil {
			t.Error(err)
		}
		a, b := stacks(want), stacks(got)
		if len(a) == 0 || !slices.Equal(a, b) {
			t.Errorf("%s: %d stacks, want %d", typ, len(b), len(a))
			for i := range max(len(a), len(b)) {
				if i >= len(a) || i >= len(b) || a[i] != b[i] {
					if i < len(a) {
						t.Log("want ", a[i])
					}
					if i < len(b) {
						t.Log("got  ", b[i])
					}
					break
				}
			}
		}
	}
}

// stacks returns the samples as text, merged by stack. Go tool trace treats a stack of one frame at
// address 0 as empty, and shows whichever of the two it saw last.
func stacks(p *profile.Profile) []string {
	sums := map[string][]int64{}
	for _, s := range p.Sample {
		var b strings.Builder
		for _, loc := range s.Location {
			fmt.Fprintf(&b, "%s:%d ", loc.Line[0].Function.Name, loc.Line[0].Line)
		}
		stack := b.String()
		if stack == ":0 " {
			stack = ""
		}
		sum := sums[stack]
		if sum == nil {
			sum = make([]int64, len(s.Value))
			sums[stack] = sum
		}
		for i, v := range s.Value {
			sum[i] += v
		}
	}
	var list []string
	for stack, values := range sums {
		list = append(list, fmt.Sprint(stack, values))
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Compare(a, b) })
	return list
}

// TestWithin divides the time of all goroutines in two: the halves add up to the whole.
func TestWithin(t *testing.T) {
	x := tracetest.Index(t, record(t))
	middle := x.Info.Duration / 2
	before, after := &profiles.Parts{}, &profiles.Parts{}
	for g := range x.Info.Goroutines {
		before.Add(g, 0, middle)
		after.Add(g, middle, x.Info.Duration)
	}
	for _, typ := range []profiles.Type{profiles.Net, profiles.Sync, profiles.Syscall, profiles.Sched} {
		var sums [3]int64
		for i, parts := range []*profiles.Parts{before, after, nil} {
			p, err := profiles.New(x, typ, profiles.Options{Within: parts})
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range p.Sample {
				sums[i] += s.Value[1]
			}
		}
		if sums[0] == 0 || sums[1] == 0 || sums[0]+sums[1] != sums[2] {
			t.Errorf("%s: %d before the middle and %d after it, of %d", typ, sums[0], sums[1], sums[2])
		}
	}
	if p, err := profiles.New(x, profiles.Creation, profiles.Options{Within: &profiles.Parts{}}); err != nil ||
		len(p.Sample) > 0 {
		t.Errorf("nothing has %d stacks, %v", len(p.Sample), err)
	}
}
