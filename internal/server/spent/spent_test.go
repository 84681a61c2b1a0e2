package spent

import (
	"strings"
	"testing"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/profile"
)

// inputOf returns an input with samples: stacks of functions, the innermost first, separated by "<".
func inputOf(t *testing.T, kind string, stacks ...string) *input.Input {
	t.Helper()
	typ := profile.ValueType{Type: kind, Unit: "nanoseconds"}
	b := profile.NewBuilder(typ)
	program := b.Mapping(profile.Mapping{File: "/bin/shop"})
	for i, text := range stacks {
		var stack []uint32
		for _, name := range strings.Split(text, " < ") {
			fn := b.Function(profile.Function{Name: name, SystemName: name, File: "/src/" + name + ".go"})
			stack = append(stack, b.Location(0, program, false, profile.Line{Function: fn, Line: 1}))
		}
		if err := b.Sample(stack, nil, int64(1)<<i); err != nil {
			t.Fatal(err)
		}
	}
	p := b.Profile(nil)
	v, err := p.View(profile.Query{})
	if err != nil {
		t.Fatal(err)
	}
	return &input.Input{Profile: p, View: v, Type: typ, Own: input.Own{
		Known: true, Match: func(f profile.Function) bool { return strings.HasPrefix(f.Name, "example.com/own") },
	}}
}

// TestBy divides CPU time by the leaf, and by what the runtime does there.
func TestBy(t *testing.T) {
	t.Parallel()
	const caller = " < example.com/own.F < main.main"
	for _, test := range []struct {
		name, stack string
		want        Class
	}{
		{"own", "example.com/own.F < main.main", own},
		{"a dependency", "github.com/a/b.G" + caller, dependency},
		{"the standard library", "strings.Index" + caller, standard},
		{"the collector's goroutine", "runtime.scanobject < runtime.gcDrain < runtime.gcBgMarkWorker", collector},
		{
			"the collector in a goroutine",
			"runtime.scanobject < runtime.gcDrainN < runtime.gcAssistAlloc < runtime.mallocgc" + caller, collector,
		},
		{"the scheduler", "runtime.findRunnable < runtime.schedule < runtime.park_m < runtime.mcall", scheduler},
		{
			"a system call",
			"internal/runtime/syscall.Syscall6 < syscall.RawSyscall6 < syscall.write < os.(*File).Write" + caller, systemCall,
		},
		{"an allocation", "runtime.mallocgc < runtime.newobject" + caller, inRuntime},
		{"a map", "internal/runtime/maps.(*Map).Get < runtime.mapaccess2" + caller, inRuntime},
	} {
		sums := By(inputOf(t, "cpu", test.stack))
		for c := range NumClasses {
			if is := sums[c] != 0; is != (c == test.want) {
				t.Errorf("%s: %v has %d, want all in %v", test.name, c, sums[c], test.want)
			}
		}
	}
}

// TestByWaits charges a wait to the code that waits, although it ends in the runtime.
func TestByWaits(t *testing.T) {
	t.Parallel()
	sums := By(inputOf(t, "delay",
		"runtime.chanrecv1 < example.com/own.F < main.main",
		"sync.(*Mutex).Lock < github.com/a/b.G < example.com/own.F",
		"runtime.selectgo < net/http.(*conn).serve",
	))
	if sums[own] != 1 || sums[dependency] != 2 || sums[standard] != 4 {
		t.Errorf("%v", sums)
	}
}

// TestBySum checks that the parts are the whole, also with stacks of which nothing is known.
func TestBySum(t *testing.T) {
	t.Parallel()
	in := inputOf(t, "cpu", "example.com/own.F", "?? < ??", "runtime.mallocgc", "strings.Index < github.com/a/b.G")
	sum := int64(0)
	for _, v := range By(in) {
		sum += v
	}
	if sum != in.View.Total() {
		t.Errorf("parts of %d, want %d", sum, in.View.Total())
	}
}
