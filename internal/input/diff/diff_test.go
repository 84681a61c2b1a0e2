package diff

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/internal/input/listing"
	"github.com/whet-go/whet/internal/profile/oracletest"
	"github.com/whet-go/whet/profile"
)

func ownMain(f profile.Function) bool { return strings.HasPrefix(f.Name, "main.") }

func diffSide(t *testing.T, name string, p *profile.Profile, by profile.By) Input {
	t.Helper()
	return Input{Name: name, View: oracletest.Bind(t, p, profile.Query{By: by}), Own: ownMain}
}

// entryOf returns the entry of a function, or of its line when line is not 0.
func entryOf(t *testing.T, entries []Entry, name string, line int) Entry {
	t.Helper()
	i := slices.IndexFunc(entries, func(e Entry) bool { return e.Name == name && e.Line == line })
	if i < 0 {
		t.Fatalf("no entry %s:%d in %+v", name, line, entries)
	}
	return entries[i]
}

// ticks is a CPU profile of n samples of 10 ns each of each stack.
func ticks(t *testing.T, stacks map[string]int64) *profile.Profile {
	t.Helper()
	var samples []oracletest.Sample
	for stack, n := range stacks {
		samples = append(samples, oracletest.Sample{Stack: stack, Values: []int64{n, 10 * n}})
	}
	slices.SortFunc(samples, func(a, b oracletest.Sample) int { return strings.Compare(a.Stack, b.Stack) })
	return oracletest.Profile(t, "samples/count cpu/nanoseconds", samples...)
}

