//go:build unix

package service

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/collect/process"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/load"
)

const slice = 50 * time.Millisecond

// options returns options that compare two services of the test binary for at most the given time,
// in short slices.
func options(a, b string, most time.Duration) Options {
	return Options{
		Commands: [2]Command{command("-addr {addr} " + a), command("-addr {addr} " + b)},
		URLs:     []string{"http://{addr}/"},
		Load:     load.Options{Connections: 2},
		Warmup:   slice,
		Start:    2 * time.Minute,
		AB:       ab.Options{MaxTime: most, Trial: 4 * slice, Plans: []ab.Plan{{Length: slice}}, Precision: 0.0001, Seed: 1},
	}
}

// unitOf finds a unit of the result.
func unitOf(t *testing.T, r *Result, name string) ab.Unit {
	t.Helper()
	for _, u := range r.AB.Subjects[0].Units {
		if u.Unit == name {
			return u
		}
	}
	t.Fatalf("no %s in %+v", name, r.AB.Subjects)
	return ab.Unit{}
}

// gone fails the test if it has a child process left.
func gone(t *testing.T) {
	t.Helper()
	for _, pid := range process.Tree(os.Getpid())[1:] {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if err == nil && strings.HasPrefix(string(stat), os.Args[0]+"\x00-addr") {
			t.Errorf("process %d is left: %q", pid, stat)
		}
	}
}

// until returns a context that ends after this number of pairs, and makes o measure until then,
// however long that takes.
func until(t *testing.T, o *Options, pairs int) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	o.AB.MaxTime = time.Hour
	o.AB.Progress = func(p ab.Progress) {
		if p.Pairs >= pairs {
			cancel()
		}
	}
	return ctx
}

// eventually repeats a measurement up to five times: a busy machine may stall for many slices,
// which then have hardly any requests.
func eventually(t *testing.T, try func() error) {
	t.Helper()
	var err error
	for range 5 {
		if err = try(); err == nil || t.Failed() {
			return
		}
	}
	t.Error(err)
}

// TestRun compares a service with one that burns twenty times the CPU time and allocates 4000 objects more, so that
// the difference shows however slow the machine is.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	eventually(t, func() error { return runOnce(t) })
}

func runOnce(t *testing.T) error {
	t.Helper()
	o := options("-burn 50000 -alloc 1000", "-burn 1000000 -alloc 5000", time.Minute)
	o.AB.Plans[0].Length = 30 * time.Millisecond
	var notes []string
	o.Note = func(text string) { notes = append(notes, text) }
	ctx := until(t, &o, 40)
	r, err := Run(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	gone(t)
	if r.Failure != nil || r.Schema != Schema || r.Warnings.Has(NoCPU) || r.Warnings.Has(NoAllocs) || r.FailuresDiffer ||
		len(r.Answers.Differences) > 0 || r.Answers.Requests != 1 || len(notes) != 4 {
		t.Errorf("%+v, notes %q", r, notes)
	}
	for i, s := range r.Sides {
		if s.Seen.Requests == 0 || s.Seen.Status[200] != s.Seen.Requests || s.Pprof == "" ||
			!strings.Contains(s.Command, "-addr {addr}") || s.Seen.Failed() > 0 || s.Seen.Failures() != "" {
			t.Errorf("side %d: %+v", i, s)
		}
	}
	if u := unitOf(t, r, UnitCPU); u.Verdict != ab.Worse || u.Ratio < 2 || u.Ratio > 200 {
		return fmt.Errorf("cpu: %+v", u)
	}
	a := unitOf(t, r, UnitAllocs)
	// On a busy machine, few requests share the allocations of reading counters, of connections and
	// of the runtime.
	if a.Verdict != ab.Worse || math.Abs(float64(a.B.Median-a.A.Median)-4000) > 1000 ||
		a.A.Median < 1000 || a.A.Median > 2000 {
		return fmt.Errorf("allocations: %+v", a)
	}
	if u := unitOf(t, r, UnitBytes); math.Abs(float64(u.B.Median-u.A.Median)-4000*64) > 4000*64*3/4 {
		return fmt.Errorf("bytes: %+v", u)
	}
	for _, name := range []string{UnitP50, UnitP90, UnitP99, UnitRate} {
		if u := unitOf(t, r, name); u.A.Median <= 0 || u.B.Median <= 0 {
			return fmt.Errorf("%s: %+v", name, u)
		}
	}
	return nil
}

// TestOneAddress compares services that listen at one address, one of which burns twenty times the
// CPU time.
func TestOneAddress(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		o := options("", "", time.Minute)
		o.Commands = [2]Command{
			command("-addr " + at + " -burn 50000"), command("-addr " + at + " -burn 1000000 -alloc 5000"),
		}
		o.URLs = []string{"http://" + at + "/"}
		ctx := until(t, &o, 12)
		r, err := Run(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		gone(t)
		if !r.OneAtATime || r.Failure != nil || r.Answers.Requests != 1 || len(r.Answers.Differences) > 0 ||
			r.Warnings.Has(NoCPU) || r.Warnings.Has(NoAllocs) || r.Sides[0].Pprof == "" || r.Sides[1].Pprof == "" {
			t.Errorf("%+v", r)
		}
		for i, s := range r.Sides {
			if s.Seen.Slices < 10 || s.Seen.Failed() > 0 {
				t.Errorf("side %d: %+v", i, s)
			}
		}
		if u := unitOf(t, r, UnitCPU); u.Verdict != ab.Worse {
			return fmt.Errorf("cpu: %+v", u)
		}
		if u := unitOf(t, r, UnitAllocs); u.Verdict != ab.Worse {
			return fmt.Errorf("allocations: %+v", u)
		}
		return nil
	})
}

