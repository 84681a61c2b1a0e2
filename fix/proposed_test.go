package fix_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/prove"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/recording/recordingtest"
)

// formats is a module with three hot lines that no rule can rewrite: a candidate of the first is right and
// allocates less, one of the second fails for a nil pointer, and one of the third allocates as much.
const formats = `package text

import (
	"errors"
	"fmt"
	"strconv"
)

// A Point has a position.
type Point struct{ at int }

// String returns the position.
func (p *Point) String() string { return "at " + strconv.Itoa(p.at) }

// Check checks a length.
func Check(n int) error {
	if n < 0 {
		return errors.New("negative length")
	}
	return nil
}

// Describe describes a point.
func Describe(name string, p *Point) string {
	return fmt.Sprintf("%s: %v", name, p)
}

// Price returns the price of a number of goods.
func Price(prices map[string]int, name string, n int) int {
	if prices[name] > 1000 {
		return n
	}
	return n * prices[name]
}
`

const formatBenchmarks = `package text

import "testing"

var (
	failed error
	sink   string
	sum    int
)

func BenchmarkCheck(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		failed = Check(-1)
	}
}

func BenchmarkDescribe(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		sink = Describe("a name that is not short", &Point{3})
	}
}

func BenchmarkPrice(b *testing.B) {
	b.ReportAllocs()
	prices := map[string]int{"tea": 3, "coffee": 4}
	for b.Loop() {
		sum += Price(prices, "tea", 2)
	}
}
`

// recordedFormats writes the module, and a recording of a program that spends its time in the three lines.
func recordedFormats(t *testing.T) (dir string, rec *recording.Recording) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/f\n\ngo 1.26\n", "text/text.go": formats, "text/text_test.go": formatBenchmarks,
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := profile.NewBuilder(profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	for i, one := range []struct {
		function, code, callee string
	}{
		{"Check", "return errors.New", "errors.New"},
		{"Describe", "return fmt.Sprintf", "fmt.Sprintf"},
		{"Price", "return n * prices", "runtime.mapaccess1_faststr"},
	} {
		file := filepath.Join(dir, "text", "text.go")
		lineOf := func(code string) int32 {
			before, _, ok := strings.Cut(formats, code)
			if !ok {
				t.Fatalf("no %q", code)
			}
			return int32(1 + strings.Count(before, "\n"))
		}
		at := b.Location(0, profile.None, false, profile.Line{
			Function: b.Function(profile.Function{
				Name: "example.com/f/text." + one.function, File: file, StartLine: int64(lineOf("func " + one.function + "(")),
			}),
			Line: lineOf(one.code),
		})
		below := b.Location(0, profile.None, false, profile.Line{
			Function: b.Function(profile.Function{Name: one.callee, File: "/go/src/x.go"}), Line: 40,
		})
		if err := b.Sample([]uint32{below, at}, nil, int64(100-i)); err != nil {
			t.Fatal(err)
		}
	}
	return dir, recordingtest.Open(t, nil, recordingtest.Profile{Name: "cpu", Profile: b.Profile(nil)})
}

// TestProposed keeps the candidate that is proven, and remembers why the others are not.
func TestProposed(t *testing.T) {
	t.Parallel()
	dir, rec := recordedFormats(t)
	profiles, look, err := find.FromRecording(rec)
	if err != nil {
		t.Fatal(err)
	}
	look.Dir = dir
	look.Own = func(f profile.Function) bool { return strings.HasPrefix(f.Name, "example.com/f/") }
	found, err := find.Find(t.Context(), profiles, look)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range found.Findings {
		if x.Rewrites() {
			t.Errorf("a rule rewrites %s: %s", x.Where(), x.Title)
		}
	}
	byFunction := map[string]string{}
	for _, c := range found.Candidates {
		byFunction[c.Function] += c.Generator
		if c.Tier != find.Proposed || c.Assumes == "" || c.Change.Diff == "" {
			t.Errorf("%+v", c)
		}
	}
	if byFunction["Check"] != "error" || byFunction["Describe"] != "format" || byFunction["Price"] != "lookup" {
		t.Fatalf("the candidates: %v", byFunction)
	}

	o := options()
	o.Profiles, o.Find, o.Temp, o.Budget = profiles, look, t.TempDir(), 20*time.Minute
	r, err := fix.Run(t.Context(), found, o)
	if err != nil {
		t.Fatal(err)
	}
	outcomes := map[string]prove.Outcome{}
	for i := range r.Attempts {
		a := &r.Attempts[i]
		outcomes[a.Finding.Function] = a.Outcome
		if a.Finding.Tier != find.Proposed || a.Kept() != (a.Outcome == prove.OutcomeFaster) || a.Diff == "" {
			t.Errorf("%s: %s: %s", a.Finding.Function, a.Stage, a.Reason)
		}
		if a.Finding.Function == "Describe" && (a.Stage != fix.StageCompare || !strings.Contains(a.Reason, "nil")) {
			t.Errorf("no counterexample: %s: %s", a.Stage, a.Reason)
		}
		t.Logf("%s: %s, %s: %s", a.Finding.Function, a.Outcome, a.Stage, a.Reason)
	}
	for function, want := range map[string]prove.Outcome{
		"Check": prove.OutcomeFaster, "Describe": prove.OutcomeDifferent, "Price": prove.OutcomeSameSpeed,
	} {
		if outcomes[function] != want {
			t.Errorf("the candidate of %s is %q, want %q", function, outcomes[function], want)
		}
	}
	if text, err := json.Marshal(r); err != nil || !strings.Contains(string(text), `"tier":"proposed"`) ||
		!strings.Contains(string(text), `"outcome":"different"`) {
		t.Errorf("the JSON does not have the outcomes: %v", err)
	}
	if len(r.Kept()) != 1 {
		t.Errorf("%d kept", len(r.Kept()))
	}
}
