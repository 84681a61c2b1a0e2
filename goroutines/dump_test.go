package goroutines_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/goroutines"
)

func readAll(t testing.TB, r io.Reader) ([]goroutines.Record, *goroutines.DumpInfo, error) {
	t.Helper()
	var recs []goroutines.Record
	info, err := goroutines.ReadDump(r, func(rec *goroutines.Record) error {
		c := *rec
		c.Stack, c.Labels = slices.Clone(rec.Stack), slices.Clone(rec.Labels)
		recs = append(recs, c)
		return nil
	})
	return recs, info, err
}

func dumpFiles(t testing.TB) []string {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 5 {
		t.Fatalf("dumps in testdata: %v, %v", files, err)
	}
	return slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, ".go.txt") })
}

// Each goroutine and each line of a call that a real dump has must come out, counted
// here with regular expressions over the text.
func TestRealDumps(t *testing.T) {
	count := func(data []byte, re string) int { return len(regexp.MustCompile(re).FindAll(data, -1)) }
	for _, file := range dumpFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			recs, info, err := readAll(t, bytes.NewReader(data))
			if err != nil || len(info.Warnings) > 0 {
				t.Fatal(err, info.Warnings)
			}
			want := count(data, `(?m)^goroutine \d+ .*\[.*\]:$|^\d+ @ 0x`) + count(data, `(?m)\n\d+ @ 0x`)
			if strings.Contains(file, "debug1") {
				want = count(data, `(?m)^\d+ @ 0x`)
			}
			if len(recs) != want {
				t.Errorf("%d goroutines, want %d", len(recs), want)
			}
			frames := 0
			for _, r := range recs {
				frames += len(r.Stack)
				if r.CreatedBy.Func != "" {
					frames++
				}
				for _, f := range append(r.Stack, r.CreatedBy) {
					if f.Func != "" && (f.File == "" || f.Line == 0) {
						t.Errorf("goroutine %d: %+v has no place", r.ID, f)
					}
				}
			}
			if places := count(data, `(?m)^\t\S+:\d+( \+0x|$| fp=)`) + count(data, `(?m)^#\t0x\S+\t`); frames != places {
				t.Errorf("%d frames, the text has %d places", frames, places)
			}
		})
	}
}