// TestEqual compares a service with one that leaves the same work to a child process, whose CPU
// time counts.
func TestEqual(t *testing.T) {
	eventually(t, func() error {
		o := options("-burn 50000 -bare", "-burn 50000 -child -bare", time.Minute)
		r, err := Run(until(t, &o, 10), o)
		if err != nil {
			t.Fatal(err)
		}
		gone(t)
		// Only B's child has handlers, so neither side's allocations are measured.
		missing := slices.DeleteFunc(slices.Clone(r.Warnings), func(w load.Warning) bool {
			return w.Kind != NoAllocs && w.Kind != NoCPU
		})
		if len(missing) != 1 || missing[0].Kind != NoAllocs || missing[0].Where != "A" ||
			!strings.Contains(missing[0].Hint, "net/http/pprof") {
			t.Errorf("missing: %+v", missing)
		}
		for _, u := range r.AB.Subjects[0].Units {
			if u.Unit == UnitAllocs {
				t.Errorf("%+v", u)
			}
			if u.Unit == UnitCPU && u.Ratio > 0.2 && u.Ratio < 5 {
				return nil
			}
		}
		return fmt.Errorf("the child's CPU time is not counted: %+v", r.AB.Subjects)
	})
}

// TestDies has a service that ends during the comparison: what was measured is kept.
func TestDies(t *testing.T) {
	r, err := Run(t.Context(), options("", "-burn 200000 -die 1500", time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	gone(t)
	c := r.AB.Subjects[0]
	if c.Stopped != ab.Failed || r.Failure == nil || !strings.HasPrefix(c.Error, "B: run ") ||
		!strings.Contains(c.Error, "exit status 3; its last output:") || !strings.Contains(c.Error, "out of cheese") {
		t.Errorf("%+v, %v", c, r.Failure)
	}
}

// TestDiesWarm has a service that ends before anything is measured.
func TestDiesWarm(t *testing.T) {
	_, err := Run(t.Context(), options("-die 3", "", time.Minute))
	gone(t)
	if err == nil || !strings.HasPrefix(err.Error(), "A: run ") || !strings.Contains(err.Error(), "exit status 3") {
		t.Error(err)
	}
}

// TestFailures has a service that is cheap because it refuses some of the work.
func TestFailures(t *testing.T) {
	eventually(t, func() error {
		o := options("-burn 1000", "-burn 1000 -fail 2", time.Minute)
		r, err := Run(until(t, &o, 10), o)
		if err != nil {
			t.Fatal(err)
		}
		a, b := r.Sides[0].Seen, r.Sides[1].Seen
		if b.Failed() != b.Status[503] || !strings.HasPrefix(b.Failures(), "503: ") || a.Failed() != 0 {
			t.Errorf("%+v", r.Sides)
		}
		if !r.FailuresDiffer || b.Failing != b.Slices {
			return fmt.Errorf("failures differ: %v, in %d of %d slices", r.FailuresDiffer, b.Failing, b.Slices)
		}
		return nil
	})
}

// TestStartErrors has services that cannot be compared.
func TestStartErrors(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = busy.Close() }()
	taken := busy.Addr().String()
	for name, tc := range map[string]struct {
		change     func(o *Options)
		text, hint string
		usage      bool
	}{
		"deaf": {
			func(o *Options) { o.Commands[1] = command("-addr {addr} -deaf") },
			"B: start ", "--start-timeout", false,
		},
		"no program": {
			func(o *Options) { o.Commands[0].Args = []string{"./absent", "{addr}"} },
			"A: start ./absent: ", "build it first", false,
		},
		"port is taken": {
			func(o *Options) {
				o.URLs = []string{"http://" + taken, "http://{addr}/"}
				o.Commands[0] = command("-addr " + taken)
			},
			"another process already listens at " + taken, "{addr}", false,
		},
		"second port is taken": {
			func(o *Options) { o.Commands[0] = command("-body {addr} -addr " + taken) },
			"address already in use", "-pprof 127.0.0.1:0", false,
		},
		"another address": {
			func(o *Options) { o.URLs = []string{"http://127.0.0.1:8080/"} },
			"A gets the address {addr}, and the load goes to 127.0.0.1:8080", "--load http://{addr}/", true,
		},
		"one port, taken": {
			func(o *Options) {
				o.URLs = []string{"http://" + taken + "/a", "http://" + taken + "/b"}
				o.Commands[0], o.Commands[1] = command("-addr "+taken), command("-addr "+taken)
			},
			"A: start ", "{addr}", false,
		},
		"address not in command": {
			func(o *Options) { o.Commands[1] = command("-addr 127.0.0.1:0") },
			"B does not get its address", "PORT={port}", true,
		},
		"no address": {func(o *Options) { o.URLs = nil }, "0 addresses", "one with {addr}", true},
		"elsewhere": {
			func(o *Options) { o.URLs = []string{"http://example.com/{port}"} },
			"not this machine's loopback", "Host: NAME", true,
		},
		"no scheme": {
			func(o *Options) { o.URLs = []string{"{addr}"} },
			"not an http or https address", "http://{addr}", true,
		},
		"two hosts": {
			func(o *Options) { o.Load.Targets = []load.Target{{URL: "http://a/"}, {URL: "http://b/"}} },
			"requests for 2 hosts", "load one host at a time", true,
		},
		"two schemes": {
			func(o *Options) { o.Load.Targets = []load.Target{{URL: "https://a/"}} },
			"a request is https, and --load http", "same scheme in both", true,
		},
		"different answers": {
			func(o *Options) { o.Commands[1] = command("-addr {addr} -body goodbye"); o.SameAnswers = true },
			`from byte 0 on "hello" in A, "goodbye" in B`, "without --same-answers", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := options("", "", time.Second)
			tc.change(&o)
			var err error
			if name != "deaf" {
				_, err = Run(t.Context(), o)
			}
			// B never listens, and A may take as long to start on a busy machine.
			for o.Start = 200 * time.Millisecond; name == "deaf" && o.Start < time.Minute; o.Start *= 10 {
				if _, err = Run(t.Context(), o); err == nil || !strings.HasPrefix(err.Error(), "A: start ") {
					break
				}
			}
			if err == nil || !strings.Contains(err.Error(), tc.text) || !strings.Contains(diag.Hint(err), tc.hint) ||
				(diag.ExitCode(err) == 2) != tc.usage {
				t.Errorf("%v\nhint: %s", err, diag.Hint(err))
			}
			gone(t)
		})
	}
}

