package otlp

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"

	"github.com/whet-go/whet/profile"
)

// limits are what the tests accept.
func limits() Limits { return Limits{Entries: 10_000, Samples: 100, Depth: 50, Frames: 1000} }

// maker makes requests with the collector's own types.
type maker struct {
	pprofile.Profiles
	strings map[string]int32
}

func newMaker() *maker {
	m := &maker{pprofile.NewProfiles(), map[string]int32{}}
	d := m.Dictionary()
	m.text("")
	d.MappingTable().AppendEmpty()
	d.LocationTable().AppendEmpty()
	d.FunctionTable().AppendEmpty()
	d.LinkTable().AppendEmpty()
	d.AttributeTable().AppendEmpty()
	d.StackTable().AppendEmpty()
	return m
}

func (m *maker) text(s string) int32 {
	if i, ok := m.strings[s]; ok {
		return i
	}
	m.Dictionary().StringTable().Append(s)
	m.strings[s] = int32(m.Dictionary().StringTable().Len() - 1)
	return m.strings[s]
}

// stack adds a stack of functions, root first.
func (m *maker) stack(names string) int32 {
	d := m.Dictionary()
	var at []int32
	for name := range strings.SplitSeq(names, ";") {
		f := d.FunctionTable().AppendEmpty()
		f.SetNameStrindex(m.text(name))
		f.SetFilenameStrindex(m.text(name + ".go"))
		l := d.LocationTable().AppendEmpty()
		l.SetAddress(uint64(0x1000 + d.LocationTable().Len()))
		one := l.Lines().AppendEmpty()
		one.SetFunctionIndex(int32(d.FunctionTable().Len() - 1))
		one.SetLine(42)
		at = append(at, int32(d.LocationTable().Len()-1))
	}
	slices.Reverse(at)
	d.StackTable().AppendEmpty().LocationIndices().FromRaw(at)
	return int32(d.StackTable().Len() - 1)
}

func (m *maker) attribute(key string, set func(pcommon.Value)) int32 {
	a := m.Dictionary().AttributeTable().AppendEmpty()
	a.SetKeyStrindex(m.text(key))
	set(a.Value())
	return int32(m.Dictionary().AttributeTable().Len() - 1)
}

// profile adds a profile with a sample of each stack.
func (m *maker) profile(to pprofile.ProfilesSlice, typ, unit string, values map[int32]int64) pprofile.Profile {
	p := to.AppendEmpty()
	p.SampleType().SetTypeStrindex(m.text(typ))
	p.SampleType().SetUnitStrindex(m.text(unit))
	p.PeriodType().SetTypeStrindex(m.text("cpu"))
	p.PeriodType().SetUnitStrindex(m.text("nanoseconds"))
	p.SetPeriod(10_000_000)
	p.SetTime(pcommon.Timestamp(1_700_000_000_000_000_000))
	p.SetDurationNano(5_000_000_000)
	for _, stack := range slices.Sorted(maps.Keys(values)) {
		s := p.Samples().AppendEmpty()
		s.SetStackIndex(stack)
		s.Values().Append(values[stack])
	}
	return p
}

