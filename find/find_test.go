package find_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/notes"
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/find/rules/index"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/recording/recordingtest"
)

// shared is the directory that tests share.
var shared string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "whet-find-test-")
	if err != nil {
		panic(err)
	}
	shared = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

const service = `
-- go.mod --
module example.com/service

go 1.26
-- clean/clean.go --
package clean

import (
	"regexp"
	"sort"
	"strings"
)

// Clean is slow on purpose.
func Clean(name string) string {
	name = strings.NewReplacer(":", "_", "|", "_", "@", "_").Replace(name)
	return regexp.MustCompile(
		"[^a-z_]+").ReplaceAllString(name, "-")
}

// Order is expensive, and no rule explains why.
func Order(numbers []int) int {
	sorted := append([]int(nil), numbers...)
	sort.Sort(sort.Reverse(sort.IntSlice(sorted)))
	return sorted[0]
}
-- clean/clean_test.go --
package clean

import "testing"

func BenchmarkClean(b *testing.B) {
	numbers := make([]int, 500)
	for i := range numbers {
		numbers[i] = i * 7919 % 503
	}
	for b.Loop() {
		for range 20 {
			Clean("a:b|c@d 12")
		}
		Order(numbers)
	}
}
`

// recordings caches modules with their profiles, by build flags: making one takes seconds.
var recordings sync.Map

// module returns the directory of a copy of the service, and the profiles of its benchmark.
func module(t *testing.T, flags ...string) (dir string, p find.Profiles) {
	t.Helper()
	key := strings.Join(flags, " ")
	once, _ := recordings.LoadOrStore(key, sync.OnceValues(func() (string, find.Profiles) { return record(t, flags...) }))
	made, ok := once.(func() (string, find.Profiles))
	if !ok {
		t.Fatalf("%T", once)
	}
	from, p := made()
	dir = t.TempDir()
	for _, name := range []string{"go.mod", "clean/clean.go", "clean/clean_test.go"} {
		data, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), string(data))
	}
	return dir, p
}

