package ab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/whet-go/whet/bench"
)

// scripted returns the measurements of a function; a round takes its length on the fake clock.
type scripted struct {
	name string
	do   func(n int, r Round) (Values, error)

	mu     sync.Mutex
	rounds []Round
}

func (s *scripted) Name() string { return s.name }

func (s *scripted) Measure(ctx context.Context, r Round) (Measurement, error) {
	s.mu.Lock()
	s.rounds = append(s.rounds, r)
	n := len(s.rounds)
	s.mu.Unlock()
	select {
	case <-ctx.Done():
		return Measurement{}, ctx.Err()
	case <-time.After(r.Length):
	}
	v, err := s.do(n, r)
	return Measurement{Values: v, Inside: r.Length, CPU: r.Length}, err
}

// ops returns the sec/op of A and B, slightly disturbed.
func ops(a, b float64) func(int, Round) (Values, error) {
	return func(n int, r Round) (Values, error) {
		v := a
		if r.Side == B {
			v = b
		}
		return Values{"sec/op": v * (1 + 0.001*float64(n*7919%13)), "B/op": 0, "allocs/op": 3, "B/s": 1 / v}, nil
	}
}

func runIn(t *testing.T, o Options, subjects ...Subject) (r *Result, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { r, err = Run(t.Context(), subjects, o) })
	return r, err
}