// TestInterrupted cancels while waiting for the services, and while measuring. The services ignore
// signals.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	abort := make(chan struct{})
	close(abort) // do not wait for them to end
	o := options("-stubborn", "-stubborn", time.Hour)
	o.Abort = abort
	o.AB.Progress = func(p ab.Progress) {
		if p.Pairs == 3 {
			cancel()
		}
	}
	r, err := Run(ctx, o)
	if err != nil || !r.AB.Interrupted || r.AB.Subjects[0].Pairs != 3 || r.Failure != nil {
		t.Errorf("%+v, %v", r, err)
	}
	gone(t)

	ctx, cancel = context.WithCancel(t.Context())
	o = options("", "-deaf", time.Minute)
	o.Note = func(text string) {
		if strings.HasPrefix(text, "waiting for B") {
			cancel()
		}
	}
	if _, err := Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("while it starts: %v", err)
	}
	gone(t)
}

// TestPanic checks that the services are stopped if Run panics.
func TestPanic(t *testing.T) {
	o := options("", "", time.Minute)
	o.AB.Progress = func(ab.Progress) { panic("out of paper") }
	func() {
		defer func() {
			if v := recover(); v != "out of paper" {
				t.Errorf("recovered %v", v)
			}
		}()
		r, err := Run(t.Context(), o)
		t.Errorf("%+v, %v", r, err)
	}()
	gone(t)
}

