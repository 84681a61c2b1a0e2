package syntax_test

import (
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/prove/syntax"
)

// TestPackageSuspects names what a package keeps between calls, no longer does, or takes from its
// tests, and accepts what is much like it.
func TestPackageSuspects(t *testing.T) {
	const tests = "package a\n\nvar _ = F(\"the measured input\") + F(\"4321\")\n\nconst n = 54321\n"
	for _, test := range []struct {
		name, before, after, want string
	}{
		{
			"a map of results", `func F(s string) int { return len(s) }`,
			`var m = map[string]int{}; func F(s string) int { m[s] = len(s); return m[s] }`,
			"variable m between calls of F",
		},
		{
			"a map that was there", `var m = map[string]int{}; func F(s string) int { m[s]++; return m[s] }`,
			`var m = map[string]int{}; func F(s string) int { n := m[s] + 1; m[s] = n; return n }`, "",
		},
		{
			"a map within the call", `func F(s string) int { return len(s) }`,
			`func F(s string) int { m := map[string]int{}; m[s] = len(s); return m[s] }`, "",
		},
		{
			"a map that is only read", `func F(s string) int { return len(s) }`,
			`var m = map[string]int{"a": 1}; func F(s string) int { return m[s] }`, "",
		},
		{
			"a sync.Map", `import "sync"; var _ sync.Mutex; func F(s string) int { return len(s) }`,
			`import "sync"; var m sync.Map; func F(s string) int { m.Store(s, len(s)); return len(s) }`,
			"variable m between calls of F",
		},
		{
			"an atomic counter", `func F(s string) int { return len(s) }`,
			`import "sync/atomic"; var n int64; func F(s string) int { atomic.AddInt64(&n, 1); return len(s) }`,
			"variable n between calls of F",
		},
		{
			"a cache with a type", `func F(s string) int { return len(s) }`,
			`type memo map[string]int; type box struct{ m memo }; func (b *box) len(s string) int { b.m[s] = len(s)
			return b.m[s] }
			var all box; func F(s string) int { return all.len(s) }`,
			"variable all between calls of F",
		},
		{
			"once, with an argument", `func F(s string) int { return len(s) }`,
			`import "sync"; var once sync.Once; var n int; func F(s string) int { once.Do(func() { n = len(s) })
			return n }`,
			"variable n between calls of F; variable once between calls of F",
		},
		{
			"once, a table", `func F(s string) int { return len(s) }`,
			`import "sync"; var once sync.Once; var n int; func F(s string) int { once.Do(func() { n = 1 })
			return n }`, "",
		},
		{
			"a closure", `func F(s string) int { return len(s) }`,
			`var f = func() func(string) int { m := map[string]int{}; return func(s string) int { m[s] = 1
			return m[s] } }()
			func F(s string) int { return f(s) }`,
			"variable f between its calls",
		},
		{
			"a map in a receiver", `type T struct{ n int }; func (t *T) F(s string) int { t.n = 1; return len(s) }`,
			`type T struct{ n int; m map[string]int }; func (t *T) F(s string) int { t.n = 1
			t.m[s] = len(s); return t.m[s] }`,
			"field T.m between calls of (*T).F",
		},
		{
			"the last argument", `type T struct{ n int }; func (t *T) F(s string) int { t.n = 1; return len(s) }`,
			`type T struct{ n int; last string }; func (t *T) F(s string) int { if t.last == s { return t.n }
			t.last = s; t.n = len(s); return t.n }`,
			"field T.last between calls of (*T).F",
		},
		{
			"a buffer of a type that keeps state",
			`type T struct{ n int }; func (t *T) F(s string) int { t.n++; return len(s) }`,
			`type T struct{ n int; b []byte }; func (t *T) F(s string) int { t.n++
			t.b = append(t.b[:0], s...); return len(t.b) }`,
			"",
		},
		{
			"a buffer of a type that is only read", `type T struct{ n int }
			func (t *T) F(s string) int { return len(s) + t.n }`,
			`type T struct{ n int; b []byte }; func (t *T) F(s string) int { t.b = append(t.b[:0], s...)
			return len(t.b) + t.n }`,
			"field T.b between calls of (*T).F",
		},
		{
			"a buffer of a type for one goroutine",
			"// A T must not be used by several goroutines.\ntype T struct{ n int }; " +
				"func (t *T) F(s string) int { return len(s) }",
			"// A T must not be used by several goroutines.\ntype T struct{ n int; b []byte }; " +
				"func (t *T) F(s string) int { t.b = append(t.b[:0], s...); return len(t.b) }",
			"",
		},
		{
			"a local of the same name", `var m = map[string]int{}; func F(s string) int { return m[s] }`,
			`var m = map[string]int{}; func F(s string) int { m := map[string]int{}; m[s] = 1; return m[s] }`, "",
		},
		{
			"a source of random numbers", `import "math/rand"; func F(s string) int { return rand.Int() }`,
			`import "math/rand"; var r = rand.New(rand.NewSource(1)); func F(s string) int { return r.Int() }`,
			"variable r",
		},
		{
			"the surroundings", `func F(s string) int { return len(s) }`,
			`import "os"; var _, err = os.Stat("a.go"); func F(s string) int { return len(s) }`,
			"variable _; variable err",
		},
		{
			"Sync", `import "os"; func F(f *os.File) error { _, err := f.WriteString("x"); _ = err; return f.Sync() }`,
			`import "os"; func F(f *os.File) error { _, err := f.WriteString("x"); return err }`, "no f.Sync",
		},
		{
			"Sync in a function that is called",
			`import "os"; func F(f *os.File) error { return f.Sync() }; func done(f *os.File) error { return f.Sync() }`,
			`import "os"; func F(f *os.File) error { return done(f) }
			func done(f *os.File) error { return f.Sync() }`, "",
		},
		{
			"Close", `import "os"; func F(s string) (*os.File, error) { f, err := os.Open(s)
			f.Close(); return nil, err }`,
			`import "os"; func F(s string) (*os.File, error) { _, err := os.Open(s); return nil, err }`, "no f.Close",
		},
		{
			"Close with Open", `import "os"; func F(s string) error { f, err := os.Open(s); f.Close(); return err }`,
			`import "os"; func F(s string) error { _, err := os.ReadFile(s); return err }`, "",
		},
		{
			"a lock", `import "sync"; type T struct{ mu sync.Mutex; n int }
			func (t *T) F() int { t.mu.Lock(); defer t.mu.Unlock(); return t.n }`,
			`import "sync"; type T struct{ mu sync.Mutex; n int }; func (t *T) F() int { return t.n }`, "no mu.Lock",
		},
		{
			"a lock in a method with the name of a field", `import ("reflect"; "sync"; "unsafe"); type T struct{ mu sync.Mutex }
			func (t *T) Len() int { t.mu.Lock(); defer t.mu.Unlock(); return 1 }
			func F(b []byte) string { h := (*reflect.SliceHeader)(unsafe.Pointer(&b))
			s := reflect.StringHeader{Data: h.Data, Len: h.Len}; return *(*string)(unsafe.Pointer(&s)) }`,
			`import ("sync"; "unsafe"); type T struct{ mu sync.Mutex }
			func (t *T) Len() int { t.mu.Lock(); defer t.mu.Unlock(); return 1 }
			func F(b []byte) string { return *(*string)(unsafe.Pointer(&b)) }`, "",
		},
		{
			"a lock behind an interface of another package", `import ("sort"; "sync"); type T struct{ mu sync.Mutex }
			func (t *T) Len() int { t.mu.Lock(); defer t.mu.Unlock(); return 1 }
			func F(x sort.Interface) int { return x.Len() }`,
			`import ("sort"; "sync"); type T struct{ mu sync.Mutex }
			func (t *T) Len() int { t.mu.Lock(); defer t.mu.Unlock(); return 1 }
			func F(x sort.Interface) int { return 1 }`, "no mu.Lock",
		},
		{
			"a context", `import "context"; func F(ctx context.Context) error { return ctx.Err() }`,
			`import "context"; func F(ctx context.Context) error { return nil }`, "no its context",
		},
		{
			"a metric", `var Count int; func F(s string) int { Count++; return len(s) }`,
			`var Count int; func F(s string) int { return len(s) }`, "no variable Count",
		},
		{
			"a log line", `import "log"; func F(s string) int { log.Print(s); return len(s) }`,
			`func F(s string) int { return len(s) }`, "no log.Print",
		},
		{
			"a sort", `import "sort"; func F(s []int) { sort.Ints(s); sort.Sort(sort.IntSlice(s)) }`,
			`func F(s []int) { for i := range s { for j := range i { if s[j] > s[i] { s[i], s[j] = s[j], s[i] } } } }`,
			"no sort.Sort",
		},
		{
			"a stable sort",
			`import "sort"; func F(s []int) { sort.SliceStable(s, func(i, j int) bool { return s[i] < s[j] }) }`,
			`import "sort"; func F(s []int) { sort.Slice(s, func(i, j int) bool { return s[i] < s[j] }) }`,
			"no sort.SliceStable",
		},
		{
			"a sort that is not needed", `import "sort"; func F(s []int) { sort.Sort(sort.IntSlice(s)) }`,
			`func F(s []int) { for i := range s { s[i]++ } }`, "",
		},
		{
			"Rename", `import "os"; func F(s string) { os.WriteFile(s+"x", nil, 0); os.Rename(s+"x", s) }`,
			`import "os"; func F(s string) { os.WriteFile(s, nil, 0) }`, "no os.Rename",
		},
		{
			"an input of a test", `func F(s string) int { return len(s) }`,
			`func F(s string) int { if s == "the measured input" { return 18 }; return len(s) }`,
			`a constant of the tests ("the measured input")`,
		},
		{
			"a number of a test", `func F(n int) int { return n }`,
			`func F(n int) int { switch n { case 54321: return 54321 }; return n }`, `a constant of the tests ("54321")`,
		},
		{
			"an input that was there", `func F(s string) bool { return s < "the measured input" }`,
			`func F(s string) bool { return s != "the measured input" }`, "",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			list, err := syntax.Suspects(nil, []syntax.Sources{{
				Before: map[string][]byte{"a.go": []byte("package a\n\n" + test.before + "\n")},
				After:  map[string][]byte{"a.go": []byte("package a\n\n" + test.after + "\n")},
				Tests:  map[string][]byte{"a_test.go": []byte(tests)},
			}})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range list {
				what := s.What
				if s.Gone {
					what = "no " + what
				}
				got = append(got, what)
				if s.Why == "" || s.File != "a.go" {
					t.Errorf("%+v", s)
				}
			}
			if strings.Join(got, "; ") != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
