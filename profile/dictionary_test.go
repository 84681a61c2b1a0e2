package profile_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/profile/profiletest"
)

// samplesOf returns the columns of p with its stacks in d.
func samplesOf(d *profile.Dictionary, p *profile.Profile) profile.Samples {
	s := profile.Samples{Stacks: d.Add(p)}
	for range p.SampleTypes {
		s.Values = append(s.Values, nil)
	}
	for i := range p.NumSamples() {
		s.Labels = append(s.Labels, p.Labels(i))
		for t := range s.Values {
			s.Values[t] = append(s.Values[t], p.Value(i, t))
		}
	}
	return s
}

// same fails if the samples of p and q differ.
func same(t *testing.T, what string, p, q *profile.Profile) {
	t.Helper()
	a, b := canonical(google(t, written(t, p))), canonical(google(t, written(t, q)))
	if !slices.Equal(a, b) {
		t.Errorf("%s: samples differ, %d and %d", what, len(a), len(b))
	}
}

func TestDictionaryKeepsProfiles(t *testing.T) {
	d := profile.NewDictionary()
	var all []*profile.Profile
	var tables []*profile.StackTable
	var samples []profile.Samples
	for seed := range uint64(6) {
		p := profiletest.Generate(profiletest.Options{
			Seed: seed / 2, Samples: 300 + int(seed)*50, Inlines: true, Labels: seed%2 == 0, Functions: 100 + int(seed)*30,
		})
		all = append(all, p)
		samples = append(samples, samplesOf(d, p))
		tables = append(tables, d.Table())
	}
	// Earlier tables are still what they were, and merging shared tables is merging the profiles.
	var shared []*profile.Profile
	for i, p := range all {
		q, err := tables[i].Profile(p, d.MainMapping(p), samples[i])
		if err != nil {
			t.Fatal(err)
		}
		same(t, "one profile", p, q)
		shared = append(shared, q)
	}
	want, err := profile.Merge(all...)
	if err != nil {
		t.Fatal(err)
	}
	got, err := profile.Merge(shared...)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "merged", want, got)
	if want.Duration != got.Duration || !want.Time.Equal(got.Time) || len(got.Functions) != len(want.Functions) {
		t.Errorf("merged: %v from %v with %d functions, want %v from %v with %d", got.Duration, got.Time,
			len(got.Functions), want.Duration, want.Time, len(want.Functions))
	}
	if again := d.Add(all[0]); !slices.Equal(again, samples[0].Stacks) {
		t.Error("stacks got other numbers")
	}
	if d.Memory() <= 0 {
		t.Error("no memory")
	}
}

func TestDictionaryAppend(t *testing.T) {
	p := profiletest.Generate(profiletest.Options{Inlines: true})
	d := profile.NewDictionary()
	s := samplesOf(d, p)
	table := d.Table()
	all := profile.Tables{
		Mappings: table.Mappings, Functions: table.Functions, Lines: table.Lines, Locations: table.Locations,
	}
	for i := range table.Counts().Stacks {
		all.Stacks = append(all.Stacks, table.AppendStack(nil, uint32(i)))
	}
	again := profile.NewDictionary()
	if err := again.Append(all); err != nil {
		t.Fatal(err)
	}
	if again.Counts() != d.Counts() {
		t.Fatalf("counts %+v, want %+v", again.Counts(), d.Counts())
	}
	q, err := again.Table().Profile(p, 0, s)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "appended", p, q)
	l := profile.NewLoader()
	loaded := load(t, l, all)
	if l.Counts() != d.Counts() {
		t.Fatalf("counts %+v, want %+v", l.Counts(), d.Counts())
	}
	if l.Memory() >= d.Memory() {
		t.Errorf("a loader takes %d bytes, and a dictionary %d", l.Memory(), d.Memory())
	}
	if q, err = loaded.Profile(p, 0, s); err != nil {
		t.Fatal(err)
	}
	same(t, "loaded", p, q)
	// Its locations are those of others.
	twice, err := profile.Merge(q, p)
	if err != nil {
		t.Fatal(err)
	}
	if once, err := profile.Merge(p, p); err != nil || twice.NumSamples() != once.NumSamples() ||
		len(twice.Locations) != len(once.Locations) {
		t.Errorf("merged with the original: %d samples of %d locations, want %d of %d (%v)", twice.NumSamples(),
			len(twice.Locations), once.NumSamples(), len(once.Locations), err)
	}

	line := profile.Line{Function: profile.None}
	for what, bad := range map[string]profile.Tables{
		"function twice": {Functions: []profile.Function{{Name: "f"}, {Name: "f"}}},
		"mapping twice":  {Mappings: []profile.Mapping{{File: "f"}, {File: "f"}}},
		"stack range":    {Stacks: [][]uint32{{1}}},
		"stack twice":    {Stacks: [][]uint32{{}, {}}},
		"function range": {
			Lines: []profile.Line{{Function: 3}}, Locations: []profile.Location{{Num: 1, Mapping: profile.None}},
		},
		"mapping range": {Lines: []profile.Line{line}, Locations: []profile.Location{{Num: 1}}},
		"no lines":      {Locations: []profile.Location{{Num: 1, Mapping: profile.None}}},
		"more lines":    {Lines: []profile.Line{line}},
	} {
		if err := profile.NewDictionary().Append(bad); err == nil {
			t.Errorf("%s: no error", what)
		}
		// It does not look for what is there twice.
		if err := profile.NewLoader().Append(bad); (err == nil) != strings.HasSuffix(what, " twice") {
			t.Errorf("%s: a loader's error is %v", what, err)
		}
	}
	if _, err := table.Profile(p, 0, profile.Samples{Stacks: []uint32{1 << 30}, Values: [][]int64{{1}, {1}}}); err == nil {
		t.Error("a stack out of range: no error")
	}
	if _, err := table.Profile(p, 0, profile.Samples{Stacks: []uint32{0}, Values: [][]int64{{1}}}); err == nil {
		t.Error("a missing column: no error")
	}
}