// TestKilled kills a process during a comparison: its services end with it.
func TestKilled(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc here")
	}
	if os.Getenv("WHET_SERVICES_TEST_KILLED") != "" {
		o := options("", "", time.Hour)
		o.AB.Progress = func(p ab.Progress) {
			if p.Pairs == 1 {
				fmt.Println("measuring")
			}
		}
		_, err := Run(t.Context(), o)
		t.Fatal(err)
	}
	whet := exec.Command(os.Args[0], "-test.run", "^TestKilled$")
	whet.Env = append(os.Environ(), "WHET_SERVICES_TEST_KILLED=1")
	out, err := whet.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := whet.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 9)
	if _, err := out.Read(line); err != nil || string(line) != "measuring" {
		t.Fatalf("%q, %v", line, err)
	}
	services := process.Tree(whet.Process.Pid)[1:]
	if len(services) != 2 {
		t.Errorf("services %v", services)
	}
	if err := whet.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = whet.Wait() // killed
	for _, pid := range services {
		awaitEnd(t, pid)
	}
}

// awaitEnd waits until a killed process has ended, or is a zombie.
func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if err != nil || len(line) == 0 || syscall.Kill(pid, 0) != nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Errorf("process %d still runs: %q", pid, line)
			return
		case <-tick.C:
		}
	}
}

// TestTargets sends the requests of a file to both sides, with the host names in it.
func TestTargets(t *testing.T) {
	o := options("", "-body time", time.Minute)
	o.Commands[0] = command("-addr {addr} -body time")
	o.Load.Targets = []load.Target{
		{URL: "http://Example.com/missing"},
		{
			Method: http.MethodPost, URL: "http://example.com:80/{{word}}", Body: []byte("{{word}}"),
			Header: http.Header{"X-A": {"b"}},
		},
	}
	o.Load.Variables = &load.Variables{Names: []string{"word"}, Rows: [][]string{{"one"}, {"two"}}}
	r, err := Run(until(t, &o, 5), o)
	if err != nil {
		t.Fatal(err)
	}
	seen := r.Sides[0].Seen
	if r.Answers.Requests != 2 || r.Answers.Unstable != 1 || len(r.Answers.Differences) > 0 ||
		seen.Status[404] == 0 || seen.Status[200] == 0 || r.FailuresDiffer {
		t.Errorf("%+v, %+v", r.Answers, seen)
	}
}