func TestDumpDetails(t *testing.T) {
	open := func(name string) []goroutines.Record {
		f, err := os.Open(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		recs, _, err := readAll(t, f)
		if err != nil {
			t.Fatal(err)
		}
		return recs
	}
	find := func(recs []goroutines.Record, id uint64) goroutines.Record {
		for _, r := range recs {
			if r.ID == id {
				return r
			}
		}
		t.Fatalf("no goroutine %d", id)
		return goroutines.Record{}
	}
	stack := open("go1.26.stack.txt")
	if r := find(stack, 27); r.Elided != 51 || len(r.Stack) != 100 {
		t.Errorf("deep goroutine: %d frames, %d elided, want 100 and 51", len(r.Stack), r.Elided)
	}
	if r := find(stack, 37); r.State != "select" || !r.Locked {
		t.Errorf("locked goroutine: %q, locked %v", r.State, r.Locked)
	}
	if r := find(stack, 39); r.CreatedBy != (goroutines.Frame{
		Func: "main.main.func10.1", File: "/tmp/g/main.go",
		Line: 67,
	}) || r.CreatorID != 38 ||
		!slices.Equal(r.Labels, []goroutines.Label{{Key: "route", Value: `/x"`}, {Key: "user", Value: "a b"}}) &&
			len(r.Labels) != 0 {
		t.Errorf("labeled goroutine: %+v", r)
	}
	panicked := open("go1.26.panic.txt")
	if r := find(panicked, 39); !slices.Equal(r.Labels,
		[]goroutines.Label{{Key: "route", Value: `/x"`}, {Key: "user", Value: "a b"}}) || r.State != "chan receive" {
		t.Errorf("labeled goroutine: %+v", r)
	}
	if r := find(panicked, 24); r.State != "chan receive (nil chan)" || !r.Leaked {
		t.Errorf("leaked goroutine: %q, leaked %v", r.State, r.Leaked)
	}
	if r := find(open("go1.26.synctest.txt"), 11); r.Bubble != 1 || !r.Durable || r.State != "chan receive" {
		t.Errorf("bubbled goroutine: %+v", r)
	}
	if r := find(open("go1.26.crash.txt"), 19); r.State != "chan receive" || r.Stack[3].Func != "main.(*T[...]).wait" ||
		r.Stack[3].Line != 5 {
		t.Errorf("goroutine of a crash: %+v", r)
	}
}

func TestDumpShapes(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       string // of the record, or the error
	}{
		{
			"minutes", "goroutine 7 [select, 3 minutes, locked to thread]:\nmain.f(0x1, {0x2, 0x3})\n\t/a b/c.go:12 " +
				"+0x1b\ncreated by main.main in goroutine 1\n\t/a b/c.go:3 +0x2\n",
			"7 select 3m main.f /a b/c.go:12 by main.main in 1 locked",
		},
		{
			"before Go 1.21", "goroutine 7 [chan receive]:\nmain.f()\n\t/c.go:12 +0x1b\ncreated by main.main\n\t/c.go:3 +0x2\n",
			"7 chan receive 0m main.f /c.go:12 by main.main in 0",
		},
		{
			"crlf and windows", "goroutine 7 [IO wait, 12 minutes]:\r\nmain.f()\r\n\tC:/x/c.go:12 +0x1b\r\n\r\n",
			"7 IO wait 12m main.f C:/x/c.go:12",
		},
		{"other thread", "goroutine 7 [running]:\n\tgoroutine running on other thread; stack unavailable\ncreated by " +
			"main.main\n\t/c.go:3 +0x2\n", "7 running 0m by main.main in 0 unavailable"},
		{"scan", "goroutine 7 [runnable (scan)]:\nmain.f()\n\t/c.go:12 +0x1b\n", "7 runnable 0m main.f /c.go:12"},
		{"old elision", "goroutine 7 [running]:\nmain.f()\n\t/c.go:12 +0x1b\n...additional frames elided...\ncreated by " +
			"main.main\n\t/c.go:1 +0x2\n", "7 running 0m main.f /c.go:12 by main.main in 0 elided -1"},
		{"in a log", "2026/01/02 http: panic serving\npanic: boom\n\ngoroutine 7 [running]:\nmain.f()\n\t/c.go:12 " +
			"+0x1b\nexit status 2\n", "7 running 0m main.f /c.go:12"},
		{
			"huge minutes", "goroutine 7 [select, 99999999999999999999 minutes]:\nmain.f()\n\t/c.go:12\n",
			"7 select 0m main.f /c.go:12",
		},
		{"no goroutine", "hello\n", "error"},
		{"empty", "", "error"},
	} {
		recs, _, err := readAll(t, strings.NewReader(c.text))
		got := "error"
		if err == nil && len(recs) == 1 {
			r := recs[0]
			got = fmt.Sprintf("%d %s %dm", r.ID, r.State, r.Minutes)
			for _, f := range r.Stack {
				got += fmt.Sprintf(" %s %s:%d", f.Func, f.File, f.Line)
			}
			if r.CreatedBy.Func != "" {
				got += fmt.Sprintf(" by %s in %d", r.CreatedBy.Func, r.CreatorID)
			}
			if r.Elided != 0 {
				got += fmt.Sprintf(" elided %d", r.Elided)
			}
			if r.Locked {
				got += " locked"
			}
			if r.Unavailable {
				got += " unavailable"
			}
		}
		if err != nil && !errors.Is(err, goroutines.ErrNoGoroutines) {
			t.Errorf("%s: %v", c.name, err)
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// A dump is cut at 64 MB by net/http/pprof, and anywhere by a full disk.
func TestTruncatedDump(t *testing.T) {
	data, err := os.ReadFile("testdata/go1.26.stack.txt")
	if err != nil {
		t.Fatal(err)
	}
	whole, _, _ := readAll(t, bytes.NewReader(data))
	for n := len(data) - 2; n > len(data)-400; n -= 7 {
		recs, _, err := readAll(t, bytes.NewReader(data[:n]))
		if err != nil {
			t.Fatal(err)
		}
		if len(recs) < len(whole)-3 {
			t.Fatalf("%d bytes: %d goroutines of %d", n, len(recs), len(whole))
		}
	}
	cut := bytes.Index(data, []byte("main.main.func10.1.1()")) + 10
	if _, info, _ := readAll(t, bytes.NewReader(data[:cut])); !info.Truncated || len(info.Warnings) != 1 {
		t.Errorf("cut in a call: %+v", info)
	}
}

// A line without end must not be kept.
func TestDumpMemory(t *testing.T) {
	long := "goroutine 1 [running]:\nmain.f(" + strings.Repeat("0x1, ", 1<<20) + ")\n\t/c.go:1 +0x1\n"
	recs, _, err := readAll(t, strings.NewReader(long))
	if err != nil || len(recs) != 1 {
		t.Fatal(err, len(recs))
	}
	deep := "goroutine 1 [running]:\n" + strings.Repeat("main.f()\n\t/c.go:1 +0x1\n", 100_000)
	recs, _, err = readAll(t, strings.NewReader(deep))
	if err != nil || len(recs[0].Stack) > 4096 || recs[0].Elided+len(recs[0].Stack) != 100_000 {
		t.Errorf("%v: %d frames, %d elided", err, len(recs[0].Stack), recs[0].Elided)
	}
	var many strings.Builder
	for i := range 50 {
		fmt.Fprintf(&many, "goroutine %d [running]:\nmain.f%d()\n\t/c.go:1 +0x1\n\n", i+1, i)
	}
	s, err := goroutines.FromDump(strings.NewReader(many.String()), goroutines.Options{MaxGroups: 10})
	if err != nil || len(s.Groups) != 10 || s.Folded != 40 || s.Total != 50 || len(s.Warnings) != 1 {
		t.Errorf("%v: %d groups, %d folded of %d, %v", err, len(s.Groups), s.Folded, s.Total, s.Warnings)
	}
}

func FuzzReadDump(f *testing.F) {
	for _, file := range dumpFiles(f) {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("goroutine 7 [select, 3 minutes, locked to thread, synctest bubble 2 labels:{\"a\": " +
		"\"b\"}]:\nmain.f(...)\n\t/c.go:1\n...5 frames elided...\ncreated by x in goroutine 9\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		total := int64(0)
		info, err := goroutines.ReadDump(bytes.NewReader(data), func(r *goroutines.Record) error {
			if r.Count < 0 || r.Minutes < 0 || r.Wait() < 0 || len(r.Stack) > 4096 {
				t.Errorf("%+v", r)
			}
			total += r.Count
			return nil
		})
		if err == nil && info.Total != total {
			t.Errorf("total %d, visited %d", info.Total, total)
		}
		s, ferr := goroutines.FromDump(bytes.NewReader(data), goroutines.Options{})
		if (ferr == nil) != (err == nil) {
			t.Errorf("ReadDump: %v, FromDump: %v", err, ferr)
		}
		if ferr == nil {
			sum := int64(0)
			for i := range s.Groups {
				sum += s.Groups[i].Count
			}
			if sum+s.Folded != s.Total {
				t.Errorf("groups have %d of %d", sum, s.Total)
			}
		}
	})
}

func BenchmarkReadDump(b *testing.B) {
	data, err := os.ReadFile("testdata/go1.26.stack.txt")
	if err != nil {
		b.Fatal(err)
	}
	data = bytes.Repeat(append(data, '\n'), 100)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := goroutines.FromDump(bytes.NewReader(data), goroutines.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
