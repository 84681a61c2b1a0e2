package requests_test

import (
	"regexp"
	"runtime"
	"runtime/trace"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/trace/tracetest"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/requests"
)

// only returns the only task of a trace.
func only(t *testing.T, x *index.Index) *requests.Request {
	t.Helper()
	r, err := requests.Find(x, requests.Options{Paths: 5, Tasks: true})
	if err != nil {
		t.Fatal(err)
	}
	checkPaths(t, x, r)
	if r.Tasks != 1 || len(r.Classes) != 1 {
		t.Fatalf("%+v", r)
	}
	return r.Classes[0].Slowest[0]
}

// follow goes from a path's longest step with a cause to the longest step with the next cause
// inside it, and so on.
func follow(t *testing.T, path *requests.Path, list ...requests.Cause) (chain []requests.Step) {
	t.Helper()
	steps := path.Steps
	for _, cause := range list {
		longest := requests.Step{}
		for _, s := range steps {
			if s.Cause == cause && s.Took() > longest.Took() {
				longest = s
			}
		}
		if longest.Took() == 0 {
			t.Fatalf("no %v in %+v", cause, steps)
		}
		chain = append(chain, longest)
		steps = longest.Inside
	}
	return chain
}

// on reports whether a stack has a function whose name ends in suffix.
func on(x *index.Index, stack uint32, suffix string) bool {
	for _, f := range x.Stack(stack) {
		if strings.HasSuffix(f.Func, suffix) {
			return true
		}
	}
	return false
}

type chain struct {
	mu      sync.Mutex
	begun   chan struct{}
	answers chan int
}

func (c *chain) holder() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.begun)
	<-c.answers
}

func (c *chain) sleeper() {
	parked("(*chain).holder(", "chan receive")
	parked("(*chain).want(", "sync.Mutex.Lock")
	time.Sleep(50 * time.Millisecond)
	c.answers <- 1
}

// parked waits until a goroutine with a function on its stack waits for the given reason.
func parked(function, reason string) {
	buf := make([]byte, 1<<20)
	for ; ; time.Sleep(time.Millisecond) {
		for g := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			if head, stack, _ := strings.Cut(g, "\n"); strings.Contains(head, "["+reason) && strings.Contains(stack, function) {
				return
			}
		}
	}
}

func (c *chain) want() {
	c.mu.Lock()
	defer c.mu.Unlock()
}

// TestChain follows a wait for a lock to its holder, and from there to what the holder waits for.
func TestChain(t *testing.T) {
	c := &chain{begun: make(chan struct{}), answers: make(chan int)}
	x := tracetest.Index(t, recorded(t, func() {
		var all sync.WaitGroup
		all.Go(c.holder)
		<-c.begun
		_, task := trace.NewTask(t.Context(), "chain")
		all.Go(c.sleeper)
		c.want()
		task.End()
		all.Wait()
	}))
	r := only(t, x)
	steps := follow(t, r.Path, requests.Lock, requests.Channel, requests.Sleep)
	for i, suffix := range []string{".want", ".holder", ".sleeper"} {
		s := steps[i]
		if !on(x, s.Stack, suffix) {
			t.Errorf("step %d is in %v, want %s", i, x.Stack(s.Stack), suffix)
		}
		if i < 2 && (s.Waker != steps[i+1].Goroutine+1 || !on(x, s.WakerStack, []string{".holder", ".sleeper"}[i])) {
			t.Errorf("step %d was ended by %d in %v", i, s.Waker, x.Stack(s.WakerStack))
		}
	}
	const slept = 25 * time.Millisecond
	if r.Times[requests.Lock] < slept || r.Path.Times[requests.Sleep] < slept {
		t.Errorf("%v, %v", r.Times, r.Path.Times)
	}
}

// TestStartedMeanwhile continues in the goroutine that started the one that ended the wait.
func TestStartedMeanwhile(t *testing.T) {
	x := tracetest.Index(t, recorded(t, func() {
		begin, done := make(chan struct{}), make(chan struct{})
		go func() {
			<-begin
			parked(".await(", "chan receive")
			time.Sleep(50 * time.Millisecond)
			go func() {
				time.Sleep(50 * time.Millisecond)
				close(done)
			}()
		}()
		_, task := trace.NewTask(t.Context(), "start")
		close(begin)
		await(done)
		task.End()
	}))
	r := only(t, x)
	wait := follow(t, r.Path, requests.Channel)[0]
	slept := map[uint32]time.Duration{}
	started := false
	for _, s := range wait.Inside {
		if s.Cause == requests.Sleep {
			slept[s.Goroutine] += s.Took()
		}
		started = started || s.Waker > 0 && s.Cause == requests.Runnable && s.WakerStack > 0
	}
	if len(slept) != 2 || !started || r.Path.Times[requests.Sleep] < 25*time.Millisecond {
		t.Errorf("%+v", wait)
	}
}

//go:noinline
func await(done <-chan struct{}) { <-done }

// TestLong shortens a path that has too many steps to list.
func TestLong(t *testing.T) {
	const turns = 100_000
	x := tracetest.Index(t, recorded(t, func() {
		there, back := make(chan int), make(chan int)
		var all sync.WaitGroup
		all.Go(func() {
			for n := range there {
				back <- n
			}
		})
		_, task := trace.NewTask(t.Context(), "long")
		for n := range turns {
			there <- n
			<-back
		}
		task.End()
		close(there)
		all.Wait()
	}))
	r := only(t, x)
	count, merged := 0, 0
	var add func([]requests.Step)
	add = func(steps []requests.Step) {
		for _, s := range steps {
			count++
			merged += s.Merged
			add(s.Inside)
		}
	}
	add(r.Path.Steps)
	if count > 1000 || merged < turns {
		t.Errorf("%d steps stand for %d", count, merged)
	}
}

// TestFlags selects requests that end in a window, and classes that match.
func TestFlags(t *testing.T) {
	x := tracetest.Index(t, recorded(t, func() {
		for _, name := range []string{"one", "two", "two"} {
			_, task := trace.NewTask(t.Context(), name)
			time.Sleep(time.Millisecond)
			task.End()
		}
	}))
	all, err := requests.Find(x, requests.Options{Paths: 5, Tasks: true})
	if err != nil {
		t.Fatal(err)
	}
	if all.Tasks != 3 || len(all.Classes) != 2 {
		t.Fatalf("%+v", all)
	}
	middle := all.Classes[0].Slowest
	if all.Classes[0].Name != "task two" {
		middle = all.Classes[1].Slowest
	}
	first := min(middle[0].To, middle[1].To)
	for _, test := range []struct {
		o    requests.Options
		want int
	}{
		{requests.Options{To: first, Tasks: true}, 2},
		{requests.Options{From: first, Tasks: true}, 2},
		{requests.Options{From: first, To: first, Tasks: true}, 1},
		{requests.Options{From: x.Info.Duration, Tasks: true}, 0},
		{requests.Options{Class: regexp.MustCompile("two$"), Tasks: true}, 2},
		{requests.Options{}, 0},
	} {
		r, err := requests.Find(x, test.o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Tasks != test.want {
			t.Errorf("from %d to %d are %d, want %d", test.o.From, test.o.To, r.Tasks, test.want)
		}
	}
}