func (m *maker) encode(t testing.TB) []byte {
	t.Helper()
	data, err := pprofileotlp.NewExportRequestFromProfiles(m.Profiles).MarshalProto()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// described lists the samples of a profile: stack, labels and values.
func described(p *profile.Profile) []string {
	var all []string
	for i := range p.NumSamples() {
		var names []string
		for _, loc := range p.AppendStack(nil, i) {
			line := p.Frames(loc)[0]
			names = append(names, fmt.Sprintf("%s:%d", p.Functions[line.Function].Name, line.Line))
		}
		for _, l := range p.Labels(i) {
			names = append(names, l.Key+"="+l.Value())
		}
		for typ := range p.SampleTypes {
			names = append(names, fmt.Sprint(p.Value(i, typ)))
		}
		all = append(all, strings.Join(names, " "))
	}
	slices.Sort(all)
	return all
}

// full makes a request of a service: a Go CPU profile with both types, and samples of a profiler with
// labels, a link and an event for each time.
func full(t testing.TB) *maker {
	t.Helper()
	m := newMaker()
	r := m.ResourceProfiles().AppendEmpty()
	r.Resource().Attributes().PutStr("service.name", "shop")
	r.Resource().Attributes().PutInt("process.pid", 7)
	scope := r.ScopeProfiles().AppendEmpty()
	a, b := m.stack("main;handle"), m.stack("main;idle")
	m.profile(scope.Profiles(), "samples", "count", map[int32]int64{a: 3, b: 1})
	m.profile(scope.Profiles(), "cpu", "nanoseconds", map[int32]int64{a: 30, b: 10})
	other := m.profile(r.ScopeProfiles().AppendEmpty().Profiles(), "samples", "count", map[int32]int64{a: 2})
	s := other.Samples().At(0)
	s.AttributeIndices().Append(m.attribute("thread.name", func(v pcommon.Value) { v.SetStr("worker") }),
		m.attribute("thread.id", func(v pcommon.Value) { v.SetInt(9) }), m.attribute("empty", func(pcommon.Value) {}))
	link := m.Dictionary().LinkTable().AppendEmpty()
	link.SetTraceID(pcommon.TraceID{1, 2})
	link.SetSpanID(pcommon.SpanID{0xab})
	s.SetLinkIndex(1)
	event := other.Samples().AppendEmpty()
	event.SetStackIndex(b)
	event.TimestampsUnixNano().Append(1, 2, 3)
	return m
}

func TestDecode(t *testing.T) {
	t.Parallel()
	all, err := Decode(full(t).encode(t), limits())
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 || !maps.Equal(all[0].Resource, map[string]string{"service.name": "shop", "process.pid": "7"}) {
		t.Fatalf("got %+v", all)
	}
	p := all[0].Data
	if diff := cmp.Diff([]string{"handle:42 main:42 3 30", "idle:42 main:42 1 10"}, described(p)); diff != "" {
		t.Error(diff)
	}
	if p.Time.Unix() != 1_700_000_000 || p.Duration.Seconds() != 5 || p.Period != 10_000_000 ||
		p.PeriodType.Type != "cpu" {
		t.Errorf("%v for %v, every %d %v", p.Time, p.Duration, p.Period, p.PeriodType)
	}
	p = all[1].Data
	want := []string{
		"handle:42 main:42 thread.name=worker thread.id=9 trace_id=0102" + strings.Repeat("0", 28) +
			" span_id=ab00000000000000 2 20000000",
		"idle:42 main:42 3 30000000",
	}
	if diff := cmp.Diff(want, described(p)); diff != "" || p.SampleTypes[1].Type != "cpu" {
		t.Errorf("types %v: %s", p.SampleTypes, diff)
	}
}

func TestUnsymbolized(t *testing.T) {
	t.Parallel()
	m := newMaker()
	d := m.Dictionary()
	mapping := d.MappingTable().AppendEmpty()
	mapping.SetMemoryStart(0x1000)
	mapping.SetMemoryLimit(0x2000)
	mapping.SetFilenameStrindex(m.text("/bin/shop"))
	mapping.AttributeIndices().Append(m.attribute("process.executable.build_id.gnu",
		func(v pcommon.Value) { v.SetStr("abc") }))
	l := d.LocationTable().AppendEmpty()
	l.SetMappingIndex(1)
	l.SetAddress(0x1234)
	d.StackTable().AppendEmpty().LocationIndices().Append(1)
	m.profile(m.ResourceProfiles().AppendEmpty().ScopeProfiles().AppendEmpty().Profiles(), "off_cpu", "nanoseconds",
		map[int32]int64{1: 5})
	all, err := Decode(m.encode(t), limits())
	if err != nil {
		t.Fatal(err)
	}
	p := all[0].Data
	got := p.Locations[p.AppendStack(nil, 0)[0]]
	if got.Address != 0x1234 || p.Mappings[got.Mapping].BuildID != "abc" || p.Mappings[got.Mapping].File != "/bin/shop" ||
		p.Frames(p.AppendStack(nil, 0)[0])[0].Function != profile.None || len(p.SampleTypes) != 1 {
		t.Errorf("location %+v, mappings %+v, types %v", got, p.Mappings, p.SampleTypes)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*maker, pprofile.Sample){
		"index 99 is not in the table of stacks": func(_ *maker, s pprofile.Sample) { s.SetStackIndex(99) },
		"table of attributes":                    func(_ *maker, s pprofile.Sample) { s.AttributeIndices().Append(-1) },
		"table of links":                         func(_ *maker, s pprofile.Sample) { s.SetLinkIndex(7) },
		"table of locations": func(m *maker,
			_ pprofile.Sample,
		) {
			m.Dictionary().StackTable().At(1).LocationIndices().SetAt(0, 50)
		},
		"table of functions": func(m *maker, _ pprofile.Sample) {
			m.Dictionary().LocationTable().At(1).Lines().At(0).SetFunctionIndex(50)
		},
		"table of mappings": func(m *maker, _ pprofile.Sample) { m.Dictionary().LocationTable().At(1).SetMappingIndex(50) },
		"table of strings":  func(m *maker, _ pprofile.Sample) { m.Dictionary().FunctionTable().At(1).SetNameStrindex(99) },
		"is too large":      func(_ *maker, s pprofile.Sample) { s.Values().SetAt(0, 1<<60) },
		"more than 50 frames in a stack": func(m *maker, s pprofile.Sample) {
			s.SetStackIndex(m.stack(strings.Repeat("f;", 60) + "f"))
		},
		"more than 100 samples": func(m *maker, _ pprofile.Sample) {
			p := m.ResourceProfiles().At(0).ScopeProfiles().At(0).Profiles().At(0)
			for range 101 {
				p.Samples().AppendEmpty()
			}
		},
		"more than 1000 frames": func(m *maker, _ pprofile.Sample) {
			deep := m.stack(strings.Repeat("f;", 40) + "f")
			p := m.ResourceProfiles().At(0).ScopeProfiles().At(0).Profiles().At(0)
			for range 50 {
				p.Samples().AppendEmpty().SetStackIndex(deep)
			}
		},
		"too many entries": func(m *maker, _ pprofile.Sample) {
			for range 10_000 {
				m.Dictionary().StackTable().AppendEmpty()
			}
		},
	} {
		m := newMaker()
		p := m.profile(m.ResourceProfiles().AppendEmpty().ScopeProfiles().AppendEmpty().Profiles(), "samples", "count",
			map[int32]int64{m.stack("main;handle"): 3})
		change(m, p.Samples().At(0))
		if _, err := Decode(m.encode(t), limits()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	data := full(t).encode(t)
	if _, err := Decode(data[:len(data)-3], limits()); !errors.Is(err, errTruncated) {
		t.Errorf("truncated: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(full(f).encode(f))
	f.Add(newMaker().encode(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := Decode(data, limits())
		if err != nil {
			return
		}
		for _, p := range all {
			if n := p.Data.NumSamples(); n > 200 {
				t.Errorf("%d samples", n)
			}
		}
	})
}
