package profile_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gprofile "github.com/google/pprof/profile"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/profile/profiletest"
)

// canonical is everything about a profile's samples, independent of the order of its tables.
func canonical(g *gprofile.Profile) []string {
	var out []string
	for _, s := range g.Sample {
		var b strings.Builder
		for _, l := range s.Location {
			fmt.Fprintf(&b, "%x", l.Address)
			if l.Mapping != nil {
				fmt.Fprintf(&b, "@%s", l.Mapping.File)
			}
			for _, ln := range l.Line {
				fmt.Fprintf(&b, " %s|%s|%s|%d:%d:%d", ln.Function.Name, ln.Function.SystemName, ln.Function.Filename,
					ln.Function.StartLine, ln.Line, ln.Column)
			}
			b.WriteByte(';')
		}
		labels := func(k string, v any) { fmt.Fprintf(&b, " %s=%v", k, v) }
		for _, k := range sorted(s.Label) {
			labels(k, s.Label[k])
		}
		for _, k := range sorted(s.NumLabel) {
			labels(k, s.NumLabel[k])
			if len(s.NumUnit[k]) > 0 {
				labels(k, s.NumUnit[k])
			}
		}
		fmt.Fprint(&b, s.Value)
		out = append(out, b.String())
	}
	slices.Sort(out)
	return out
}

func sorted[V any](m map[string]V) []string {
	var ks []string
	for k := range m {
		ks = append(ks, k)
	}
	slices.Sort(ks)
	return ks
}

func google(tb testing.TB, data []byte) *gprofile.Profile {
	tb.Helper()
	g, err := gprofile.ParseData(data)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

func written(tb testing.TB, p *profile.Profile) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// TestWriteKeepsEverything reads every profile of the corpus, writes it, and has
// google/pprof read both.
func TestWriteKeepsEverything(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for name, data := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			want := google(t, data)
			if err := want.RemoveUninteresting(); err != nil {
				t.Fatal(err)
			}
			got := google(t, written(t, parsed(t, data)))
			if !slices.Equal(canonical(got), canonical(want)) {
				t.Error("samples differ")
			}
			header := func(g *gprofile.Profile) string {
				return fmt.Sprint(g.TimeNanos, g.DurationNanos, g.Period, *g.PeriodType, g.Comments, g.DefaultSampleType, g.DocURL,
					g.DropFrames, g.KeepFrames)
			}
			if header(got) != header(want) {
				t.Errorf("header %s, want %s", header(got), header(want))
			}
			for i, m := range want.Mapping {
				n := *got.Mapping[i]
				n.ID, n.KernelRelocationSymbol = m.ID, m.KernelRelocationSymbol
				if fmt.Sprint(n) != fmt.Sprint(*m) {
					t.Errorf("mapping %d: %v, want %v", i, n, *m)
				}
			}
		})
	}
}

func TestMergeEqualsPprof(t *testing.T) {
	var ours []*profile.Profile
	var theirs []*gprofile.Profile
	for i := range 12 {
		data := encoded(t, profiletest.Options{
			Seed: uint64(i % 5), Samples: 300, Inlines: true, Labels: i%3 > 0, Leave: 0.05,
		})
		ours = append(ours, parsed(t, data))
		theirs = append(theirs, google(t, data))
	}
	m, err := profile.Merge(ours...)
	if err != nil {
		t.Fatal(err)
	}
	g, err := gprofile.Merge(theirs)
	if err != nil {
		t.Fatal(err)
	}
	got := google(t, written(t, m))
	if !slices.Equal(canonical(got), canonical(g)) {
		t.Error("merged samples differ from pprof's")
	}
	if got.DurationNanos != g.DurationNanos || got.TimeNanos != g.TimeNanos {
		t.Errorf("time %d duration %d, want %d %d", got.TimeNanos, got.DurationNanos, g.TimeNanos, g.DurationNanos)
	}
	// The order of merging does not matter.
	rand.Shuffle(len(ours), func(i, j int) { ours[i], ours[j] = ours[j], ours[i] })
	again, err := profile.Merge(ours...)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(canonical(google(t, written(t, again))), canonical(g)) {
		t.Error("the order of the profiles changes the result")
	}
}

// TestMergeRelocated merges profiles of one binary that was loaded at different
// addresses.
func TestMergeRelocated(t *testing.T) {
	at := func(start uint64) *profile.Profile {
		b := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"})
		m := b.Mapping(profile.Mapping{Start: start, Limit: start + 0x5000, File: "/bin/a", BuildID: "x"})
		if err := b.Sample([]uint32{b.Location(start+0x123, m, false)}, nil, 5); err != nil {
			t.Fatal(err)
		}
		return b.Profile(nil)
	}
	m, err := profile.Merge(at(0x10000), at(0x7f0000))
	if err != nil {
		t.Fatal(err)
	}
	if m.NumSamples() != 1 || m.Value(0, 0) != 10 || len(m.Locations) != 1 || m.Locations[0].Address != 0x10123 {
		t.Errorf("merged to %d samples at %#x", m.NumSamples(), m.Locations[0].Address)
	}
}

