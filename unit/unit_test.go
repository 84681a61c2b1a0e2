package unit_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	pprof "github.com/google/pprof/profile"

	"github.com/whet-go/whet/unit"
)

func TestString(t *testing.T) {
	for _, tt := range []struct {
		q    fmt.Stringer
		want string
	}{
		{unit.Of(1_250_000_000, "nanoseconds"), "1.25s"},
		{unit.Of(340_000_000, "nanoseconds"), "340ms"},
		{unit.Of(0, "nanoseconds"), "0"},
		{unit.Of(-1_500, "nanoseconds"), "-1.50us"},
		{unit.Of(5400, "seconds"), "1.50hrs"},
		{unit.Of(12_500*1024, "bytes"), "12.21MB"},
		{unit.Bytes(12<<20 + 512<<10), "12.50MB"},
		{unit.Bytes(512), "512B"},
		{unit.Of(77, "count"), "77"},
		{unit.Of(77, "apples"), "77"},
		{unit.Of(3, "nanogcu"), "3n*GCU"},
		{unit.Of(math.MinInt64, "count"), "-9223372036854775808"},
		{unit.Count(1_234_567), "1234567"},
	} {
		if got := tt.q.String(); got != tt.want {
			t.Errorf("%#v.String() = %q, want %q", tt.q, got, tt.want)
		}
	}
	if got := unit.Duration(90 * time.Minute); got != "1.50hrs" {
		t.Errorf("Duration(90m) = %q", got)
	}
	if got := unit.Of(250, "ms").In("s"); got != "0.25s" {
		t.Errorf("250ms in s = %q", got)
	}
}

func TestShort(t *testing.T) {
	for c, want := range map[unit.Count]string{
		0: "0", 999: "999", 1000: "1.0k", 1234: "1.2k", 9949: "9.9k", 9950: "10k", 34_000: "34k",
		999_499: "999k", 999_500: "1.0M", 5_600_000: "5.6M", -7_800_000_000: "-7.8G", math.MaxInt64: "9.2E",
	} {
		if got := c.Short(); got != want {
			t.Errorf("Count(%d).Short() = %q, want %q", c, got, want)
		}
	}
}

func TestPercent(t *testing.T) {
	for _, tt := range []struct {
		part, total int64
		want        string
	}{
		{1234, 10000, "12.34%"},
		{9996, 10000, "100%"},
		{1, 1, "100%"},
		{3, 2, "150.00%"},
		{123, 1_000_000, "0.012%"},
		{1, 0, "0%"},
		{0, 5, "0%"},
		{-5, 100, "-5.00%"},
		{5, -100, "5.00%"},
	} {
		if got := unit.Percent(tt.part, tt.total); got != tt.want {
			t.Errorf("Percent(%d, %d) = %q, want %q", tt.part, tt.total, got, tt.want)
		}
	}
}

