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

// moved is a module whose benchmarks are the same, whatever the tag; with moved, a function comes first that none
// of them calls.
func moved(size int) map[string]string {
	var steps strings.Builder
	for i := range size {
		fmt.Fprintf(&steps, "\tn ^= n << %d\n\tn *= %d\n", 1+i%31, 2*i+3)
	}
	return map[string]string{
		"go.mod": "module moved\n\ngo 1.24\n",
		"a.go": "//go:build moved\n\npackage moved\n\nfunc init() { hooks = append(hooks, first) }\n\n" +
			"//go:noinline\nfunc first(n int) int {\n" + steps.String() + "\treturn n\n}\n",
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
		kept += Scan(text)
	}
}

func BenchmarkSort(b *testing.B) {
	buffer := make([]int, len(numbers))
	for b.Loop() {
		kept += Sort(numbers, buffer)
	}
}

func BenchmarkHash(b *testing.B) {
	for b.Loop() {
		kept += int(Hash(text))
	}
}

func BenchmarkFormat(b *testing.B) {
	buffer := make([]byte, 0, 32)
	for b.Loop() {
		kept += Format(numbers, buffer)
	}
}
`,
	}
}

// BenchmarkLayout compares builds that differ only in where the linker places their functions, because B has a
// function more that is never called: how often a difference of time is reported, as it is and with varied layouts.
// WHET_LAYOUT_CHANGES (12) is the number of such functions, WHET_LAYOUT_TIME (5s) the maximum time of each of four
// benchmarks.
func BenchmarkLayout(b *testing.B) {
	changes, err := strconv.Atoi(cmp.Or(os.Getenv("WHET_LAYOUT_CHANGES"), "12"))
	if err != nil {
		b.Fatal(err)
	}
	most, err := time.ParseDuration(cmp.Or(os.Getenv("WHET_LAYOUT_TIME"), "5s"))
	if err != nil {
		b.Fatal(err)
	}
	var lines []string
	for b.Loop() {
		var reported, all [2]int
		largest := [2]float64{1, 1}
		for i := range changes {
			dir := b.TempDir()
			for name, content := range moved(1 + 5*i) {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
					b.Fatal(err)
				}
			}
			for k, vary := range []bool{false, true} {
				r, err := builds.Run(b.Context(), builds.Side{Dir: dir}, builds.Side{Dir: dir, Flags: []string{"-tags=moved"}},
					builds.Options{VaryLayout: vary, AB: ab.Options{MaxTime: most, Trial: time.Second, Seed: uint64(i + 1)}})
				if err != nil || r.Failed() {
					b.Fatal(r, err)
				}
				for _, s := range r.Subjects {
					u := &s.Units[0]
					all[k]++
					if u.Verdict == ab.Better || u.Verdict == ab.Worse {
						reported[k]++
						ratio := float64(u.Ratio)
						largest[k] = max(largest[k], ratio, 1/ratio)
						lines = append(lines, fmt.Sprintf("function %d, varied %v: %s %s %.3f (%.3f to %.3f), %d pairs", i, vary,
							s.Name, u.Unit, ratio, float64(u.Low), float64(u.High), s.Pairs))
					}
				}
			}
		}
		for k, name := range []string{"as it is", "varied"} {
			lines = append(lines, fmt.Sprintf("%s: %d of %d reported to differ, by at most %.1f%%", name, reported[k], all[k],
				100*(largest[k]-1)))
		}
		b.ReportMetric(100*float64(reported[0])/float64(max(1, all[0])), "%reported")
		b.ReportMetric(100*float64(reported[1])/float64(max(1, all[1])), "%reported-varied")
	}
	b.ReportMetric(0, "ns/op")
	b.Log("\n" + strings.Join(lines, "\n"))
}
