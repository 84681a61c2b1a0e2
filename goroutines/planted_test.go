package goroutines_test

import (
	"bytes"
	"net"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/goroutines"
	"github.com/whet-go/whet/profile"
)

// planted starts goroutines that wait in known ways and returns the reasons by
// the function that waits, once all of them do. They end with the test.
func planted(t *testing.T) map[string]string {
	t.Helper()
	var (
		mu   sync.Mutex
		rw   sync.RWMutex
		wg   sync.WaitGroup
		stop = make(chan struct{})
		cond = sync.NewCond(&sync.Mutex{})
		done sync.WaitGroup
		wake bool
	)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	rw.Lock()
	wg.Add(1)
	done.Add(9)
	go plantReceive(&done, stop)
	go plantReceive(&done, stop)
	go plantSelect(&done, stop, t.Context().Done())
	go func() { defer done.Done(); plantMutex(&mu) }()
	go func() { defer done.Done(); plantRead(&rw) }()
	go func() { defer done.Done(); plantGroup(&wg) }()
	go func() { defer done.Done(); plantAccept(ln) }()
	go func() { defer done.Done(); plantCond(cond, &wake) }()
	go plantNested(&done, stop)
	t.Cleanup(func() {
		close(stop)
		mu.Unlock()
		rw.Unlock()
		wg.Done()
		_ = ln.Close()
		cond.L.Lock()
		wake = true
		cond.L.Unlock()
		cond.Broadcast()
		done.Wait()
	})
	want := map[string]string{
		"plantReceive": "chan receive", "plantSelect": "select", "plantMutex": "sync.Mutex.Lock",
		"plantRead": "sync.RWMutex.RLock", "plantGroup": "sync.WaitGroup.Wait", "plantAccept": "IO wait",
		"plantCond": "sync.Cond.Wait", "plantNested.func1": "chan receive",
	}
	for deadline := time.Now().Add(5 * time.Minute); ; runtime.Gosched() {
		missing := ""
		dump := stacks()
		for fn, reason := range want {
			if !strings.Contains(dump, "goroutines_test."+fn+"(") || !waitsFor(dump, fn, reason) {
				missing = fn
			}
		}
		if missing == "" {
			return want
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not wait:\n%s", missing, dump)
		}
	}
}

func waitsFor(dump, fn, reason string) bool {
	for g := range strings.SplitSeq(dump, "\n\n") {
		head, _, _ := strings.Cut(g, "\n")
		if strings.Contains(g, "goroutines_test."+fn+"(") && !strings.Contains(head, "["+reason) {
			return false
		}
	}
	return true
}

func plantReceive(done *sync.WaitGroup, c chan struct{}) { defer done.Done(); <-c }
func plantMutex(mu *sync.Mutex)                          { mu.Lock(); mu.Unlock() }   //nolint:staticcheck // to wait
func plantRead(rw *sync.RWMutex)                         { rw.RLock(); rw.RUnlock() } //nolint:staticcheck // likewise
func plantGroup(wg *sync.WaitGroup)                      { wg.Wait() }
func plantAccept(ln net.Listener)                        { _, _ = ln.Accept() }

func plantSelect(done *sync.WaitGroup, a chan struct{}, b <-chan struct{}) {
	defer done.Done()
	select {
	case <-a:
	case <-b:
	}
}

func plantCond(c *sync.Cond, wake *bool) {
	c.L.Lock()
	for !*wake {
		c.Wait()
	}
	c.L.Unlock()
}

func plantNested(done *sync.WaitGroup, c chan struct{}) {
	go func() { defer done.Done(); <-c }()
}

func stacks() string {
	for n := 1 << 20; ; n *= 2 {
		buf := make([]byte, n)
		if got := runtime.Stack(buf, true); got < n {
			return string(buf[:got])
		}
	}
}

func profileOf(t *testing.T, name string) *profile.Profile {
	t.Helper()
	var buf bytes.Buffer
	if err := pprof.Lookup(name).WriteTo(&buf, 0); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(buf.Bytes(), profile.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func own(f goroutines.Frame) bool {
	return strings.HasPrefix(f.Func, "github.com/whet-go/whet/goroutines_test.")
}

// byOwn sums counts by the innermost own function and the reason.
func byOwn(s *goroutines.Snapshot) map[string]int64 {
	m := map[string]int64{}
	for i := range s.Groups {
		if f, ok := s.Groups[i].OwnFrame(own); ok {
			name := strings.TrimPrefix(f.Func, "github.com/whet-go/whet/goroutines_test.")
			if strings.HasPrefix(name, "plant") && !strings.HasPrefix(name, "planted") {
				m[name+" "+s.Groups[i].Reason] += s.Groups[i].Count
			}
		}
	}
	return m
}

// The three ways in which a process reports its goroutines must agree. The dump, in which the
// runtime prints the wait reason, is the oracle for the reason derived from the frames of a
// profile.
func TestSourcesAgree(t *testing.T) {
	want := planted(t)

	dump, err := goroutines.FromDump(strings.NewReader(stacks()), goroutines.Options{Name: "dump"})
	if err != nil {
		t.Fatal(err)
	}
	prof, err := goroutines.FromProfile(profileOf(t, "goroutine"), goroutines.Options{Name: "profile"})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&text, 1); err != nil {
		t.Fatal(err)
	}
	debug1, err := goroutines.FromDump(&text, goroutines.Options{Name: "debug=1"})
	if err != nil {
		t.Fatal(err)
	}
	d, p := byOwn(dump), byOwn(prof)
	for fn, reason := range want {
		n := int64(1)
		if fn == "plantReceive" {
			n = 2
		}
		if d[fn+" "+reason] != n || p[fn+" "+reason] != n {
			t.Errorf("%s waiting for %s: %d in the dump, %d in the profile, want %d", fn, reason, d[fn+" "+reason],
				p[fn+" "+reason], n)
		}
	}
	if len(d) != len(p) {
		t.Errorf("dump has %v\nprofile has %v", d, p)
	}

	// Groups match across sources, and a creator derived from the profile is the one that the
	// runtime prints.
	derived := 0
	keys := map[uint64]*goroutines.Group{}
	for i := range dump.Groups {
		keys[dump.Groups[i].Key()] = &dump.Groups[i]
	}
	for _, s := range []*goroutines.Snapshot{prof, debug1} {
		for i := range s.Groups {
			g := &s.Groups[i]
			if f, ok := g.OwnFrame(own); !ok || !strings.Contains(f.Func, ".plant") || strings.Contains(f.Func, ".planted") {
				continue
			}
			o := keys[g.Key()]
			if o == nil {
				t.Errorf("%s: no group of the dump with the stack %v", s.Name, g.Stack)
				continue
			}
			if g.Creator.Func != "" {
				derived++
				if g.Creator.Func != o.Creator.Func {
					t.Errorf("%s: %v created by %q, the runtime says %q", s.Name, g.Stack, g.Creator.Func, o.Creator.Func)
				}
			}
			if g.Reason != "" && g.Reason != o.Reason {
				t.Errorf("%s: %v waits for %q, the runtime says %q", s.Name, g.Stack, g.Reason, o.Reason)
			}
		}
	}
	if derived < 6 {
		t.Errorf("%d creators derived", derived)
	}
}