// record writes the service, and records its benchmark. The directory is the test binary's.
func record(t *testing.T, flags ...string) (dir string, p find.Profiles) {
	t.Helper()
	dir, err := os.MkdirTemp(shared, "") //nolint:usetesting // it outlives the first test that uses it
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse([]byte(service)).Files {
		write(t, filepath.Join(dir, f.Name), string(f.Data))
	}
	// A fixed number of iterations takes the same CPU time, and as many samples, on a busy machine.
	args := append([]string{
		"test", "-run=^$", "-bench=.", "-benchtime=5000x", "-cpuprofile=cpu.out",
		"-memprofile=mem.out", "-memprofilerate=4096",
	}, flags...)
	cmd := exec.CommandContext(t.Context(), "go", append(args, "./clean")...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	read := func(name string) *profile.Profile {
		p, err := profile.ReadFile(filepath.Join(dir, name), profile.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	return dir, find.Profiles{CPU: read("cpu.out"), Allocs: read("mem.out")}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func options(dir string) find.Options {
	return find.Options{
		Dir: dir, Own: profile.OwnMatcher([]string{"example.com/service"}, nil), Rules: index.Rules(), MinShare: 0.02,
	}
}

// finding returns the finding whose title contains the given text, or nil.
func finding(r *find.Result, title string) *find.Finding {
	i := slices.IndexFunc(r.Findings, func(f find.Finding) bool { return strings.Contains(f.Title, title) })
	if i < 0 {
		return nil
	}
	return &r.Findings[i]
}

// TestFind finds what is expensive in a recorded module, ranked, with evidence, notes and a diff
// that applies, and lists the line that no rule explains.
func TestFind(t *testing.T) {
	for _, test := range []struct {
		name  string
		flags []string
	}{{"plain", nil}, {"trimmed", []string{"-trimpath"}}, {"not inlined", []string{"-gcflags=all=-l"}}} {
		t.Run(test.name, func(t *testing.T) {
			dir, p := module(t, test.flags...)
			o := options(dir)
			o.Notes = t.TempDir()
			r, err := find.Find(t.Context(), p, o)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Warnings) > 0 || len(r.Stale) > 0 || r.Module != "example.com/service" {
				t.Errorf("%+v", r)
			}
			compiled, replaced := finding(r, "regular expression compiled"), finding(r, "Replacer")
			if compiled == nil || replaced == nil {
				t.Fatalf("findings: %+v", r.Findings)
			}
			if at := compiled.Places[0]; at.File != "clean/clean.go" || at.Line != 12 || at.EndLine != 13 ||
				!strings.Contains(at.Code, "MustCompile") {
				t.Errorf("place: %+v", at)
			}
			if compiled.Function != "Clean" || compiled.Saving < 0.05 || compiled.Saving > 1 || replaced.Saving <= 0 {
				t.Errorf("%s saves %v and %v", compiled.Function, compiled.Saving, replaced.Saving)
			}
			if !slices.IsSortedFunc(r.Findings, func(a, b find.Finding) int {
				if a.Saving > b.Saving {
					return -1
				}
				return 1
			}) {
				t.Error("findings are not in the order of what they save")
			}
			addUp(t, r)
			for _, f := range r.Findings {
				for _, e := range f.Evidence {
					if e.Share <= 0 || e.Share > 1 {
						t.Errorf("%s is charged %v of %s", f.ID, e.Share, e.Cost)
					}
				}
			}
			for _, cost := range []find.Cost{find.CPU, find.AllocSpace, find.AllocObjects} {
				i := slices.IndexFunc(compiled.Evidence, func(e find.Evidence) bool { return e.Cost == cost })
				if i < 0 || compiled.Evidence[i].Share < 0.02 || len(compiled.Evidence[i].Callees) == 0 ||
					!strings.HasPrefix(compiled.Evidence[i].Callees[0].Function, "regexp.") {
					t.Errorf("%s: %+v", cost, compiled.Evidence)
				}
			}
			if compiled.Fix == nil || !strings.Contains(compiled.Fix.Diff, "+var cleanPattern = regexp.MustCompile(") ||
				!strings.Contains(compiled.Fix.Diff, "--- a/clean/clean.go") {
				t.Errorf("fix: %+v", compiled.Fix)
			}
			i := slices.IndexFunc(r.Unexplained, func(h find.HotLine) bool { return strings.Contains(h.Code, "sort.Sort") })
			if i < 0 || r.Unexplained[i].Function != "Order" {
				t.Errorf("unexplained: %+v", r.Unexplained)
			} else if list := r.Unexplained[i].Notes; !slices.ContainsFunc(list,
				func(n notes.Note) bool { return n.Kind == "escape" || n.Kind == "escapes" }) {
				t.Errorf("notes: %+v", list)
			}
		})
	}
}

// TestStale lists the functions that differ from the recording, and follows those that only moved
// if the recording has the source.
func TestStale(t *testing.T) {
	dir, p := module(t)
	file := filepath.Join(dir, "clean", "clean.go")
	recorded, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// Order moves down; Clean is another function.
	changed := strings.Replace(string(recorded), "name = strings.NewReplacer", "\n\n\tname = strings.NewReplacer", 1)
	write(t, file, changed)

	r, err := find.Find(t.Context(), p, options(dir))
	if err == nil && len(r.Findings) > 0 {
		t.Errorf("without the recorded source: %+v", r.Findings)
	}
	stale := slices.ContainsFunc(r.Stale, func(s find.Stale) bool {
		return strings.HasSuffix(s.Function, ".Order") && s.Share > 0
	})
	if !stale {
		t.Errorf("stale: %+v", r.Stale)
	}

	o := options(dir)
	o.Recorded = func(string) ([]byte, bool) { return recorded, true }
	if r, err = find.Find(t.Context(), p, o); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(r.Unexplained, func(h find.HotLine) bool { return strings.Contains(h.Code, "sort.Sort") }) {
		t.Errorf("Order only moved: %+v, stale %+v", r.Unexplained, r.Stale)
	}
	if !slices.ContainsFunc(r.Stale, func(s find.Stale) bool {
		return strings.HasSuffix(s.Function, ".Clean") && strings.Contains(s.Reason, "changed")
	}) {
		t.Errorf("Clean was changed: %+v", r.Stale)
	}
}

// TestUnbuildable checks that nothing is rewritten in source that does not build, is generated, or
// is excluded by build constraints.
func TestUnbuildable(t *testing.T) {
	for _, test := range []struct {
		name       string
		before, to string
		why        string // of hot lines; "" when there are findings without a fix
	}{
		{"broken", "// Order is expensive", "var broken int = \"\"\n\n// Order is expensive", "does not build"},
		{"constrained", "package clean\n", "//go:build never\n\npackage clean\n", "build constraints"},
		{
			"tagged", "package clean\n", "//go:build (linux || darwin || windows) && fast\n\npackage clean\n",
			"build constraints",
		},
		{"generated", "package clean\n", "// Code generated by hand. DO NOT EDIT.\n\npackage clean\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir, p := module(t)
			file := filepath.Join(dir, "clean", "clean.go")
			recorded, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			write(t, file, strings.Replace(string(recorded), test.before, test.to, 1))
			o := options(dir)
			o.Recorded = func(string) ([]byte, bool) { return recorded, true }
			r, err := find.Find(t.Context(), p, o)
			if err != nil {
				t.Fatal(err)
			}
			if test.why == "" {
				if f := finding(r, "regular expression compiled"); f == nil || f.Fix != nil || f.NoFix == "" {
					t.Errorf("%+v", r.Findings)
				}
				return
			}
			if len(r.Findings) > 0 || len(r.Unexplained) == 0 || !strings.Contains(r.Unexplained[0].Why, test.why) {
				t.Errorf("findings %+v, unexplained %+v", r.Findings, r.Unexplained)
			}
		})
	}
}

// TestCgo checks that a file with cgo is reported as not analyzed: because cgo translates it, or
// because it is excluded where there is no C compiler.
func TestCgo(t *testing.T) {
	dir, p := module(t)
	file := filepath.Join(dir, "clean", "clean.go")
	recorded, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write(t, file, strings.Replace(string(recorded), "import (", "import \"C\"\n\nimport (", 1))
	o := options(dir)
	o.Recorded = func(string) ([]byte, bool) { return recorded, true }
	r, err := find.Find(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) > 0 || len(r.Unexplained) == 0 || r.Unexplained[0].Why == "" {
		t.Errorf("findings %+v, unexplained %+v", r.Findings, r.Unexplained)
	}
}

// TestVendored reports nothing in vendored code, even if its files have the same names as the
// module's.
func TestVendored(t *testing.T) {
	dir, _ := module(t)
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	for i, file := range []string{
		"example.com/service/vendor/example.com/dep/clean/clean.go",
		"example.com/service/clean/clean.go",
	} {
		f := b.Function(profile.Function{Name: "example.com/service/clean.Clean" + strings.Repeat("2", i), File: file})
		if err := b.Sample([]uint32{b.Location(uint64(i+1), profile.None, false, profile.Line{Function: f, Line: 11})},
			nil, 1000); err != nil {
			t.Fatal(err)
		}
	}
	r, err := find.Find(t.Context(), find.Profiles{CPU: b.Profile(nil)}, options(dir))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Stale) != 1 || !strings.Contains(r.Stale[0].Reason, "vendored") || r.Stale[0].Share != 0.5 ||
		len(r.Unexplained) != 1 || r.Unexplained[0].Evidence[0].Value != 1000 {
		t.Errorf("stale %+v, unexplained %+v", r.Stale, r.Unexplained)
	}
}

// decoding decodes JSON in two functions, in two places of one.
const decoding = `
-- go.mod --
module example.com/service

go 1.26
-- decode.go --
package service

import "encoding/json"

type item struct{ Name string }

func both(a, b []byte) (x, y []item) {
	_ = json.Unmarshal(a, &x)
	_ = json.Unmarshal(b, &y)
	return x, y
}

func one(a []byte) (x []item) {
	_ = json.Unmarshal(a, &x)
	return x
}
`

// addUp checks that findings and other hot lines are charged at most the total, and save at most
// everything, and that shared samples are charged to another finding.
func addUp(t *testing.T, r *find.Result) {
	t.Helper()
	sums, saving := map[find.Cost]int64{}, 0.0
	add := func(evidence []find.Evidence) {
		for _, e := range evidence {
			sums[e.Cost] += e.Value
			for _, c := range e.Callees {
				if c.Value > e.Value {
					t.Errorf("%s has %d of %d", c.Function, c.Value, e.Value)
				}
			}
		}
	}
	for _, f := range r.Findings {
		add(f.Evidence)
		saving += f.Saving
		if f.Alone < f.Saving-1e-9 {
			t.Errorf("%s saves %v, and alone %v", f.ID, f.Saving, f.Alone)
		}
		for _, s := range f.Shared {
			i := slices.IndexFunc(r.Findings, func(o find.Finding) bool { return o.ID == s.With })
			if s.With != "" && (i < 0 || s.With == f.ID || len(r.Findings[i].Evidence) == 0) {
				t.Errorf("%s shares %+v with %q", f.ID, s.Evidence, s.With)
			}
		}
	}
	for _, h := range r.Unexplained {
		add(h.Evidence) // what a setting saves may be there
	}
	for _, x := range r.Totals {
		if sums[x.Cost] > x.Value {
			t.Errorf("%s: %d is charged of %d", x.Cost, sums[x.Cost], x.Value)
		}
	}
	if saving > 1 {
		t.Errorf("%v of the CPU time can be saved", saving)
	}
}

// TestShared checks that each sample counts once when several rules match the same lines, and when
// the collector works in the program's goroutines.
func TestShared(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/service\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "text.go"), `package service

import (
	"fmt"
	"strings"
)

func text(names []string) string {
	all := ""
	for i, name := range names {
		all += fmt.Sprintf("%s%d", strings.NewReplacer("a", "b").Replace(name), i)
	}
	return all
}
`)
	made := func(types ...profile.ValueType) *profile.Profile {
		b := profile.NewBuilder(types...)
		addr := uint64(0)
		at := func(name string, line int32) uint32 {
			addr++
			file := "/go/src/x.go"
			if strings.HasPrefix(name, "example.com/") {
				file = "example.com/service/text.go"
			}
			return b.Location(addr, profile.None, false, profile.Line{
				Function: b.Function(profile.Function{Name: name, File: file}), Line: line,
			})
		}
		sample := func(value int64, stack ...string) {
			var locs []uint32
			for _, name := range stack {
				locs = append(locs, at(name, 11))
			}
			values := make([]int64, len(types))
			for i := range values {
				values[i] = value
			}
			if err := b.Sample(locs, nil, values...); err != nil {
				t.Fatal(err)
			}
		}
		const own = "example.com/service.text"
		sample(301, "runtime.mallocgc", "runtime.concatstrings", "runtime.concatstring2", own)
		sample(101, "runtime.gcAssistAlloc", "runtime.mallocgc", "runtime.concatstrings", "runtime.concatstring2", own)
		sample(203, "runtime.convTstring", own)
		sample(97, "runtime.mallocgc", "fmt.Sprintf", own)
		sample(55, "strings.NewReplacer", own)
		sample(53, own)
		if types[0].Type == "cpu" {
			sample(211, "runtime.scanobject", "runtime.gcDrain", "runtime.gcBgMarkWorker")
		}
		return b.Profile(nil)
	}
	o := options(dir)
	o.MinShare = 1e-6
	o.Target = find.Target{
		Build:  &recording.Build{Path: "example.com/service", Settings: nil},
		Before: []byte("# NumGC = 2\n"), After: []byte("# NextGC = 8388608\n# NumGC = 12\n"),
	}
	cpu := made(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	r, err := find.Find(t.Context(), find.Profiles{
		CPU: cpu,
		Allocs: made(profile.ValueType{Type: "alloc_objects", Unit: "count"}, profile.ValueType{
			Type: "alloc_space", Unit: "bytes",
		}),
	}, o)
	if err != nil {
		t.Fatal(err)
	}
	addUp(t, r)
	shared := 0
	for _, f := range r.Findings {
		shared += len(f.Shared)
	}
	if len(r.Findings) < 3 || shared == 0 {
		t.Errorf("%d findings, %d share samples: %+v", len(r.Findings), shared, r.Findings)
	}
	total := cpu.Collection(0)
	if gc := float64(211+101) / float64(total.All); r.GC != gc || r.GCBackground != float64(211)/float64(total.All) {
		t.Errorf("collector: %v, background %v; want %v", r.GC, r.GCBackground, gc)
	}
}

