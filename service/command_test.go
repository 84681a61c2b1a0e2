package service

import (
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/collect/handlers"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/load"
)

func TestParseCommand(t *testing.T) {
	for text, want := range map[string]Command{
		"./server":                       {Args: []string{"./server"}},
		"GOGC=off A='b c' ./s -a {addr}": {Args: []string{"./s", "-a", "{addr}"}, Env: []string{"GOGC=off", "A=b c"}},
		"./s A=b":                        {Args: []string{"./s", "A=b"}},
		"sh -c 'exec ./s | tee log'":     {Args: []string{"sh", "-c", "exec ./s | tee log"}},
	} {
		got, err := ParseCommand(text)
		if err != nil || !slices.Equal(got.Args, want.Args) || !slices.Equal(got.Env, want.Env) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		again, err := ParseCommand(got.String())
		if err != nil || !slices.Equal(again.Args, got.Args) || !slices.Equal(again.Env, got.Env) {
			t.Errorf("%s reads back as %+v, %v", got, again, err)
		}
	}
	for text, want := range map[string]string{
		"": "no program", "A=b": "no program", "./s | wc": "outside quotes",
		"./s $HOME": "a $H", "'./s": "missing closing '",
	} {
		if _, err := ParseCommand(text); err == nil || !strings.Contains(err.Error(), want) || diag.ExitCode(err) != 2 ||
			!strings.Contains(diag.Hint(err), "sh -c") {
			t.Errorf("%q: %v, hint %q", text, err, diag.Hint(err))
		}
	}
}

// TestParseArguments expects what ParseCommand returns, without the program, and accepts an empty
// text.
func TestParseArguments(t *testing.T) {
	for text, want := range map[string]Command{
		"":                      {},
		"PORT={port}":           {Env: []string{"PORT={port}"}},
		"GOGC=off -a {addr} b=": {Args: []string{"-a", "{addr}", "b="}, Env: []string{"GOGC=off"}},
	} {
		got, err := ParseArguments(text)
		if err != nil || !slices.Equal(got.Args, want.Args) || !slices.Equal(got.Env, want.Env) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	if _, err := ParseArguments("-a {addr} > log"); err == nil || diag.ExitCode(err) != 2 ||
		!strings.Contains(diag.Hint(err), "without pipes") {
		t.Errorf("%v, hint %q", err, diag.Hint(err))
	}
}

// TestCheck checks that Check rejects what Run would, before anything is started, and reserves no
// address.
func TestCheck(t *testing.T) {
	c := Command{Args: []string{"absent", "-addr", "{addr}"}}
	o := Options{Commands: [2]Command{c, c}, URLs: []string{"http://{addr}/"}}
	if err := o.Check(); err != nil {
		t.Error(err)
	}
	for url, want := range map[string]string{
		"http://{port}/": "not this machine's loopback",
		"{addr}":         "not an http or https address", "http://{addr2}/": "A does not get its address",
	} {
		o.URLs[0] = url
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), want) || diag.ExitCode(err) != 2 {
			t.Errorf("%s: %v", url, err)
		}
	}
	o.URLs[0], o.Load.Targets = "http://{addr}/", []load.Target{{URL: "https://example.com/"}}
	if err := o.Check(); err == nil || !strings.Contains(err.Error(), "a request is https, and --load http") {
		t.Error(err)
	}
}

// TestPlaces checks that each side has separate addresses, and that equal placeholders have equal
// addresses.
func TestPlaces(t *testing.T) {
	c := Command{Args: []string{"s", "-addr", "{addr}", "-port={port}", "-debug", "{addr2}"}, Env: []string{"PORT={port}"}}
	p, err := instances([2]Command{c, c}, []string{"http://{addr}/a?port={port2}"})
	if err != nil {
		t.Fatal(err)
	}
	release(p)
	seen := map[string]bool{}
	for _, p := range p {
		addr, debug := p.command.Args[2], p.command.Args[5]
		_, port, _ := strings.Cut(addr, ":")
		_, port2, _ := strings.Cut(debug, ":")
		if p.url.String() != "http://"+addr+"/a?port="+port2 || p.command.Args[3] != "-port="+port ||
			p.command.Env[0] != "PORT="+port {
			t.Errorf("%+v, %v", p.command, p.url)
		}
		seen[addr], seen[debug] = true, true
	}
	if len(seen) != 4 || c.Args[2] != "{addr}" {
		t.Errorf("addresses %v, command %v", seen, c)
	}
}

func TestDiffer(t *testing.T) {
	seen := func(failed, of int64) *Tally {
		return &Tally{Requests: of, Status: map[int]int64{500: failed, 200: of - failed}}
	}
	for _, tc := range []struct {
		a, b *Tally
		want bool
	}{
		{seen(0, 1000), seen(0, 1000), false},
		{seen(0, 1000), seen(1, 1000), false}, // one may be chance
		{seen(0, 1000), seen(20, 1000), true},
		{seen(20, 1000), seen(0, 1000), true},
		{seen(500, 1000), seen(520, 1000), false},
		{seen(1000, 1000), seen(10, 10), false},
		{seen(0, 1000), seen(10, 10), true},
		{seen(0, 0), seen(10, 10), false},
	} {
		if got := differ(tc.a, tc.b); got != tc.want {
			t.Errorf("%d of %d, %d of %d: %v", tc.a.Failed(), tc.a.Requests, tc.b.Failed(), tc.b.Requests, got)
		}
	}
}