// load appends tables in two parts, and reads the first between them.
func load(t *testing.T, l *profile.Loader, all profile.Tables) *profile.StackTable {
	t.Helper()
	half := len(all.Stacks) / 2
	first := all
	first.Stacks = all.Stacks[:half]
	if err := l.Append(first); err != nil {
		t.Fatal(err)
	}
	before := l.Table()
	if err := l.Append(profile.Tables{Stacks: all.Stacks[half:]}); err != nil {
		t.Fatal(err)
	}
	for i := range half {
		if !slices.Equal(before.AppendStack(nil, uint32(i)), all.Stacks[i]) {
			t.Fatalf("stack %d changed while more was appended", i)
		}
	}
	return l.Table()
}

func TestDictionaryMainMapping(t *testing.T) {
	build := func(file string) *profile.Profile {
		b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
		m := b.Mapping(profile.Mapping{Start: 0x1000, Limit: 0x9000, File: file})
		loc := b.Location(0x1234, m, false, profile.Line{Function: b.Function(profile.Function{Name: "main.main"}), Line: 3})
		if err := b.Sample([]uint32{loc}, nil, 7); err != nil {
			t.Fatal(err)
		}
		return b.Profile(nil)
	}
	d := profile.NewDictionary()
	d.Add(build("/bin/old"))
	p := build("/bin/new")
	s := samplesOf(d, p)
	q, err := d.Table().Profile(p, d.MainMapping(p), s)
	if err != nil {
		t.Fatal(err)
	}
	merged, err := profile.Merge(q)
	if err != nil {
		t.Fatal(err)
	}
	if len(merged.Mappings) != 1 || merged.Mappings[0].File != "/bin/new" {
		t.Errorf("mappings %+v, want the new one only", merged.Mappings)
	}
	same(t, "second build", p, q)
}

// TestDictionaryGrows reads a table while its dictionary grows, for the race detector.
func TestDictionaryGrows(t *testing.T) {
	p := profiletest.Generate(profiletest.Options{Samples: 200})
	d := profile.NewDictionary()
	s := samplesOf(d, p)
	var readers sync.WaitGroup
	for i := range 20 {
		table := d.Table()
		readers.Go(func() {
			for at := range table.Counts().Stacks {
				if len(table.AppendStack(nil, uint32(at))) == 0 {
					t.Error("an empty stack")
				}
			}
			q, err := table.Profile(p, 0, profile.Samples{Stacks: s.Stacks, Values: s.Values})
			if err != nil {
				t.Error(err)
				return
			}
			if v, err := q.View(profile.Query{Type: -1}); err != nil || len(v.Nodes(true)) == 0 {
				t.Errorf("no nodes: %v", err)
			}
		})
		d.Add(profiletest.Generate(profiletest.Options{Seed: uint64(i) + 1, Samples: 50}))
	}
	readers.Wait()
}