func TestSubtractFromItself(t *testing.T) {
	p := profiletest.Generate(profiletest.Options{Labels: true})
	d, err := profile.Subtract(p, p, false)
	if err != nil {
		t.Fatal(err)
	}
	if d.NumSamples() != 0 {
		t.Errorf("%d samples left of p - p", d.NumSamples())
	}
	half, err := profile.Merge(p, p)
	if err != nil {
		t.Fatal(err)
	}
	back, err := profile.Subtract(half, p, false)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(canonical(google(t, written(t, back))), canonical(google(t, written(t, p)))) {
		t.Error("(p + p) - p is not p")
	}
}

func TestMergeErrors(t *testing.T) {
	cpu := profiletest.Generate(profiletest.Options{})
	heap := profiletest.Generate(profiletest.Options{Heap: true})
	if _, err := profile.Merge(cpu, heap); err == nil || !strings.Contains(err.Error(), "different kinds") {
		t.Errorf("merging cpu and heap: %v", err)
	}
	if _, err := profile.Merge(); err == nil {
		t.Error("merging nothing is no error")
	}
}

// Scaling keeps sums, though each value is rounded.
func TestScaled(t *testing.T) {
	b := profile.NewBuilder(profile.ValueType{"samples", "count"}, profile.ValueType{"cpu", "nanoseconds"})
	f := b.Function(profile.Function{Name: "f"})
	for i := range 1000 {
		loc := b.Location(uint64(i+1), profile.None, false, profile.Line{Function: f, Line: int32(i)})
		if err := b.Sample([]uint32{loc}, nil, 1, 10); err != nil {
			t.Fatal(err)
		}
	}
	p := b.Profile(&profile.Profile{})
	q := p.Scaled(func(t profile.ValueType) float64 {
		if t.Type == "cpu" {
			return 1
		}
		return 0.4
	})
	if got := [4]int64{
		p.Sum(p.SampleTypes[0]), q.Sum(p.SampleTypes[0]), q.Sum(p.SampleTypes[1]),
		q.Sum(profile.ValueType{"x", "y"}),
	}; got != [4]int64{1000, 400, 10000, 0} {
		t.Errorf("sums %v", got)
	}
}

// TestSum adds profiles one after the other: the result is that of Merge, also where one has fewer sample
// types, and so are the errors.
func TestSum(t *testing.T) {
	encoded := func(p *profile.Profile) *gprofile.Profile {
		t.Helper()
		var b bytes.Buffer
		if err := p.Write(&b); err != nil {
			t.Fatal(err)
		}
		return google(t, b.Bytes())
	}
	var ps []*profile.Profile
	for i := range 6 {
		g := encoded(profiletest.Generate(profiletest.Options{Seed: uint64(i % 4), Samples: 300, Labels: i%2 == 1}))
		g.TimeNanos, g.DurationNanos, g.Comments = int64(100-i), 7, []string{fmt.Sprint("of ", i%3)}
		if i == 4 {
			g.SampleType = g.SampleType[1:]
			for _, s := range g.Sample {
				s.Value = s.Value[1:]
			}
		}
		var b bytes.Buffer
		if err := g.Write(&b); err != nil {
			t.Fatal(err)
		}
		p, err := profile.Read(&b, profile.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		ps = append(ps, p)
	}
	for n := 1; n <= len(ps); n++ {
		want, err := profile.Merge(ps[:n]...)
		if err != nil {
			t.Fatal(err)
		}
		var sum profile.Sum
		for _, p := range ps[:n] {
			if err := sum.Add(p); err != nil {
				t.Fatal(err)
			}
		}
		got := sum.Profile()
		a, b := encoded(got), encoded(want)
		if !slices.Equal(canonical(a), canonical(b)) || !slices.Equal(got.SampleTypes, want.SampleTypes) {
			t.Errorf("%d profiles: samples of %v, want of %v, or other ones", n, got.SampleTypes, want.SampleTypes)
		}
		if a.TimeNanos != b.TimeNanos || a.DurationNanos != b.DurationNanos || !slices.Equal(a.Comments, b.Comments) {
			t.Errorf("%d profiles: time, duration or comments differ: %q, want %q", n, got.Comments, want.Comments)
		}
	}
	if p := new(profile.Sum).Profile(); p != nil {
		t.Errorf("nothing has %d samples", p.NumSamples())
	}
	var sum profile.Sum
	heap := profiletest.Generate(profiletest.Options{Heap: true})
	_, want := profile.Merge(ps[0], heap)
	if err := errors.Join(sum.Add(ps[0]), sum.Add(heap)); err == nil || err.Error() != want.Error() {
		t.Errorf("CPU and heap: %v, want %v", err, want)
	}
}
