package peers

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
)

// moved is a module whose benchmarks are the same with the tag moved, though a function comes first then that none of
// them calls. With the tag slower, too, they do 5% more.
func moved(size int) map[string]string {
	var steps strings.Builder
	for i := range size {
		fmt.Fprintf(&steps, "\tn ^= n << %d\n\tn *= %d\n", 1+i%31, 2*i+3)
	}
	return map[string]string{
		"go.mod": "module moved\n\ngo 1.24\n",
		"a.go": "//go:build moved\n\npackage moved\n\nfunc init() { hooks = append(hooks, first) }\n\n" +
			"//go:noinline\nfunc first(n int) int {\n" + steps.String() + "\treturn n\n}\n",
		"as.go":     "//go:build !slower\n\npackage moved\n\nconst turns = 20\n",
		"slower.go": "//go:build slower\n\npackage moved\n\nconst turns = 21\n",
		"work.go": `package moved

import (
	"slices"
	"strconv"
)

var hooks []func(int) int

//go:noinline
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

//go:noinline
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// Scan sums up the numbers in a text.
func Scan(text string) (sum int) {
	for i := 0; i < len(text); {
		switch {
		case isSpace(text[i]):
			i++
		case isDigit(text[i]):
			n := 0
			for i < len(text) && isDigit(text[i]) {
				n = 10*n + int(text[i]-'0')
				i++
			}
			sum += n
		default:
			i++
		}
	}
	return sum
}

//go:noinline
func less(a, b int) int { return (a^0x55)%1009 - (b^0x55)%1009 }

// Sort sorts a copy of numbers by what follows less.
func Sort(in, buffer []int) int {
	copy(buffer, in)
	slices.SortFunc(buffer, less)
	return buffer[0]
}

// Hash hashes a text.
func Hash(text string) (h uint32) {
	for i := range len(text) {
		h = (h ^ uint32(text[i])) * 16777619
	}
	return h
}

// Format formats numbers, and counts their digits.
func Format(in []int, buffer []byte) (n int) {
	for _, x := range in {
		buffer = strconv.AppendInt(buffer[:0], int64(x), 10)
		n += len(buffer)
	}
	return n
}
`,
		"work_test.go": `package moved

import (
	"strings"
	"testing"
)

var (
	text    = strings.Repeat("12 apples, 7 pears and 4096 plums\n", 40)
	numbers = func() (out []int) {
		for i := range 300 {
			out = append(out, i*7919%100003)
		}
		return out
	}()
	kept int
)

func BenchmarkScan(b *testing.B) {
	for b.Loop() {
		for range turns {
			kept += Scan(text)
		}
	}
}

func BenchmarkSort(b *testing.B) {
	buffer := make([]int, len(numbers))
	for b.Loop() {
		for range turns {
			kept += Sort(numbers, buffer)
		}
	}
}

func BenchmarkHash(b *testing.B) {
	for b.Loop() {
		for range turns {
			kept += int(Hash(text))
		}
	}
}

func BenchmarkFormat(b *testing.B) {
	buffer := make([]byte, 0, 32)
	for b.Loop() {
		for range turns {
			kept += Format(numbers, buffer)
		}
	}
}
`,
	}
}

// BenchmarkLayout compares builds that differ only in where the linker places their functions, because B has a
// function more that is never called: how often a difference of time is reported, as it is and with varied layouts.
// Then B does 5% more as well, with varied layouts. WHET_LAYOUT_CHANGES (12) is the number of such functions,
// WHET_LAYOUT_TIME (5s) the maximum time of each of four benchmarks.
func BenchmarkLayout(b *testing.B) {
	changes, err := strconv.Atoi(cmp.Or(os.Getenv("WHET_LAYOUT_CHANGES"), "12"))
	if err != nil {
		b.Fatal(err)
	}
	most, err := time.ParseDuration(cmp.Or(os.Getenv("WHET_LAYOUT_TIME"), "5s"))
	if err != nil {
		b.Fatal(err)
	}
	kinds := []layoutKind{
		{name: "as it is", tags: "moved"},
		{name: "varied", tags: "moved", vary: true},
		{name: "varied, 5% more work", tags: "moved,slower", vary: true},
	}
	var lines []string
	for b.Loop() {
		for i := range changes {
			dir := b.TempDir()
			for name, content := range moved(1 + 5*i) {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
					b.Fatal(err)
				}
			}
			for k := range kinds {
				r, err := builds.Run(b.Context(), builds.Side{Dir: dir},
					builds.Side{Dir: dir, Flags: []string{"-tags=" + kinds[k].tags}}, builds.Options{
						VaryLayout: kinds[k].vary, AB: ab.Options{MaxTime: most, Trial: time.Second, Seed: uint64(i + 1)},
					})
				if err != nil || r.Failed() {
					b.Fatal(r, err)
				}
				for _, s := range r.Subjects {
					if line := kinds[k].add(&s); line != "" {
						lines = append(lines, fmt.Sprintf("function %d, %s", i, line))
					}
				}
			}
		}
	}
	for _, k := range kinds {
		line := fmt.Sprintf("%s: %d of %d reported to differ", k.name, k.reported, k.all)
		if k.reported > 0 {
			line += fmt.Sprintf(", by %.1f%% to %.1f%%", 100*(k.least-1), 100*(k.most-1))
		}
		lines = append(lines, line)
	}
	b.ReportMetric(0, "ns/op")
	b.Log("\n" + strings.Join(lines, "\n"))
}

// A layoutKind is a way to compare builds, and what was reported.
type layoutKind struct {
	name, tags    string
	vary          bool
	reported, all int
	least, most   float64 // ratios of what was reported to differ
}

// add counts the result of a benchmark, and describes it; "" if no difference was reported.
func (k *layoutKind) add(s *ab.SubjectResult) string {
	u := &s.Units[0]
	k.all++
	if u.Verdict != ab.Better && u.Verdict != ab.Worse {
		return ""
	}
	ratio := float64(u.Ratio)
	if k.reported++; k.reported == 1 {
		k.least, k.most = ratio, ratio
	}
	k.least, k.most = min(k.least, ratio), max(k.most, ratio)
	return fmt.Sprintf("%s: %s %s %.3f (%.3f to %.3f), %d pairs", k.name, s.Name, u.Unit, ratio, float64(u.Low),
		float64(u.High), s.Pairs)
}
