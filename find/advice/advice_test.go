package advice

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/goroutines"
	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/find/syntax"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/trace/requests"
	"github.com/whet-go/whet/trace/stacks"
)

// A world is the module in testdata/small, whose lines have names: //@name.
type world struct {
	t     *testing.T
	in    Input
	lines map[string]syntax.Line
	funcs map[string]string // of a name: the function around it, as stacks have it
}

const server = "net/http.serverHandler.ServeHTTP"

var marker = regexp.MustCompile(`//@(\w+)`)

func newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := filepath.Abs("testdata/small")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, lines: map[string]syntax.Line{}, funcs: map[string]string{}}
	w.in.Packages, err = driver.Load(t.Context(), driver.Options{Dir: dir}, "./...")
	if err != nil || len(w.in.Packages) == 0 {
		t.Fatalf("load: %v, %d packages", err, len(w.in.Packages))
	}
	w.in.Relative = func(file string) (string, bool) {
		rel, err := filepath.Rel(dir, file)
		return rel, err == nil && !strings.HasPrefix(rel, "..")
	}
	w.in.Locate = func(f stacks.Frame) (string, int, bool) {
		name, ok := w.in.Relative(f.File)
		return name, f.Line, ok
	}
	for _, pkg := range w.in.Packages {
		for _, f := range pkg.Syntax {
			name := filepath.Base(pkg.Fset.Position(f.FileStart).Filename)
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			for i, l := range strings.Split(string(text), "\n") {
				if m := marker.FindStringSubmatch(l); m != nil {
					w.lines[m[1]] = syntax.Line{File: name, Line: i + 1}
				}
			}
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok {
					for mark, at := range w.lines {
						if at.File == name && pkg.Fset.Position(fn.Pos()).Line <= at.Line && at.Line <= pkg.Fset.Position(fn.End()).Line {
							w.funcs[mark] = "example.com/small." + fn.Name.Name
						}
					}
				}
			}
		}
	}
	return w
}

// stack returns frames, leaf first: names of functions, and @name for a line of the module.
func (w *world) stack(list ...string) []stacks.Frame {
	w.t.Helper()
	var frames []stacks.Frame
	for _, f := range list {
		name, own := strings.CutPrefix(f, "@")
		if !own {
			frames = append(frames, stacks.Frame{Func: f})
			continue
		}
		at, ok := w.lines[name]
		if !ok {
			w.t.Fatalf("no line has the name %q", name)
		}
		frames = append(frames, stacks.Frame{
			Func: w.funcs[name], File: filepath.Join("testdata/small", at.File), Line: at.Line,
		})
	}
	for i := range frames {
		if frames[i].File != "" {
			abs, err := filepath.Abs(frames[i].File)
			if err != nil {
				w.t.Fatal(err)
			}
			frames[i].File = abs
		}
	}
	return frames
}

// A spent is a sample of a profile.
type spent struct {
	value int64
	stack []string
}

// profile returns a profile with samples. A sample without a stack is spent elsewhere.
func (w *world) profile(typ, unit string, list ...spent) *profile.Profile {
	w.t.Helper()
	b := profile.NewBuilder(profile.ValueType{Type: typ, Unit: unit})
	for _, s := range list {
		var stack []uint32
		for _, f := range w.stack(append(s.stack, "runtime.goexit")...) {
			fn := b.Function(profile.Function{Name: f.Func, SystemName: f.Func, File: f.File})
			stack = append(stack, b.Location(0, profile.None, false, profile.Line{Function: fn, Line: int32(f.Line)}))
		}
		if err := b.Sample(stack, nil, s.value); err != nil {
			w.t.Fatal(err)
		}
	}
	return b.Profile(&profile.Profile{Period: 10_000_000})
}

func (w *world) cpu(list ...spent) {
	w.in.CPU = w.profile("cpu", "nanoseconds", list...)
}

const second = int64(time.Second)

// waits adds waits of requests.
func (w *world) waits(count, requests int64, took time.Duration, stack ...string) {
	if w.in.Traces == nil {
		w.in.Traces = &Traces{requests: 100, time: 10 * time.Second, length: 2 * time.Second}
	}
	w.in.Traces.waits = append(w.in.Traces.waits, wait{
		cause: requestsCause, stack: w.stack(stack...), count: count, requests: requests, time: took,
	})
}