func TestTooFew(t *testing.T) {
	for _, tc := range []struct {
		answers []float64
		want    string
	}{
		{nil, ""},
		{[]float64{5000, 2000, 10}, ""},
		{[]float64{500, 200, 300}, "p99 needs 1000"},
		{[]float64{50}, "p90 needs 100"},
		{[]float64{5}, "p50 needs 20"},
	} {
		d := tooFew(tc.answers)
		if (d == nil) != (tc.want == "") || d != nil && (!strings.Contains(d.Text, tc.want) || d.Kind != load.TooShort) {
			t.Errorf("%v: %+v", tc.answers, d)
		}
	}
}

func TestDifference(t *testing.T) {
	body := func(status int, text string) answer {
		a := answer{status: status, size: int64(len(text)), head: []byte(text[:min(len(text), maxKept)])}
		copy(a.sum[:], text[max(0, len(text)-len(a.sum)):])
		return a
	}
	long := strings.Repeat("x", maxKept)
	for _, tc := range []struct {
		a, b   answer
		bodies bool
		want   string
	}{
		{body(200, "abc"), body(200, "abc"), true, ""},
		{body(200, "abc"), body(200, "abd"), false, ""},
		{body(200, "abc"), body(200, "abd"), true, `bodies of 3B, from byte 2 on "c" in A, "d" in B`},
		{body(200, "abc"), body(200, "ab"), true, `body of 3B in A, 2B in B, from byte 2 on "c" in A, "" in B`},
		{body(200, "abc"), body(404, "abc"), false, "status 200 in A, status 404 in B"},
		{answer{err: errEmpty}, body(404, ""), true, "no answer (no program) in A, status 404 in B"},
		{answer{err: errEmpty}, answer{err: errEmpty}, true, ""},
		{body(200, long+"a"), body(200, long+"b"), true, "different after the first"},
	} {
		got := difference(tc.a, tc.b, tc.bodies)
		if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%q, want %q", got, tc.want)
		}
	}
}

func TestMedianCost(t *testing.T) {
	known := func(cpu time.Duration, objects int64) cost {
		return cost{requests: 4, cpu: cpu, cpuKnown: true, allocs: true, allocated: handlers.Allocated{Objects: objects}}
	}
	lost := cost{requests: 4, cpu: 5, cpuKnown: true}
	if got := medianCost([]cost{known(9, 1), lost, known(1, 7)}); got.cpu != 5 || got.allocated.Objects != 7 ||
		!got.allocs || got.requests != 4 {
		t.Errorf("%+v", got)
	}
	base := medianCost([]cost{lost})
	if base.allocs || known(8, 9).minus(base).allocs || known(8, 9).minus(base).cpu != 3 ||
		known(8, 9).minus(base).requests != 0 {
		t.Errorf("%+v", base)
	}
}

// TestAllocatedFails checks that Run gives up on a service that does not report its allocations,
// but only after several attempts.
func TestAllocatedFails(t *testing.T) {
	broken := false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if broken {
			http.Error(w, "not now", http.StatusInternalServerError)
			return
		}
		pprof.Index(w, r)
	}))
	defer s.Close()
	h, err := handlers.Find(t.Context(), []string{s.URL})
	if err != nil {
		t.Fatal(err)
	}
	one := &side{pprof: h}
	for _, broken = range []bool{false, true, false, true, false} {
		if a, ok := one.allocated(t.Context()); ok == broken || ok && a.Objects == 0 || one.pprof == nil {
			t.Errorf("broken %v: %v, %v", broken, a, ok)
		}
	}
	broken = true
	if _, ok := one.allocated(t.Context()); ok || one.pprof != nil || one.noAlloc == nil {
		t.Errorf("after the third failure: allocations known %v, handlers %v, %v", ok, one.pprof, one.noAlloc)
	}
	broken = false
	if _, ok := one.allocated(t.Context()); ok {
		t.Error("asked again")
	}
}

// TestAdjust checks that the requested unit is judged alone, and the others together.
func TestAdjust(t *testing.T) {
	unit := func(name string, p float64) ab.Unit { return ab.Unit{Unit: name, P: p, Q: p, Verdict: ab.Worse} }
	r := &Result{AB: &ab.Result{Unit: UnitCPU, Alpha: 0.05, Subjects: []ab.SubjectResult{{Units: []ab.Unit{
		unit(UnitCPU, 0.04), unit(UnitP50, 0.04), unit(UnitP90, 0.9), unit(UnitRate, 0.001),
	}}}}}
	r.adjust()
	for i, want := range []struct {
		q       float64
		verdict ab.Verdict
	}{{0.04, ab.Worse}, {0.06, ab.Undecided}, {0.9, ab.Undecided}, {0.003, ab.Worse}} {
		u := r.AB.Subjects[0].Units[i]
		if math.Abs(u.Q-want.q) > 1e-9 || u.Verdict != want.verdict {
			t.Errorf("%s: q %v, %s; want %+v", u.Unit, u.Q, u.Verdict, want)
		}
	}
}
