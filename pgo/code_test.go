package pgo

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/source/objfile"
)

// hotModule is a module with a call that is inlined only if a profile shows that it is hot, and a
// call of an interface method whose usual target a profile shows.
func hotModule() map[string]string {
	return map[string]string{
		"go.mod": "module example.com/hot\n\ngo 1.24\n",
		"main.go": `package main

import (
	"fmt"
	"os"
	"runtime/pprof"

	"example.com/hot/sum"
)

func main() {
	if len(os.Args) > 1 {
		f, err := os.Create(os.Args[1])
		if err != nil {
			panic(err)
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			panic(err)
		}
		defer f.Close()
		defer pprof.StopCPUProfile()
	}
	fmt.Println(work(8_000_000))
}

func work(n int) uint64 {
	all := make([]uint64, 64)
	steps := []sum.Step{&sum.Mixer{}, &sum.Plus{}}
	var out uint64
	for i := range n {
		all[i%64] = uint64(i)
		out += sum.Of(all, steps[0])
	}
	return out
}
`,
		"sum/sum.go": `// Package sum adds up.
package sum

// A Step makes a number of two.
type Step interface{ Do(a, b uint64) uint64 }

// A Mixer is one.
type Mixer struct{}

// Do mixes.
func (*Mixer) Do(a, b uint64) uint64 { return mix(a, b) }

// A Plus is another.
type Plus struct{}

// Do adds.
func (*Plus) Do(a, b uint64) uint64 { return a + b }

// Of adds up.
//
//go:noinline
func Of(all []uint64, step Step) uint64 {
	var out uint64
	for _, v := range all {
		out = step.Do(out, v)
	}
	return out
}

func mix(a, b uint64) uint64 {
	if b < 1<<32 {
		return a + b
	}
	a ^= b * 0x9e3779b97f4a7c15
	a ^= a >> 29
	a *= 0xbf58476d1ce4e5b9
	a ^= a >> 32
	if a&1 == 0 {
		a += b<<7 | b>>57
	} else {
		a -= b<<9 | b>>55
	}
	a ^= a << 13
	a *= 0x94d049bb133111eb
	a ^= a >> 31
	a += b<<3 ^ b>>5
	if a&2 == 0 {
		a += b<<11 | b>>53
	} else {
		a -= b<<15 | b>>49
	}
	a ^= a >> 27
	a *= 0x2545f4914f6cdd1d
	a ^= a >> 30
	return a
}
`,
		"sum/sum_test.go": `package sum_test

import (
	"testing"

	"example.com/hot/sum"
)

func BenchmarkOf(b *testing.B) {
	all := make([]uint64, 64)
	for b.Loop() {
		sum.Of(all, &sum.Mixer{})
	}
}
`,
	}
}

func writeModule(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// run runs a command in dir and returns its output.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func readCode(t *testing.T, path string) *callCode {
	t.Helper()
	b, err := objfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	c, err := readCalls(b)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// ofHot reports whether a function belongs to hotModule.
func ofHot(function string) bool {
	return profile.OwnMatcher([]string{"example.com/hot"}, nil)(profile.Function{Name: function})
}

// recordHot builds the module and profiles it.
func recordHot(t *testing.T, dir string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "cpu.pb.gz")
	program := filepath.Join(t.TempDir(), "hot")
	run(t, dir, "go", "build", "-o", program, ".")
	run(t, dir, program, out)
	return out
}