func TestParseBytes(t *testing.T) {
	for s, want := range map[string]unit.Bytes{
		"0": 0, "512": 512, "512B": 512, "64kB": 64 << 10, "64K": 64 << 10, "1.5GB": 3 << 29,
		"2GiB": 2 << 30, " 3 mb ": 3 << 20,
	} {
		if got, err := unit.ParseBytes(s); err != nil || got != want {
			t.Errorf("ParseBytes(%q) = %d, %v; want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", "MB", "-1MB", "1 parsec", "1e30GB", "NaN"} {
		if got, err := unit.ParseBytes(s); err == nil {
			t.Errorf("ParseBytes(%q) = %d, want an error", s, got)
		}
	}
}

func TestCommonUnit(t *testing.T) {
	for _, tt := range []struct {
		low, high int64
		unit      string
		want      string
	}{
		{10_000_000, 20_000_000_000, "nanoseconds", "s"}, // 10ms of 20s: 0.01s
		{1_000_000, 20_000_000_000, "nanoseconds", "ms"}, // 1ms of 20s would be 0.00s
		{10_000_000, 500_000_000, "nanoseconds", "ms"},
		{700_000_000, 9_000_000_000, "nanoseconds", "s"},
		{5 << 10, 2 << 30, "bytes", "kB"},
		{0, 5 << 20, "bytes", "MB"},
		{1, 100, "count", "count"},
	} {
		if got := unit.CommonUnit(tt.low, tt.high, tt.unit); got != tt.want {
			t.Errorf("CommonUnit(%d, %d, %q) = %q, want %q", tt.low, tt.high, tt.unit, got, tt.want)
		}
	}
}

// TestAgainstPprof compares the text of many quantities and percentages with that of go tool pprof,
// which prints the former as values of numeric labels and the latter as shares of functions.
func TestAgainstPprof(t *testing.T) {
	gotool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command: ", err)
	}
	values := []int64{
		1, 9, 10, 99, 123, 999, 1000, 1023, 1024, 1025, 1536, 10_239, 99_999, 100_000, 1_000_000, 1_234_567,
		9_999_999, 12_500_000, 340_000_000, 999_999_999, 1_250_000_000, 59_999_999_999, 3_600_000_000_000,
		1 << 40, 1 << 50, 1 << 60,
	}
	units := []string{
		"nanoseconds", "ns", "microseconds", "us", "ms", "milliseconds", "seconds", "s", "hours",
		"bytes", "b", "kb", "kilobytes", "MB", "count", "apples", "nanogcu", "gcu",
	}

	p := &pprof.Profile{SampleType: []*pprof.ValueType{{Type: "n", Unit: "count"}}}
	add := func(name string, value int64) *pprof.Sample {
		f := &pprof.Function{ID: uint64(len(p.Function) + 1), Name: name}
		l := &pprof.Location{ID: f.ID, Address: f.ID, Line: []pprof.Line{{Function: f}}}
		s := &pprof.Sample{Location: []*pprof.Location{l}, Value: []int64{value}}
		p.Function, p.Location, p.Sample = append(p.Function, f), append(p.Location, l), append(p.Sample, s)
		return s
	}
	// Each unit needs its own label key: pprof has one unit per key.
	want := map[string]map[string]bool{}
	for i, u := range units {
		key := fmt.Sprintf("k%d", i)
		want[key] = map[string]bool{}
		for _, v := range values {
			s := add("f", 1)
			s.NumLabel = map[string][]int64{key: {v}}
			s.NumUnit = map[string][]string{key: {u}}
			want[key][unit.Of(v, u).In("auto")] = true
		}
	}
	tags := runPprof(t, gotool, p, "-tags")
	key, seen := "", 0
	for line := range strings.Lines(tags) {
		line = strings.TrimSpace(line)
		if k, _, ok := strings.Cut(line, ":"); ok && want[k] != nil {
			key = k
		} else if _, text, ok := strings.Cut(line, "): "); ok && key != "" {
			seen++
			// A unit unknown to pprof is left out of the text by both.
			if text = strings.TrimSpace(text); !want[key][text] {
				t.Errorf("%s: pprof writes %q, whet does not", key, text)
			}
		}
	}
	if seen < len(units)*len(values)*3/4 {
		t.Errorf("saw %d values in pprof's output, want most of %d:\n%s", seen, len(units)*len(values), tags)
	}

	p = &pprof.Profile{SampleType: []*pprof.ValueType{{Type: "n", Unit: "count"}}}
	parts := []int64{1, 2, 7, 12, 99, 100, 101, 500, 999, 9_900, 10_049, 12_345, 100_000, 777_777}
	total := int64(0)
	for i, v := range parts {
		add(fmt.Sprintf("part%02d", i), v)
		total += v
	}
	top := runPprof(t, gotool, p, "-top", "-nodefraction=0", "-nodecount=0")
	for i, v := range parts {
		name := fmt.Sprintf("part%02d", i)
		found := false
		for line := range strings.Lines(top) {
			if f := strings.Fields(line); len(f) == 6 && f[5] == name {
				found = true
				if got := unit.Percent(v, total); got != f[1] {
					t.Errorf("Percent(%d, %d) = %q, pprof writes %q", v, total, got, f[1])
				}
			}
		}
		if !found {
			t.Errorf("no %s in pprof's output:\n%s", name, top)
		}
	}
}

func runPprof(t *testing.T, gotool string, p *pprof.Profile, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.pb.gz")
	var buf bytes.Buffer
	if err := p.Write(&buf); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, buf.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd := exec.Command(gotool, append(append([]string{"tool", "pprof"}, args...), path)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go tool pprof %v: %v\n%s", args, err, stderr.String())
	}
	return string(out)
}

func FuzzParseBytes(f *testing.F) {
	for _, s := range []string{"", "0", "512MB", "1.5 GiB", "-1", "9e99PB", "b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if b, err := unit.ParseBytes(s); err == nil && b < 0 {
			t.Errorf("ParseBytes(%q) = %d", s, b)
		}
	})
}

// TestForeignUnit has a unit that would steer a terminal.
func TestForeignUnit(t *testing.T) {
	t.Parallel()
	if got, want := unit.Of(20, "a\x1b[31m\u202e\xff").In("b\x1b[31m\u202e\xff\u009b"), "20b�[31m���"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestParseShare(t *testing.T) {
	for text, want := range map[string]float64{"2%": 0.02, " 0.02 ": 0.02, "0": 0, "100%": 1, "1": 1, "0.5%": 0.005} {
		if got, err := unit.ParseShare(text); err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("ParseShare(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "%", "2", "101%", "-1%", "NaN", "x%"} {
		if got, err := unit.ParseShare(text); err == nil || !strings.Contains(err.Error(), "want a percentage") {
			t.Errorf("ParseShare(%q) = %v, %v", text, got, err)
		}
	}
}