func TestDiffClassic(t *testing.T) {
	a := ticks(t, map[string]int64{
		"main.main lib.f": 100, "main.main lib.g": 400, "main.main lib.old": 50,
		"main.main main.main lib.f": 100,
	})
	b := ticks(t, map[string]int64{"main.main lib.f": 300, "main.main lib.g": 410, "main.main lib.new": 3})
	r, err := New(diffSide(t, "a", a, profile.ByFunction), diffSide(t, "b", b, profile.ByFunction), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Own != nil || r.Rest != nil {
		t.Error("own-code view without being asked")
	}
	type want struct {
		before, after, noise int64
		status               string
		within               bool
	}
	for name, w := range map[string]want{
		"lib.f":     {2000, 3000, 447, "", false},     // 2·10·√(200+300)
		"lib.g":     {4000, 4100, 569, "", true},      // 2·10·√(400+410)
		"lib.old":   {500, 0, 141, "vanished", false}, // 2·10·√50
		"lib.new":   {0, 30, 35, "appeared", true},    // 2·10·√3, and too few
		"main.main": {0, 0, 0, "", true},
	} {
		e := entryOf(t, r.Entries, name, 0)
		got := want{e.Flat.Before, e.Flat.After, e.Flat.Noise, e.Status, e.Flat.WithinNoise}
		if got != w {
			t.Errorf("%s: got %+v, want %+v", name, got, w)
		}
		if e.Own != ownMain(profile.Function{Name: name}) {
			t.Errorf("%s: own is %v", name, e.Own)
		}
	}
	if got := r.Entries[0].Name; got != "lib.f" {
		t.Errorf("largest change is %s", got)
	}
	if m := entryOf(t, r.Entries, "main.main", 0); m.Cum.Before != 6500 || m.Cum.After != 7130 {
		t.Errorf("recursion: cum %d and %d", m.Cum.Before, m.Cum.After)
	}
	if r.Before.Total != 6500 || r.Before.Events != 650 || r.After.Noise != 534 { // 2·10·√713
		t.Errorf("sides %+v, %+v", r.Before, r.After)
	}
}

// Changes are those of go tool pprof -diff_base.
func testDiffOracle(t *testing.T, file string) {
	ref := oracletest.DecodePprof(t, file)
	kept := ref.Sample[:0]
	for i, s := range ref.Sample {
		if i%3 != 0 {
			kept = append(kept, s)
		}
	}
	ref.Sample = kept
	other := filepath.Join(t.TempDir(), "b.pb.gz")
	f, err := os.Create(other)
	if err != nil {
		t.Fatal(err)
	}
	if err := ref.Write(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var side [2]Input
	for i, name := range []string{file, other} {
		p, err := profile.ReadFile(name, profile.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		side[i] = Input{Name: name, View: oracletest.Bind(t, p, profile.Query{})}
	}
	d, err := New(side[0], side[1], Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string][2]int64)
	for _, e := range d.Entries {
		if e.Flat.Change != 0 || e.Cum.Change != 0 {
			got[e.Name] = [2]int64{e.Flat.Change, e.Cum.Change}
		}
	}
	want := make(map[string][2]int64)
	text := oracletest.RunPprof(t, "-top", "-nodecount=0", "-nodefraction=0",
		"-unit="+oracletest.SmallestUnit(t, side[0].View), "-diff_base="+file, other)
	_, rows, _ := strings.Cut(text, "cum%\n")
	for row := range strings.Lines(rows) {
		f := strings.Fields(row)
		name := strings.Join(f[5:], " ")
		name = strings.TrimSuffix(strings.TrimSuffix(name, " (inline)"), " (partial-inline)")
		want[name] = [2]int64{oracletest.PprofValue(t, f[0]), oracletest.PprofValue(t, f[3])}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-go tool pprof +whet)\n%s", oracletest.ClipText(diff))
	}
	if len(got) == 0 {
		t.Error("no changes")
	}
}

func TestDiffOwn(t *testing.T) {
	a := ticks(t, map[string]int64{
		"rt.start main.main:3 main.f:5 lib.g:9": 200, "rt.start main.main:3 main.f:5": 20,
		"rt.gc lib.g:9": 100,
	})
	b := ticks(t, map[string]int64{
		"rt.start main.main:3 main.f:5 lib.g:9": 50, "rt.start main.main:3": 20,
		"rt.gc lib.g:9": 90,
	})
	r, err := New(diffSide(t, "a", a, profile.ByLine), diffSide(t, "b", b, profile.ByLine),
		Options{By: profile.ByLine, Own: true})
	if err != nil {
		t.Fatal(err)
	}
	f := entryOf(t, r.Own, "main.f", 5)
	if f.Cum.Before != 2200 || f.Cum.After != 500 || f.Flat.Before != 200 || f.Cum.WithinNoise {
		t.Errorf("main.f: %+v", f)
	}
	if m := entryOf(t, r.Own, "main.main", 3); m.Status != "appeared" || m.Cum.After != 200 {
		t.Errorf("main.main: %+v", m)
	}
	if g := entryOf(t, r.Rest, "rt.gc", 1); g.Cum.Before != 1000 || !g.Cum.WithinNoise {
		t.Errorf("rt.gc: %+v", g)
	}
	var sum int64
	for _, e := range append(slices.Clone(r.Own), r.Rest...) {
		sum += e.Cum.After
	}
	if sum != r.After.Total {
		t.Errorf("entries add up to %d, the total is %d", sum, r.After.Total)
	}
}

// TestDiffOwnEqualsTop checks that the entries of own code are the rows of whet top: instantiations and
// closures at one line are one, and what interrupts a line counts as its own.
func TestDiffOwnEqualsTop(t *testing.T) {
	p := ticks(t, map[string]int64{
		"rt.start main.main:3 main.Map[go.shape.int]:5 lib.g:9":               20,
		"rt.start main.main:3 main.Map[go.shape.string]:5":                    7,
		"rt.start main.main:3 main.Map[go.shape.string].func1:5":              4,
		"rt.start main.main:3 main.Map[go.shape.string]:6":                    5,
		"rt.start main.loop:8 runtime.asyncPreempt:1 runtime.asyncPreempt2:2": 11,
		"rt.start main.loop:8 lib.g:9 runtime.asyncPreempt:1":                 3,
		"rt.gc lib.g:9": 9,
	})
	for _, by := range []profile.By{profile.ByLine, profile.ByFunction} {
		side := diffSide(t, "a", p, by)
		r, err := New(side, side, Options{By: by, Own: true})
		if err != nil {
			t.Fatal(err)
		}
		got, want := map[string][2]int64{}, map[string][2]int64{}
		for _, e := range r.Own {
			key := fmt.Sprintf("%s:%d", e.Name, e.Line)
			if _, twice := got[key]; twice {
				t.Errorf("by %s: two entries %s", by, key)
			}
			got[key] = [2]int64{e.Cum.After, e.Flat.After}
		}
		for _, l := range side.View.Own(ownMain).Lines {
			key := fmt.Sprintf("%s:%d", l.Function, l.Line)
			if by == profile.ByFunction {
				key = l.Function + ":0"
			}
			sum := want[key]
			want[key] = [2]int64{sum[0] + l.Cost, sum[1] + l.Self}
		}
		if by == profile.ByFunction { // top has lines; this closure's is that of its function
			got["main.Map[...]:0"] = [2]int64{
				got["main.Map[...]:0"][0] + got["main.Map[...].func1:0"][0],
				got["main.Map[...]:0"][1] + got["main.Map[...].func1:0"][1],
			}
			delete(got, "main.Map[...].func1:0")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("by %s, -top +diff:\n%s", by, diff)
		}
	}
}

func TestDiffNormalize(t *testing.T) {
	a := ticks(t, map[string]int64{"main.f": 300, "main.g": 700})
	b := ticks(t, map[string]int64{"main.f": 3000, "main.g": 7000})
	r, err := New(diffSide(t, "a", a, profile.ByFunction), diffSide(t, "b", b, profile.ByFunction),
		Options{Normalize: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Scale != 10 || !r.Normalized {
		t.Errorf("scale %v", r.Scale)
	}
	for _, e := range r.Entries {
		if e.Flat.Change != 0 || !e.Flat.WithinNoise {
			t.Errorf("%s changed: %+v", e.Name, e.Flat)
		}
	}
	// Var = (10·10)²·300 + 10²·3000
	if f := entryOf(t, r.Entries, "main.f", 0); f.Flat.Noise != int64(math.Round(2*math.Sqrt(1e4*300+1e2*3000))) {
		t.Errorf("noise %d", f.Flat.Noise)
	}
}

func TestDiffFollowsLines(t *testing.T) {
	a := ticks(t, map[string]int64{"main.f:2": 500, "main.f:3": 300})
	b := ticks(t, map[string]int64{"main.f:4": 500, "main.f:5": 100})
	text := func(lines ...string) listing.SourceFunc {
		return func(string) ([]string, string, error) { return lines, "here", nil }
	}
	before, after := diffSide(t, "a", a, profile.ByLine), diffSide(t, "b", b, profile.ByLine)
	before.Source = text("func f() {", "hot()", "slow()", "}")
	after.Source = text("// f does.", "// It is new.", "func f() {", "hot()", "fast()", "}")
	r, err := New(before, after, Options{By: profile.ByLine})
	if err != nil {
		t.Fatal(err)
	}
	if hot := entryOf(t, r.Entries, "main.f", 4); hot.Before != 2 || hot.Flat.Change != 0 || hot.Status != "" {
		t.Errorf("moved line: %+v", hot)
	}
	if slow := entryOf(t, r.Entries, "main.f", 5); slow.Before != 3 || slow.Flat.Change != -2000 {
		t.Errorf("edited line: %+v", slow)
	}
	if len(r.Entries) != 2 {
		t.Errorf("%d entries", len(r.Entries))
	}
}

func TestWarnings(t *testing.T) {
	many, few, one := map[string]int64{"main.f": 5000}, map[string]int64{"main.f": 200}, map[string]int64{"main.f": 10}
	for _, c := range []struct {
		name   string
		a, b   map[string]int64
		da, db time.Duration
		norm   bool
		want   string
	}{
		{name: "enough", a: many, b: many, da: time.Second, db: time.Second},
		{
			name: "few", a: many, b: few,
			want: "few samples (5000 clock ticks before, 200 after): changes of the total below 14% are noise",
		},
		{name: "hardly any", a: one, b: many, want: "too few samples (10 clock ticks before, 5000 after)"},
		{name: "durations", a: many, b: many, da: time.Second, db: 2 * time.Second, want: "A covers 1s and B 2s"},
		{name: "durations, normalized", a: many, b: many, da: time.Second, db: 2 * time.Second, norm: true},
		{name: "nothing", a: map[string]int64{"main.f": 0}, b: many, want: "A has no samples"},
	} {
		a, b := diffSide(t, "a", ticks(t, c.a), profile.ByFunction), diffSide(t, "b", ticks(t, c.b), profile.ByFunction)
		a.Duration, b.Duration = c.da, c.db
		r, err := New(a, b, Options{Normalize: c.norm})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, w := range r.Warnings {
			got += w.Text
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestDiffRefusesOtherTypes(t *testing.T) {
	a := oracletest.Profile(t, "cpu/nanoseconds", oracletest.Sample{Stack: "main.f", Values: []int64{1}})
	b := oracletest.Profile(t, "alloc_space/bytes", oracletest.Sample{Stack: "main.f", Values: []int64{1}})
	_, err := New(diffSide(t, "x", a, profile.ByFunction), diffSide(t, "y", b, profile.ByFunction), Options{})
	if err == nil || err.Error() != "compare profiles: x has cpu (nanoseconds), y has alloc_space (bytes)" {
		t.Errorf("got %v", err)
	}
}

// Two profiles of the same program differ by more than the noise in about one entry out of twenty,
// as the formula predicts.
func TestDiffNoiseIsHonest(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	rates := []float64{8, 20, 60, 200, 1000}
	sample := func() *profile.Profile {
		stacks := make(map[string]int64)
		for i := range 400 {
			stacks[fmt.Sprintf("main.f%d", i)] = poisson(r, rates[i%len(rates)])
		}
		return ticks(t, stacks)
	}
	outside, all := 0, 0
	for range 5 {
		d, err := New(diffSide(t, "a", sample(), profile.ByFunction), diffSide(t, "b", sample(), profile.ByFunction),
			Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range d.Entries {
			all++
			if !e.Flat.WithinNoise {
				outside++
			}
		}
	}
	if share := float64(outside) / float64(all); share < 0.02 || share > 0.07 {
		t.Errorf("%.1f%% of %d unchanged entries are called changed, want about 4.6%%", 100*share, all)
	}
}

// The heap model derives how many allocations the runtime saw from the scaled numbers that it
// writes.
func TestHeapNoiseUndoesScaling(t *testing.T) {
	const rate = 512 << 10
	r := rand.New(rand.NewPCG(3, 3))
	for _, size := range []int64{16, 4096, 100_000, 5 << 20} {
		missed := 0
		const trials = 400
		for range trials {
			// What the runtime does: it sees an object with this probability,
			// then divides by it (scaleHeapSample in runtime/pprof).
			p := -math.Expm1(-float64(size) / rate)
			objects := int64(60 / p)
			seen := binomial(r, objects, p)
			scaled := int64(float64(seen) / p)
			prof := oracletest.Profile(t, "alloc_objects/count alloc_space/bytes",
				oracletest.Sample{Stack: "main.f", Values: []int64{scaled, scaled * size}})
			prof.Period, prof.PeriodType = rate, profile.ValueType{Type: "space", Unit: "bytes"}
			m := newNoiseModel(prof, 1)
			k := m.events(prof, 0, prof.Value(0, 1))
			if math.Abs(k-float64(seen)) > 0.5 {
				t.Fatalf("size %d: %v events, the runtime saw %d", size, k, seen)
			}
			sd := math.Sqrt(m.variance(prof.Value(0, 1), k))
			if math.Abs(float64(prof.Value(0, 1)-objects*size)) > 2*sd {
				missed++
			}
		}
		if share := float64(missed) / trials; share > 0.10 {
			t.Errorf("size %d: the truth is outside ±2σ in %.0f%% of trials", size, 100*share)
		}
	}
}

func TestNoiseModels(t *testing.T) {
	for _, c := range []struct {
		types string
		t     int
		want  noiseName
	}{
		{"samples/count cpu/nanoseconds", 1, noiseTicks},
		{"cpu/nanoseconds", 0, noiseTicks},
		{"alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes", 3, noiseHeap},
		{"objects/count space/bytes", 1, noiseHeap},
		{"inuse_space/bytes", 0, noiseRecords},
		{"contentions/count delay/nanoseconds", 1, noiseContention},
		{"goroutine/count", 0, noiseExact},
		{"threadcreate/count", 0, noiseExact},
		{"requests/count", 0, noiseRecords},
	} {
		values := make([]int64, len(strings.Fields(c.types)))
		p := oracletest.Profile(t, c.types, oracletest.Sample{Stack: "main.f", Values: append([]int64{1}, values[1:]...)})
		if got := newNoiseModel(p, c.t).name; got != c.want {
			t.Errorf("%s [%d]: %q, want %q", c.types, c.t, got, c.want)
		}
	}
}

// poisson draws a Poisson count (Knuth's product method, in steps for large means).
func poisson(r *rand.Rand, mean float64) int64 {
	var n int64
	for mean > 0 {
		step := min(mean, 30)
		mean -= step
		limit, prod := math.Exp(-step), r.Float64()
		for ; prod > limit; n++ {
			prod *= r.Float64()
		}
	}
	return n
}

func binomial(r *rand.Rand, n int64, p float64) int64 {
	if n > 100_000 { // the two are indistinguishable here
		return poisson(r, float64(n)*p)
	}
	var k int64
	for range n {
		if r.Float64() < p {
			k++
		}
	}
	return k
}

// TestDiffAgainstPprof compares differences with go tool pprof's.
func TestDiffAgainstPprof(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go tool pprof")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	testDiffOracle(t, oracletest.CompilerProfile(t))
}