func TestRun(t *testing.T) {
	faster, broken := &scripted{name: "Faster", do: ops(2e-6, 1e-6)}, &scripted{name: "Broken"}
	ofB, most := 0, 5
	if len(Processors()) > 0 {
		most += 2 * pinningRounds
	}
	broken.do = func(n int, r Round) (Values, error) {
		if r.Side == B {
			ofB++
		}
		if ofB > most {
			return nil, errors.New("panic: oh")
		}
		return ops(1, 1)(n, r)
	}
	other := &scripted{name: "Other", do: func(int, Round) (Values, error) { return Values{"widgets/op": 1}, nil }}
	var last Progress
	r, err := runIn(t, Options{Progress: func(p Progress) { last = p }}, faster, broken, other)
	if err != nil {
		t.Fatal(err)
	}
	f := r.Subjects[0]
	if f.Stopped != Precise || f.Error != "" || f.Pairs < LeastPairs {
		t.Errorf("%+v", f)
	}
	var units []string
	for _, u := range f.Units {
		units = append(units, u.Unit+" "+string(u.Verdict))
	}
	if got := strings.Join(units, ", "); got != "sec/op better, B/op same, B/s better, allocs/op same" {
		t.Error(got)
	}
	if u := f.Units[0]; math.Abs(float64(u.Ratio)-0.5) > 0.005 || u.Low > u.Ratio || u.High < u.Ratio ||
		len(u.Rounds[0]) != f.Pairs {
		t.Errorf("%+v", u)
	}
	if u := f.Units[1]; u.Ratio != 1 || u.P != 1 {
		t.Errorf("zero against zero: %+v", u)
	}
	if b := r.Subjects[1]; b.Stopped != Failed || b.Error != "B: panic: oh" || b.Pairs == 0 {
		t.Errorf("%+v", b)
	}
	if o := r.Subjects[2]; o.Stopped != Failed || o.Error != "does not measure sec/op" {
		t.Errorf("%+v", o)
	}
	if last.Done != 3 || last.Of != 3 {
		t.Errorf("last progress: %+v", last)
	}
	if r.Inside <= 0 || r.Inside > r.Elapsed || r.Plan.Length == 0 || len(r.Tried) == 0 {
		t.Errorf("inside %v of %v, plan %v, tried %v", r.Inside, r.Elapsed, r.Plan, r.Tried)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

// TestOrder checks that the order of the sides is random and determined by the seed, and that only
// A is measured before the comparison.
func TestOrder(t *testing.T) {
	order := func(seed uint64) string {
		s := &scripted{name: "X", do: ops(1, 1)}
		var out strings.Builder
		_, err := runIn(t, Options{
			Seed: seed, MaxTime: 10 * time.Second, Trial: time.Second, Precision: 1e-9,
			Plans: []Plan{{Length: 100 * time.Millisecond}},
		}, s)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range s.rounds {
			out.WriteString(r.Side.String())
		}
		return out.String()
	}
	got := order(1)
	trial := strings.Index(got, "B") / 2 * 2
	if trial < 8 || trial > 16 {
		t.Fatalf("trial of %d rounds in %s", trial, got)
	}
	ab, ba := 0, 0
	for i := trial; i+1 < len(got); i += 2 {
		switch got[i : i+2] {
		case "AB":
			ab++
		case "BA":
			ba++
		default:
			t.Fatalf("pair %s at %d of %s", got[i:i+2], i, got)
		}
	}
	if ab < 10 || ba < 10 {
		t.Errorf("%d AB, %d BA", ab, ba)
	}
	if order(1) != got || order(2) == got {
		t.Error("the order does not go by the seed")
	}
}

// TestChoose checks that the plan with the tightest expected interval for its time is chosen, and
// that a subject that uses several CPUs is not pinned.
func TestChoose(t *testing.T) {
	if len(Processors()) < 2 {
		t.Skip("needs two CPUs")
	}
	noisyUnless := func(good func(Round) bool) func(int, Round) (Values, error) {
		return func(n int, r Round) (Values, error) {
			v := 1 + 0.3*float64(n*7919%101)/101
			if good(r) {
				v = 1 + 0.01*float64(n*7919%101)/101
			}
			return Values{"sec/op": v}, nil
		}
	}
	for _, c := range []struct {
		name string
		good func(Round) bool
		want func(Plan) bool
	}{
		{"pinned", func(r Round) bool { return r.CPU != Anywhere && r.Fit }, func(p Plan) bool { return p.Pinned && p.Fit }},
		{"free", func(r Round) bool { return r.CPU == Anywhere }, func(p Plan) bool { return !p.Pinned }},
	} {
		s := &scripted{name: "X", do: noisyUnless(c.good)}
		r, err := runIn(t, Options{Trial: 20 * time.Second, Precision: 0.1}, s)
		if err != nil {
			t.Fatal(err)
		}
		if !c.want(r.Plan) || r.Plan.Pinned && len(r.Tried) != 3 {
			t.Errorf("%s: %v of %+v", c.name, r.Plan, r.Tried)
		}
	}
	s := &parallel{scripted{name: "X", do: noisyUnless(func(r Round) bool { return r.CPU != Anywhere })}}
	r, err := runIn(t, Options{Trial: 20 * time.Second, Precision: 0.1, MaxTime: 5 * time.Second}, s)
	if err != nil {
		t.Fatal(err)
	}
	if r.Plan.Pinned {
		t.Errorf("%v for a benchmark that uses two CPUs", r.Plan)
	}
}

// TestInstead checks that a much quieter unit decides, if it is about as large as the other one on
// a quiet machine.
func TestInstead(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, c := range []struct {
		name  string
		share float64 // of the CPU time
		want  string
	}{{"busy", 1, "cpu"}, {"waits", 0.5, "sec/op"}, {"several processors", 1.8, "sec/op"}} {
		s := &scripted{name: "X", do: func(n int, r Round) (Values, error) {
			disturbed := 1.0
			if n%3 != 0 {
				disturbed = 1.5 + float64(n*7919%101)/101
			}
			cpu := 1e-6 * c.share * (1 + 0.001*float64(n*7919%13))
			if r.Side == B {
				cpu *= 1.05
			}
			return Values{"sec/op": cpu / c.share * disturbed, "cpu": cpu}, nil
		}}
		o := Options{Instead: "cpu", Plans: []Plan{{Length: 50 * time.Millisecond}}, MaxTime: 20 * time.Second}
		var journal bytes.Buffer
		o.Journal = &journal
		r, err := runIn(t, o, s)
		if err != nil {
			t.Fatal(err)
		}
		if r.Unit != c.want || r.Subjects[0].Units[0].Unit != c.want || len(r.Warnings) != 0 {
			t.Errorf("%s: by %s, %v", c.name, r.Unit, r.Warnings)
		}
		if c.want == "cpu" && r.Subjects[0].Units[0].Verdict != Worse {
			t.Errorf("%+v", r.Subjects[0].Units[0])
		}
		if o.Resume, err = ReadJournal(&journal); err != nil {
			t.Fatal(err)
		}
		if again, err := runIn(t, o, s); err != nil || again.Unit != c.want {
			t.Errorf("going on: %+v, %v", again, err)
		}
	}
	// A subject that does not measure the unit is decided by its time, among others that are
	// decided by the unit.
	disturbed := func(unit string) func(int, Round) (Values, error) {
		return func(n int, _ Round) (Values, error) {
			cpu := 1e-6 * (1 + 0.001*float64(n*7919%13))
			v := Values{"sec/op": cpu * (1 + 0.3*float64(n%3)), unit: cpu}
			if unit == "" {
				v = Values{"sec/op": cpu}
			}
			return v, nil
		}
	}
	mixed := []Subject{
		&scripted{name: "cpu", do: disturbed("cpu")}, &scripted{name: "time", do: disturbed("")}, &scripted{
			name: "more", do: disturbed("cpu"),
		},
	}
	r, err := runIn(t, Options{Instead: "cpu", Plans: []Plan{{Length: 50 * time.Millisecond}}, MaxTime: 20 * time.Second},
		mixed...)
	if err != nil || r.Unit != "cpu" {
		t.Fatalf("%+v, %v", r, err)
	}
	for i, want := range []string{"cpu", "sec/op", "cpu"} {
		if c := r.Subjects[i]; c.Error != "" || c.Units[0].Unit != want || c.Units[0].Verdict != Same {
			t.Errorf("%s: %+v", c.Name, c)
		}
	}
	// A neighbor that makes either side wait is not a reason for a warning.
	random := rand.New(rand.NewPCG(41, 42))
	waits := &scripted{name: "X", do: func(int, Round) (Values, error) {
		return Values{"sec/op": 1e-6 * (1 + max(0, 3*random.Float64()-0.4)), "cpu": 1e-6 * (1 + 0.001*random.Float64())}, nil
	}}
	byCPU := 0
	for seed := range uint64(20) {
		r, err := runIn(t, Options{
			Instead: "cpu", Seed: seed, Precision: 1e-9, MaxTime: time.Second, Trial: 10 * time.Second,
			Plans: []Plan{{Length: 50 * time.Millisecond}},
		}, waits)
		if err != nil || len(r.Warnings) > 0 {
			t.Errorf("seed %d: %v, %v", seed, r.Warnings, err)
		}
		if r.Unit == "cpu" {
			byCPU++
		}
	}
	if byCPU < 12 {
		t.Errorf("the CPU time decides %d times of 20", byCPU)
	}
	// B sleeps half of its time.
	s := &scripted{name: "X", do: func(n int, r Round) (Values, error) {
		cpu := 1e-6 * (1 + 0.001*float64(n*7919%13))
		v := Values{"sec/op": cpu * (1 + float64(n*7919%101)/101), "cpu": cpu}
		if n%4 < 2 {
			v["sec/op"] = cpu
		}
		if r.Side == B {
			v["sec/op"] *= 2
		}
		return v, nil
	}}
	r, err = runIn(t, Options{Instead: "cpu", Plans: []Plan{{Length: 50 * time.Millisecond}}}, s)
	if err != nil || r.Unit != "cpu" || len(r.Warnings) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// parallel uses two CPUs.
type parallel struct{ scripted }

func (p *parallel) Measure(ctx context.Context, r Round) (Measurement, error) {
	m, err := p.scripted.Measure(ctx, r)
	if r.CPU == Anywhere {
		m.CPU *= 2
	}
	return m, err
}

// TestFree checks that subjects that use several CPUs, or take a different time on one, are not
// pinned along with the others, and are decided by their time. If pinning was requested, there is a
// warning.
func TestFree(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	if len(Processors()) == 0 {
		t.Skip("nothing can be pinned here")
	}
	quietPinned := func(free, pinned float64) func(int, Round) (Values, error) {
		return func(n int, r Round) (Values, error) {
			v := pinned * (1 + 0.001*float64(n*7919%101)/101)
			if r.CPU == Anywhere {
				v = free * (1 + 0.08*float64(n*7919%101)/101)
			}
			return Values{"sec/op": v, "cpu": v}, nil
		}
	}
	subjects := func() []Subject {
		return []Subject{
			&scripted{name: "plain", do: quietPinned(1, 1)},
			&parallel{scripted{name: "goroutines", do: quietPinned(1, 1.05)}},
			&scripted{name: "faster alone", do: quietPinned(0.5, 1)},
			&scripted{name: "blocks alone", do: quietPinned(2, 1)},
		}
	}
	var journal bytes.Buffer
	o := Options{Instead: "cpu", Journal: &journal, Precision: 0.005, MaxTime: 20 * time.Second}
	r, err := runIn(t, o, subjects()...)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Plan.Pinned {
		t.Fatalf("%v", r.Plan)
	}
	for i, c := range r.Subjects {
		if c.Unpinned != (i > 0) || c.Units[0].Unit != "sec/op" && c.Unpinned {
			t.Errorf("%s: free %v, by %s", c.Name, c.Unpinned, c.Units[0].Unit)
		}
		if at := float64(c.Units[0].A.Median); i == 2 && at > 0.6 {
			t.Errorf("%s takes %v", c.Name, at)
		}
	}
	if len(r.Warnings) > 0 {
		t.Errorf("%v", r.Warnings)
	}
	if o.Resume, err = ReadJournal(&journal); err != nil {
		t.Fatal(err)
	}
	if r, err = runIn(t, o, subjects()...); err != nil || r.Subjects[0].Unpinned || !r.Subjects[2].Unpinned {
		t.Errorf("going on: %+v, %v", r, err)
	}
	r, err = runIn(t, Options{
		Plans: []Plan{{Length: 50 * time.Millisecond, Pinned: true}}, Precision: 1e-9,
		MaxTime: 10 * time.Second,
	}, subjects()...)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.Warnings.Texts(), "\n"); r.Subjects[2].Unpinned || strings.Contains(got, "plain:") ||
		!strings.Contains(got, "faster alone: on one CPU A takes 1 sec/op, but 0.5") ||
		!strings.Contains(got, "blocks alone:") {
		t.Errorf("%s", got)
	}
}

// TestTogether checks that both sides run at once, each on both CPUs in turn.
func TestTogether(t *testing.T) {
	cpus := Processors()
	if len(cpus) < 2 {
		t.Skip("needs two CPUs")
	}
	s := &scripted{name: "X", do: func(_ int, r Round) (Values, error) {
		v := 1.0
		if r.CPU == cpus[1] {
			v = 4 // the second CPU is slow
		}
		if r.Side == B {
			v *= 1.5
		}
		return Values{"sec/op": v, "zero/op": 0}, nil
	}}
	plan := Plan{Length: 50 * time.Millisecond, Pinned: true, Together: true}
	r, err := runIn(t, Options{Plans: []Plan{plan}}, s)
	if err != nil {
		t.Fatal(err)
	}
	u := r.Subjects[0].Units[0]
	if math.Abs(float64(u.Ratio)-1.5) > 1e-9 || math.Abs(u.Rounds[0][0]-2) > 1e-9 {
		t.Errorf("%+v", u)
	}
	if r.Inside != r.Elapsed {
		t.Errorf("%v inside of %v", r.Inside, r.Elapsed)
	}
	s.do = func(_ int, r Round) (Values, error) {
		if r.Side == B {
			return nil, errors.New("broken")
		}
		return Values{"sec/op": 1}, nil
	}
	if r, err = runIn(t, Options{Plans: []Plan{plan}}, s); err != nil || r.Subjects[0].Error != "B: broken" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestShared checks that both sides run at once on one CPU, another one for the next pair, and that the unit which
// does not depend on that decides.
func TestShared(t *testing.T) {
	if len(Processors()) == 0 {
		t.Skip("needs a CPU to pin to")
	}
	var mu sync.Mutex
	running, most := map[int]int{}, 0
	s := &scripted{name: "X", do: func(_ int, r Round) (Values, error) {
		mu.Lock()
		running[r.CPU]++
		most = max(most, running[r.CPU])
		mu.Unlock()
		time.Sleep(time.Millisecond)
		mu.Lock()
		defer mu.Unlock()
		running[r.CPU]--
		if !r.Shared || r.CPU == Anywhere {
			return nil, fmt.Errorf("round %+v", r)
		}
		return Values{"cpu": 2 + float64(r.Side), "zero/op": 0}, nil
	}}
	r, err := runIn(t, Options{Plans: []Plan{SharedPlan()}, Instead: "cpu"}, s)
	if err != nil {
		t.Fatal(err)
	}
	if most != 2 || len(running) != len(Processors()) {
		t.Errorf("at most %d rounds at once on one of %d CPUs", most, len(running))
	}
	u := r.Subjects[0].Units[0]
	if u.Unit != "cpu" || math.Abs(float64(u.Ratio)-1.5) > 1e-9 || r.Subjects[0].Unpinned || 2*r.Inside < r.Elapsed {
		t.Errorf("%+v, inside %v of %v", r, r.Inside, r.Elapsed)
	}
}

func TestInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 7*time.Second)
		defer cancel()
		s := &scripted{name: "X", do: ops(1, 1)}
		r, err := Run(ctx, []Subject{s}, Options{Precision: 1e-9})
		if err != nil || !r.Interrupted || r.Subjects[0].Stopped != Interrupted || r.Subjects[0].Pairs == 0 {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// TestFailsAtOnce checks that a subject that fails while plans are tried is in the result.
func TestFailsAtOnce(t *testing.T) {
	s := &scripted{name: "X", do: func(int, Round) (Values, error) { return nil, errors.New("dead") }}
	good := &scripted{name: "Y", do: ops(1, 1)}
	r, err := runIn(t, Options{}, s, good)
	if err != nil || !strings.Contains(r.Subjects[0].Error, "dead") || r.Subjects[1].Stopped != Precise {
		t.Errorf("%+v, %v", r, err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 250*time.Millisecond)
		defer cancel()
		r, err := Run(ctx, []Subject{good}, Options{})
		if err != nil || !r.Interrupted || r.Subjects[0].Pairs != 0 {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// TestContinue checks that a run that continues from the journal of a killed one returns what both
// measured.
func TestContinue(t *testing.T) {
	var journal bytes.Buffer
	o := Options{
		Identity: "v1", Journal: &journal, MaxTime: 20 * time.Second, Precision: 1e-9,
		Plans: []Plan{{Length: 100 * time.Millisecond}},
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 9*time.Second)
		defer cancel()
		if _, err := Run(ctx, []Subject{&scripted{name: "X", do: ops(1, 1)}, &scripted{name: "gone", do: ops(1, 1)}},
			o); err != nil {
			t.Fatal(err)
		}
	})
	whole := journal.Len()
	journal.WriteString(`{"subject":"X","a":{"sec/`) // the rest was not written
	j, err := ReadJournal(bytes.NewReader(journal.Bytes()))
	if err != nil || j.pairs() < 20 || j.Size != int64(whole) {
		t.Fatalf("%+v, %v; %d bytes", j, err, whole)
	}
	journal.Truncate(int(j.Size))
	o.Resume = j
	s := &scripted{name: "X", do: ops(1, 1)}
	r, err := runIn(t, o, s)
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Subjects[0].Pairs; n != 100 || len(r.Tried) != 0 {
		t.Errorf("%d pairs: %d from the journal, %d rounds; tried %v", n, j.pairs(), len(s.rounds), r.Tried)
	}
	again, err := ReadJournal(bytes.NewReader(journal.Bytes()))
	if err != nil || again.pairs() != j.pairs()+len(s.rounds)/2 {
		t.Errorf("%+v, %v", again, err)
	}

	for text, change := range map[string]func(*Options){
		"belongs to other builds": func(o *Options) { o.Identity = "v2" },
		"measures sec/op":         func(o *Options) { o.Unit = "B/op" },
	} {
		o := o
		change(&o)
		_, err := runIn(t, o, s)
		var je *JournalError
		if !errors.As(err, &je) || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, want %s", err, text)
		}
	}
}

func TestOptions(t *testing.T) {
	s := &scripted{name: "X", do: ops(1, 1)}
	for _, o := range []Options{
		{Precision: -1},
		{Precision: math.NaN()},
		{Confidence: 1},
		{Alpha: 2},
		{MaxTime: -1},
		{Plans: []Plan{{}}},
		{Plans: []Plan{{Length: 1, Together: true}}},
		{Plans: []Plan{{Length: 1, Shared: true}}},
		{Plans: []Plan{{Length: 1, Pinned: true, Shared: true, Fit: true}}},
	} {
		if _, err := Run(t.Context(), []Subject{s}, o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
	if _, err := Run(t.Context(), nil, Options{}); !errors.Is(err, ErrNoSubjects) {
		t.Error(err)
	}
	wrong := errors.New("disk full")
	if _, err := Run(t.Context(), []Subject{s}, Options{Trial: 1, Journal: failing{wrong}}); !errors.Is(err, wrong) {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func FuzzReadJournal(f *testing.F) {
	f.Add([]byte(`{"schema":"whet.bench-journal/1","identity":"x","unit":"sec/op","plan":{"length_ns":5}}` + "\n" +
		`{"subject":"X","a":{"sec/op":1},"b":{"sec/op":2},"elapsed_ns":7}` + "\n{"))
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		j, err := ReadJournal(bytes.NewReader(data))
		if err != nil {
			return
		}
		if j.Size > int64(len(data)) {
			t.Fatalf("%d whole of %d bytes", j.Size, len(data))
		}
		again, err := ReadJournal(bytes.NewReader(data[:j.Size]))
		if err != nil || !reflect.DeepEqual(again, j) {
			t.Fatalf("what is whole reads as %+v, %v, not %+v", again, err, j)
		}
		// Whatever the journal contains, continuing from it must not panic.
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s := &scripted{name: "X", do: ops(1, 1)}
		if _, err := Run(ctx, []Subject{s}, Options{Identity: j.Identity, Unit: j.Unit, Resume: j}); err != nil &&
			fmt.Sprint(err) == "" {
			t.Fatal("an error without text")
		}
	})
}

func TestThisMachine(t *testing.T) {
	m := ThisMachine()
	if m.Processors < 1 || m.GOOS == "" || m.Go == "" {
		t.Errorf("%+v", m)
	}
	if got := cpuModel([]byte("processor\t: 0\nmodel name\t: Some CPU @ 2.4GHz\n")); got != "Some CPU @ 2.4GHz" {
		t.Errorf("%q", got)
	}
}

func TestBetterOf(t *testing.T) {
	for unit, want := range map[string]string{
		"sec/op": bench.Lower, "B/op": bench.Lower, "B/s": bench.Higher,
		"req/s": bench.Higher, "p99-sec": bench.Lower,
	} {
		if got := betterOf(unit); got != want {
			t.Errorf("%s: %s", unit, got)
		}
	}
}

// TestOfEffect checks that a large difference needs no narrow interval, and that a small one does.
func TestOfEffect(t *testing.T) {
	noisy := func(b float64) func(int, Round) (Values, error) {
		rnd := rand.New(rand.NewPCG(1, 2))
		return func(_ int, r Round) (Values, error) {
			v := 1.0
			if r.Side == B {
				v = b
			}
			return Values{"sec/op": v * (1 + 0.1*rnd.Float64())}, nil
		}
	}
	run := func(b, ofEffect float64) (*SubjectResult, *Unit) {
		r, err := runIn(t, Options{
			Precision: 0.005, OfEffect: ofEffect, MaxTime: time.Hour, Plans: []Plan{{Length: time.Second}},
		}, &scripted{name: "noisy", do: noisy(b)})
		if err != nil {
			t.Fatal(err)
		}
		return &r.Subjects[0], &r.Subjects[0].Units[0]
	}
	precise, _ := run(0.5, 0)
	large, u := run(0.5, 0.25)
	if large.Pairs >= precise.Pairs/4 || large.Stopped != Precise || u.Verdict != Better ||
		u.Low < 0.4 || u.High > 0.6 {
		t.Errorf("%d pairs of %d, %s: %s, %v to %v", large.Pairs, precise.Pairs, large.Stopped, u.Verdict, u.Low, u.High)
	}
	precise, _ = run(1, 0)
	if same, _ := run(1, 0.25); same.Pairs != precise.Pairs {
		t.Errorf("without a difference: %d pairs, want %d", same.Pairs, precise.Pairs)
	}
	if _, err := Run(t.Context(), []Subject{&scripted{}}, Options{OfEffect: 1}); err == nil {
		t.Error("a share of 1 is accepted")
	}
}

// TestTotal checks that subjects share the total time, and that a run of many measures some of them.
func TestTotal(t *testing.T) {
	var list []Subject
	for i := range 30 {
		list = append(list, &scripted{name: fmt.Sprintf("s%02d", i), do: func(n int, _ Round) (Values, error) {
			return Values{"sec/op": 1 + 0.2*float64(n*7919%13)}, nil // too noisy to be done early
		}})
	}
	o := Options{
		MaxTime: time.Minute, Total: 10 * time.Second, Plans: []Plan{{Length: 20 * time.Millisecond}}, Trial: time.Nanosecond,
	}
	r, err := runIn(t, o, list...)
	if err != nil {
		t.Fatal(err)
	}
	var sum time.Duration
	var names []string
	for _, s := range r.Subjects {
		sum += s.Elapsed
		names = append(names, s.Name)
		if s.Stopped != TimeUp || s.Pairs < LeastPairs {
			t.Errorf("%s: stopped as %q after %d pairs", s.Name, s.Stopped, s.Pairs)
		}
	}
	if want := "s00 s03 s06 s09 s12 s15 s18 s21 s24 s27"; strings.Join(names, " ") != want {
		t.Errorf("measured %v, want %s", names, want)
	}
	if sum < o.Total || sum > o.Total+time.Second {
		t.Errorf("measured for %v, want %v", sum, o.Total)
	}
	if !slices.Contains(r.Warnings.Texts(), "20 of 30 benchmarks were not measured, for lack of time") {
		t.Errorf("warnings: %v", r.Warnings)
	}
}

// TestTooLittleTime checks that subjects are left out if all of them would have too few pairs.
func TestTooLittleTime(t *testing.T) {
	var list []Subject
	for i := range 30 {
		rnd := rand.New(rand.NewPCG(uint64(i), 2))
		list = append(list, &scripted{name: fmt.Sprint(i), do: func(int, Round) (Values, error) {
			return Values{"sec/op": 1 + rnd.Float64()}, nil
		}})
	}
	r, err := runIn(t, Options{
		MaxTime: time.Minute, Total: 20 * time.Second, Plans: []Plan{{Length: 200 * time.Millisecond}},
		Trial: time.Nanosecond,
	}, list...)
	if err != nil {
		t.Fatal(err)
	}
	const warning = "27 of 30 benchmarks were not measured, for lack of time"
	if len(r.Subjects) != 3 || !slices.Contains(r.Warnings.Texts(), warning) {
		t.Errorf("%d subjects, warnings: %v", len(r.Subjects), r.Warnings)
	}
	for _, s := range r.Subjects {
		if s.Pairs < 2*LeastPairs {
			t.Errorf("%s: %d pairs", s.Name, s.Pairs)
		}
	}
}

// TestOvertime checks that what a longer measurement decides is measured longer, and nothing else is.
func TestOvertime(t *testing.T) {
	often := 0.0 // how often something disturbs
	of := func(noise float64) Subject {
		rnd := rand.New(rand.NewPCG(1, 2))
		return &scripted{name: fmt.Sprint(noise), do: func(int, Round) (Values, error) {
			v := 1 + noise*rnd.Float64()
			if rnd.Float64() < often {
				v *= 1.5
			}
			return Values{"sec/op": v}, nil
		}}
	}
	o := Options{
		MaxTime: 10 * time.Second, Overtime: 30 * time.Second, Precision: 0.001, Enough: 0.02,
		Plans: []Plan{{Length: 100 * time.Millisecond}}, Trial: time.Nanosecond,
	}
	for _, c := range []struct {
		noise, often float64
		from, to     time.Duration
	}{
		{0.05, 0, 10 * time.Second, 11 * time.Second}, // it is narrow enough
		{0.05, 0.25, 11 * time.Second, 40 * time.Second},
		{0.15, 0, 11 * time.Second, 40 * time.Second},
		{3, 0, 10 * time.Second, 11 * time.Second}, // overtime would not do
	} {
		often = c.often
		r, err := runIn(t, o, of(c.noise))
		if err != nil {
			t.Fatal(err)
		}
		s := &r.Subjects[0]
		if s.Elapsed < c.from || s.Elapsed > c.to || s.Stopped != TimeUp {
			t.Errorf("noise of %v: %v, half width %v, stopped as %q, want %v to %v", c.noise, s.Elapsed,
				(s.Units[0].High-s.Units[0].Low)/2, s.Stopped, c.from, c.to)
		}
		if width := (s.Units[0].High - s.Units[0].Low) / 2; c.noise == 0.15 && width > 0.022 {
			t.Errorf("noise of %v: the half width is %v", c.noise, width)
		}
	}
	if _, err := Run(t.Context(), []Subject{of(1)}, Options{Overtime: -1}); err == nil {
		t.Error("a negative overtime is accepted")
	}
}