// TestChangesOracle compares the inlining seen in machine code with the compiler's messages.
func TestChangesOracle(t *testing.T) {
	dir := writeModule(t, hotModule())
	reduced, err := Reduce(readProfile(t, storedProfile))
	if err != nil {
		t.Fatal(err)
	}
	small := filepath.Join(t.TempDir(), "small.pgo")
	writeProfile(t, small, reduced)
	inlined := map[string][]string{}
	codes := map[string]*callCode{}
	for _, with := range []string{"off", small} {
		out := filepath.Join(t.TempDir(), "hot")
		text := run(t, dir, "go", "build", "-o", out, "-pgo="+with, "-gcflags=example.com/hot/...=-m", ".")
		codes[with] = readCode(t, out)
		for _, m := range regexp.MustCompile(`(?m)^(?:\./)?(\S+:\d+):\d+: inlining call to (\S+)$`).FindAllStringSubmatch(
			text, -1) {
			inlined[with] = append(inlined[with], m[1]+" "+m[2][strings.LastIndex(m[2], ".")+1:])
		}
		devirtualized := strings.Contains(text, "PGO devirtualizing interface call step.Do to (*Mixer).Do")
		if devirtualized != (with != "off") {
			t.Errorf("-pgo=%s: devirtualized: %v", with, devirtualized)
		}
	}
	edges := Edges(reduced)
	changes := changedCalls(codes["off"], codes[small], edges, ofHot)
	for _, c := range changes {
		name := c.Callee[strings.LastIndex(c.Callee, ".")+1:]
		at := fmt.Sprintf("%s:%d %s", strings.TrimPrefix(c.File, dir+"/"), c.Line, name)
		if c.Own && c.Change == Inlined && (slices.Contains(inlined["off"], at) || !slices.Contains(inlined[small], at)) {
			t.Errorf("%s: not what the compiler says", at)
		}
	}
	for _, want := range []string{"mix inlined", "Do devirtualized"} {
		if !slices.ContainsFunc(changes, func(c ChangedCall) bool {
			return c.Own && c.Weight > 0 && strings.HasSuffix(c.Callee, "."+strings.Fields(want)[0]) &&
				c.Change.String() == strings.Fields(want)[1]
		}) {
			t.Errorf("no %s in %+v", want, changes)
		}
	}
	for _, at := range inlined[small] {
		if slices.Contains(inlined["off"], at) {
			continue
		}
		if !slices.ContainsFunc(changes, func(c ChangedCall) bool {
			// For calls in inlined functions, the compiler names the outermost position.
			return strings.HasSuffix(c.Callee, "."+strings.Fields(at)[1])
		}) {
			t.Errorf("the compiler has newly inlined %s, which is not in %+v", at, changes)
		}
	}
	if grown := grownFrames(codes["off"], codes[small], edges, ofHot); slices.ContainsFunc(grown,
		func(f GrownFrame) bool { return f.After <= f.Before }) {
		t.Errorf("frames that did not grow: %+v", grown)
	}
}

// storedProfile is a profile of hotModule's program. With it, builds stay cached between test runs.
const storedProfile = "testdata/hot.pb.gz"

func TestStale(t *testing.T) {
	files := hotModule()
	dir := writeModule(t, files)
	// The contents of a recording made here depend on the machine, but none of it may be stale.
	stored := Edges(readProfile(t, storedProfile))
	for name, edges := range map[string][]Edge{
		"fresh":  Edges(readProfile(t, recordHot(t, dir))),
		"stored": stored,
	} {
		t.Run(name, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "hot")
			run(t, dir, "go", "build", "-pgo=off", "-o", program, ".")
			s := stale(edges, readCode(t, program), ofHot)
			if s.Share() != 0 || name == "stored" && float64(s.Stale) > 0.02*float64(s.Total) || s.Own == 0 {
				t.Errorf("%+v", s)
			}
		})
	}
	for _, tt := range []struct {
		name     string
		old, new string
		function string
		gone     bool
		least    float64
	}{
		{"renamed", "mix(", "blend(", "example.com/hot/sum.mix", true, 0.01},
		{"moved", "	var out uint64\n	for _, v", "	var out uint64\n\n	for _, v", "example.com/hot/sum.Of", false, 0.001},
		{"comment above", "// Of adds up.", "// Of adds up.\n//\n// It does.", "", false, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			changed := hotModule()
			changed["sum/sum.go"] = strings.ReplaceAll(changed["sum/sum.go"], tt.old, tt.new)
			dir := writeModule(t, changed)
			program := filepath.Join(t.TempDir(), "hot")
			run(t, dir, "go", "build", "-pgo=off", "-o", program, ".")
			s := stale(stored, readCode(t, program), ofHot)
			if tt.function == "" {
				if s.Share() != 0 {
					t.Errorf("%+v", s)
				}
				return
			}
			if s.Share() < tt.least || len(s.Functions) == 0 || s.Functions[0].Function != tt.function ||
				s.Functions[0].Gone != tt.gone {
				t.Errorf("share %v, want %s first: %+v", s.Share(), tt.function, s.Functions)
			}
			if len(s.Functions) == 0 {
				return
			}
			if calls := s.Functions[0].Calls; !tt.gone && (len(calls) == 0 || calls[0].Weight == 0 ||
				!strings.HasSuffix(calls[0].File, "sum.go")) {
				t.Errorf("calls %+v", calls)
			}
		})
	}
}