// TestScopes expects one finding, with the setting, for a cause that a setting fixes; one per
// function for a cause that is fixed there; and one for a rule about the whole program.
func TestScopes(t *testing.T) {
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(decoding)).Files {
		write(t, filepath.Join(dir, f.Name), string(f.Data))
	}
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	at := func(addr int, name, file string, line int32) uint32 {
		return b.Location(uint64(addr), profile.None, false, profile.Line{
			Function: b.Function(profile.Function{Name: name, File: file}), Line: line,
		})
	}
	below := at(1, "encoding/json.Unmarshal", "/go/src/encoding/json/decode.go", 1)
	for line, value := range map[int32]int64{8: 100, 9: 300, 14: 200} {
		if err := b.Sample([]uint32{below, at(int(line), "example.com/service.f", "example.com/service/decode.go", line)},
			nil, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Sample([]uint32{at(100, "runtime.gcBgMarkWorker", "/go/src/runtime/mgc.go", 1)}, nil, 400); err != nil {
		t.Fatal(err)
	}
	o := options(dir)
	o.Env = append(o.Env, "GOEXPERIMENT=nojsonv2") // the default since Go 1.27
	o.Target = find.Target{
		Build:  &recording.Build{Path: "example.com/service"},
		Before: []byte("# NumGC = 2\n# PauseTotalNs = 5\n"),
		After:  []byte("# NextGC = 8388608\n# NumGC = 12\n# PauseTotalNs = 9\n"),
	}
	r, err := find.Find(t.Context(), find.Profiles{CPU: b.Profile(nil)}, o)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range r.Findings {
		fix := ""
		if f.Fix != nil {
			fix = f.Fix.Message
		}
		var lines []int
		for _, p := range f.Places {
			lines = append(lines, p.Line)
		}
		got = append(got, fmt.Sprintf("%s %.2f %.2f %v %q", f.ID, f.Saving, f.Alone, lines, fix))
	}
	addUp(t, r)
	want := []string{
		`jsoncodec/jsonv2/1 0.40 0.40 [9 8 14] "Build it with GOEXPERIMENT=jsonv2"`,
		`gogc/gogc/gogc 0.30 0.30 [] "Run it with GOGC=400"`,
		// The first one is charged the same samples.
		`jsoncodec/decode.go/both/1 0.00 0.30 [9 8] ""`,
		`jsoncodec/decode.go/one/1 0.00 0.15 [14] ""`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if whole := finding(r, "runs too often"); whole == nil || whole.Where() != "the whole program" ||
		!strings.Contains(whole.Why, "8 MiB, 10 times in this recording") || whole.Rewrites() {
		t.Errorf("%+v", whole)
	}
}

// TestErrors checks that errors state what is wrong and have hints.
func TestErrors(t *testing.T) {
	dir, p := module(t)
	elsewhere := t.TempDir()
	write(t, filepath.Join(elsewhere, "go.mod"), "module example.com/other\n\ngo 1.26\n")
	for _, test := range []struct {
		name string
		dir  string
		p    find.Profiles
		want string
	}{
		{"no module", t.TempDir(), p, "no go.mod"},
		{"nothing in it", elsewhere, p, "no line of the module example.com/other"},
		{"no samples", dir, find.Profiles{}, "no samples"},
	} {
		_, err := find.Find(t.Context(), test.p, options(test.dir))
		var e *diag.Error
		if err == nil || !strings.Contains(err.Error(), test.want) || !errors.As(err, &e) || e.Hint == "" {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestOriginalDir finds in a module after rewrites: lines that only moved keep their charge,
// changed ones share that of the lines they replace, and deleted ones are not reported.
func TestOriginalDir(t *testing.T) {
	dir, p := module(t)
	before, err := find.Find(t.Context(), p, options(dir))
	if err != nil {
		t.Fatal(err)
	}
	rewritten, _ := module(t)
	file := filepath.Join(rewritten, "clean", "clean.go")
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(source)
	for _, change := range [][2]string{
		{"// Clean is slow", "// More\n// lines.\n\n// Clean is slow"},
		// Another rule matches what has replaced the pattern.
		{
			"\treturn regexp.MustCompile(\n\t\t\"[^a-z_]+\").ReplaceAllString(name, \"-\")",
			"\tjoined := \"\"\n\tfor _, r := range pattern.Split(name, -1) {\n\t\tjoined += r + \"-\"\n\t}\n\treturn joined",
		},
		{"// Order is expensive", "var pattern = regexp.MustCompile(\"[^a-z_]+\")\n\n// Order is expensive"},
	} {
		if !strings.Contains(text, change[0]) {
			t.Fatalf("%q is not there", change[0])
		}
		text = strings.Replace(text, change[0], change[1], 1)
	}
	write(t, file, text)

	o := options(rewritten)
	o.OriginalDir = dir
	after, err := find.Find(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(after.Stale) > 0 {
		t.Errorf("stale: %+v", after.Stale)
	}
	was, now := finding(before, "Replacer"), finding(after, "Replacer")
	if was == nil || now == nil || now.Places[0].Line != was.Places[0].Line+3 ||
		!slices.EqualFunc(was.Evidence, now.Evidence,
			func(a, b find.Evidence) bool { return a.Cost == b.Cost && a.Value == b.Value }) {
		t.Errorf("moved: was %+v, is %+v", was, now)
	}
	if finding(after, "regular expression compiled") != nil {
		t.Error("what was rewritten is found again")
	}
	joined := slices.IndexFunc(after.Findings, func(f find.Finding) bool {
		return strings.Contains(f.Places[0].Code, "joined")
	})
	if joined < 0 {
		t.Errorf("nothing is found in what a rewrite made: %+v", after.Findings)
	}
	i := slices.IndexFunc(after.Unexplained, func(h find.HotLine) bool { return strings.Contains(h.Code, "sort.Sort") })
	if i < 0 || !strings.Contains(after.Unexplained[i].Code, "sort.Sort") {
		t.Errorf("unexplained: %+v", after.Unexplained)
	}
}

// TestZeroOptions expects the zero Options to find the same as options that name the module, its own
// code and all rules.
func TestZeroOptions(t *testing.T) {
	dir, p := module(t)
	o := options(dir)
	o.MinShare = 0
	want, err := find.Find(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(dir, "clean"))
	got, err := find.Find(t.Context(), p, find.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ids := func(r *find.Result) (list []string) {
		for _, f := range r.Findings {
			list = append(list, fmt.Sprint(f.ID, f.Saving))
		}
		return list
	}
	if len(got.Findings) == 0 || !slices.Equal(ids(got), ids(want)) || got.Module != want.Module ||
		got.Rules != want.Rules || !slices.Equal(got.Totals, want.Totals) {
		t.Errorf("got %v of %d rules, totals %v\nwant %v of %d rules, totals %v",
			ids(got), got.Rules, got.Totals, ids(want), want.Rules, want.Totals)
	}
	none, err := find.Find(t.Context(), p, find.Options{Rules: []*rules.Rule{}})
	if err != nil {
		t.Fatal(err)
	}
	if none.Rules != 0 || len(none.Findings) > 0 || len(none.Unexplained) == 0 {
		t.Errorf("without rules: %+v", none)
	}
}

// TestFromRecording reads all profiles of a recording and what it contains about its program.
func TestFromRecording(t *testing.T) {
	made := func(kind, unit string) *profile.Profile {
		b := profile.NewBuilder(profile.ValueType{Type: kind, Unit: unit})
		main := b.Function(profile.Function{Name: "main.main"})
		at := b.Location(1, profile.None, false, profile.Line{Function: main, Line: 3})
		if err := b.Sample([]uint32{at}, nil, 7); err != nil {
			t.Fatal(err)
		}
		return b.Profile(nil)
	}
	rec := recordingtest.Open(t, nil,
		recordingtest.Profile{Name: "block", Profile: made("delay", "nanoseconds")},
		recordingtest.Profile{Name: "cpu", Profile: made("cpu", "nanoseconds")},
		recordingtest.Profile{Name: "heap", Profile: made("inuse_space", "bytes")},
	)
	p, o, err := find.FromRecording(rec)
	if err != nil {
		t.Fatal(err)
	}
	if p.CPU == nil || p.CPU.SampleTypes[0].Type != "cpu" || p.Block == nil || p.Block.SampleTypes[0].Type != "delay" ||
		p.Allocs != nil || p.Mutex != nil {
		t.Errorf("profiles: %+v", p)
	}
	if _, ok := o.Recorded("main.go"); ok || o.Recorded == nil || o.Target.Go != rec.Meta().GoVersion {
		t.Errorf("main.go is recorded: %v; Go %q, want %q", ok, o.Target.Go, rec.Meta().GoVersion)
	}
}