const requestsCause = requests.Network

// check compares the advice with "kind name" of the first place of each.
func (w *world) check(want ...string) []Advice {
	w.t.Helper()
	all := Find(w.in)
	var got []string
	for _, a := range all {
		name := fmt.Sprintf("%s:%d", a.File, a.Line)
		for mark, at := range w.lines {
			if at == (syntax.Line{File: a.File, Line: a.Line}) {
				name = mark
			}
		}
		got = append(got, string(a.Kind)+" "+name)
		if a.Title == "" || a.Evidence == "" || a.Do == "" || a.Of == "" || a.Share > 1 ||
			a.Share <= 0 && a.Kind != LoopTimer {
			w.t.Errorf("incomplete advice: %+v", a)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		w.t.Errorf("advice %q, want %q", got, want)
	}
	return all
}

func TestCallsInLoops(t *testing.T) {
	w := newWorld(t)
	const query = "database/sql.(*DB).QueryRowContext"
	w.waits(1000, 100, time.Second, "internal/poll.(*FD).Read", query, "@name", "@inLoop", server)
	w.waits(1000, 100, time.Second, "internal/poll.(*FD).Read", "database/sql.(*Rows).Next", "@rows", server)
	w.waits(100, 100, time.Second, query, "@name", "@dependent1", server)
	all := w.check("calls-in-loop inLoop")
	if len(all) == 1 && (!strings.Contains(all[0].Evidence, "10.0 times each") || all[0].Share != 0.1) {
		t.Errorf("evidence %q with share %v, want 10 waits of each request, and a tenth", all[0].Evidence, all[0].Share)
	}
	// Twice each may be a retry.
	w.in.Traces = nil
	w.waits(200, 100, time.Second, query, "@name", "@inLoop", server)
	w.check()
	// A database in the process does not wait.
	w.in.Traces = nil
	w.cpu(spent{9 * second, nil}, spent{second, []string{"modernc.org/sqlite.step", query, "@name", "@inLoop", server}},
		spent{second, []string{"modernc.org/sqlite.step", "database/sql.(*Rows).Next", "@rows", server}})
	w.check("calls-in-loop inLoop")
}

func TestSerialCalls(t *testing.T) {
	w := newWorld(t)
	const query = "database/sql.(*DB).QueryRowContext"
	both := func(a, b, first, second string) {
		w.waits(100, 100, time.Second, query, a, first, server)
		w.waits(100, 100, time.Second/2, query, b, second, server)
	}
	both("@name", "@price", "@first", "@second")
	both("@name", "@price", "@dependent1", "@dependent2")
	both("@name", "@price", "@decided1", "@decided2")
	w.waits(100, 100, time.Second, "database/sql.(*DB).ExecContext", "@sell", "@changing1", server)
	w.waits(100, 100, time.Second, query, "@price", "@changing2", server)
	all := w.check("serial-calls second")
	if len(all) == 1 && all[0].Share != 0.05 {
		t.Errorf("share %v, want that of the shorter wait: 0.05", all[0].Share)
	}
}

func TestHeldLocks(t *testing.T) {
	w := newWorld(t)
	w.in.Traces = &Traces{length: 2 * time.Second}
	w.in.Traces.locks = []contended{{
		waiting: w.stack("sync.(*Mutex).Lock", "@addLock", server), waking: w.stack("sync.(*Mutex).Unlock", "@topLock"),
		count: 100, time: time.Second, meanwhile: []doing{{share: 1}},
	}}
	w.cpu(spent{9 * second, nil}, spent{second, []string{"sort.Ints", "@sorts", server}},
		spent{second, []string{"@reads", server}})
	all := w.check("held-lock topLock")
	if len(all) == 1 && (all[0].Title != "lock held while sorting" ||
		!strings.Contains(all[0].Evidence, "0.50 goroutines")) {
		t.Errorf("%s: %s; want a lock held while sorting, and half a goroutine on average", all[0].Title, all[0].Evidence)
	}
	// Without waits, work that only one can do at a time is enough, but not that of readers.
	w.in.Traces = nil
	w.check("held-lock topLock")
	w.cpu(spent{second, []string{"@reads", server}}, spent{second, nil})
	w.check()
}

func TestGrowth(t *testing.T) {
	w := newWorld(t)
	heap := func(list ...spent) { w.in.Heap = w.profile("inuse_space", "bytes", list...) }
	heap(spent{1 << 20, []string{"@value", server}}, spent{1 << 20, nil})
	w.check("growth grows", "growth log")
	heap(spent{1 << 20, []string{"@grows", server}}, spent{1 << 20, []string{"@transient", server}})
	w.check("growth grows")
	heap(spent{1 << 20, []string{"@value", "runtime.main"}}, spent{1 << 20, nil}) // set up at the start
	w.check()
	heap(spent{1 << 10, []string{"@value", server}}, spent{1 << 30, nil})
	w.check()
}

func TestLeaks(t *testing.T) {
	w := newWorld(t)
	var stack []goroutines.Frame
	for _, f := range w.stack("runtime.chansend1", "@blocked") {
		stack = append(stack, goroutines.Frame(f))
	}
	s := &goroutines.Snapshot{Total: 200, Earlier: "its start", Groups: []goroutines.Group{
		{Stack: stack, Count: 100, Delta: 100, Verdict: goroutines.Suspect, Reason: "chan send"},
	}}
	w.in.Goroutines = s
	w.check("goroutine-leak go")
	s.Groups[0].Delta = 2 // work in progress
	w.check()
	s.Groups[0].Verdict, s.Groups[0].Leaked = goroutines.Leak, 2
	w.check("goroutine-leak go")
	s.Groups[0].Verdict = goroutines.Fine
	w.check()
}

func TestDecodedTwice(t *testing.T) {
	w := newWorld(t)
	const decode = "encoding/json.Unmarshal"
	w.cpu(spent{8 * second, nil}, spent{second, []string{decode, "@kind", "@decodes1", server}},
		spent{second, []string{decode, "@decodes2", server}}, spent{second, []string{decode, "@decodesOther", server}})
	w.check("decoded-twice decodes2")
	w.cpu(spent{8 * second, nil}, spent{second, []string{decode, "@audit", server}},
		spent{second, []string{decode, "@handler", "net/http.(*ServeMux).ServeHTTP", "@next", server}})
	w.check("decoded-twice handler")
	w.cpu(spent{8 * second, nil}, spent{second, []string{decode, "@audit", server}})
	w.check()
}

func TestRepeatedWork(t *testing.T) {
	w := newWorld(t)
	w.cpu(spent{8 * second, nil}, spent{second, []string{"html/template.ParseFiles", "@parses", server}})
	w.check("parsed-per-call parses")
	for _, parse := range []string{
		"html/template.ParseGlob", "text/template.ParseFS", "text/template.(*Template).ParseFiles",
		"html/template.(*Template).ParseFS",
	} {
		w.cpu(spent{8 * second, nil}, spent{second, []string{parse, "@parses", server}})
		w.check("parsed-per-call parses")
	}
	w.cpu(spent{8 * second, nil}, spent{second, []string{"html/template.ParseFiles", "@parses", "runtime.main"}})
	w.check()
	// A loop at the start parses each template once; in a program without requests, one may be parsed many times.
	start := spent{second, []string{"html/template.ParseFiles", "@parsesAll", "runtime.main"}}
	w.cpu(spent{8 * second, []string{"@upper", server}}, start)
	w.check()
	w.cpu(spent{8 * second, nil}, spent{second, []string{"html/template.ParseFiles", "@parsesAll", "runtime.doInit1"}})
	w.check()
	w.cpu(spent{8 * second, nil}, start)
	w.check("parsed-per-call parsesAll")
}

func TestConstantWork(t *testing.T) {
	w := newWorld(t)
	w.lines["zones"], w.funcs["zones"] = w.declared("func zones"), "example.com/small.zones"
	w.lines["current"], w.funcs["current"] = w.declared("func current"), "example.com/small.current"
	w.lines["since"], w.funcs["since"] = w.declared("func since"), "example.com/small.since"
	w.cpu(spent{8 * second, nil}, spent{second, []string{"strings.Split", "@zones", "@constant", server}},
		spent{second, []string{"strings.Split", "@current", "@changes", server}},
		spent{second, []string{"time.Now", "@since", "@clock", server}})
	w.check("constant-work constant")
	// What each request changes is not shared.
	for _, name := range []string{"tally", "visits", "table"} {
		w.lines[name], w.funcs[name] = w.declared("func "+name), "example.com/small."+name
	}
	w.cpu(spent{8 * second, nil}, spent{second, []string{"runtime.newobject", "@tally", "@fresh", server}},
		spent{second, []string{"runtime.makemap", "@visits", "@counter", server}},
		spent{second, []string{"strings.ToLower", "@table", "@filled", server}})
	w.check("constant-work filled")
	w.cpu(spent{8 * second, nil}, spent{second, []string{"strings.Split", "@zones", "@constant", "runtime.main"}})
	w.check()
}

// declared returns the line of work.go that begins with a text.
func (w *world) declared(text string) syntax.Line {
	w.t.Helper()
	all, err := os.ReadFile("testdata/small/work.go")
	if err != nil {
		w.t.Fatal(err)
	}
	for i, l := range strings.Split(string(all), "\n") {
		if strings.HasPrefix(l, text) {
			return syntax.Line{File: "work.go", Line: i + 1}
		}
	}
	w.t.Fatalf("no line begins with %q", text)
	return syntax.Line{}
}

func TestBusyLoops(t *testing.T) {
	w := newWorld(t)
	w.cpu(spent{6 * second, []string{"runtime.selectnbrecv", "@spin"}}, spent{second, []string{"@job"}},
		spent{second, []string{"runtime.selectnbrecv", "@polls"}}, spent{2 * second, nil},
		spent{second / 10, []string{"html/template.ParseFiles", "@parses", server}})
	all := w.check("busy-loop spin", "parsed-per-call parses")
	if len(all) == 2 && (all[0].Share < 0.59 || all[0].Share > 0.6 || !strings.Contains(all[1].Of, "outside busy loops")) {
		t.Errorf("shares %v and %v of %s, want 59%% without the job, and the second of the rest",
			all[0].Share, all[1].Share, all[1].Of)
	}
}

func TestLoopTimers(t *testing.T) {
	w := newWorld(t)
	w.in.Traces = &Traces{length: 2 * time.Second, selects: []counted{
		{w.stack("runtime.selectgo", "@batches"), 1000}, {w.stack("runtime.selectgo", "@spin"), 1000},
	}}
	all := w.check("loop-timer after")
	if len(all) == 1 && !strings.Contains(all[0].Evidence, "500 timers per second") {
		t.Errorf("evidence %q, want 500 timers per second", all[0].Evidence)
	}
	w.in.Traces.selects[0].count = 10
	w.check()
}

func TestUnbufferedLogs(t *testing.T) {
	w := newWorld(t)
	stack := []string{"syscall.Write", "os.(*File).Write", "log.(*Logger).output", "log.Print", "@entry", server}
	w.in.Traces = &Traces{length: 2 * time.Second, syscalls: []counted{{w.stack(stack...), 2000}}}
	w.cpu(spent{8 * second, nil}, spent{second, stack})
	all := w.check("unbuffered-log setOutput")
	if len(all) == 1 && (!strings.Contains(all[0].Evidence, "1000 writes per second") ||
		!strings.Contains(all[0].Do, fmt.Sprint(w.lines["fatal"].Line))) {
		t.Errorf("evidence %q, advice %q; want 1000 writes per second, and the line of log.Fatal", all[0].Evidence, all[0].Do)
	}
	buffered := slices.Insert(slices.Clone(stack), 2, "bufio.(*Writer).Flush")
	w.in.Traces = nil
	w.cpu(spent{8 * second, nil}, spent{second, buffered})
	w.check()
}

// TestNothing has no evidence, and no packages.
func TestNothing(t *testing.T) {
	if all := Find(Input{}); len(all) > 0 {
		t.Errorf("advice without input: %+v", all)
	}
	w := newWorld(t)
	w.check()
	w.in.Packages = nil
	w.cpu(spent{second, []string{"html/template.ParseFiles", "@parses", server}})
	w.check("parsed-per-call parses")
}
