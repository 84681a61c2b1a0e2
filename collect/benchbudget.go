package collect

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"github.com/whet-go/whet/bench/gotest"
)

// A benchBudget shares Options.Duration among the benchmarks of all packages. Each package gets
// what is left in proportion to its benchmarks, of which its second run gets a quarter at most.
// Package testing runs a benchmark for longer than -benchtime, to find the number of iterations,
// twice as long on a busy machine: it is told half of the share. What takes longer all the same is
// ended when the package's time is over.
type benchBudget struct {
	given string    // Options.BenchTime
	count int       // Options.Count
	end   time.Time // zero: as long as it takes
	all   int       // benchmarks
	left  int       // benchmarks of the packages that have not had their turn

	least, most time.Duration // of the benchtimes given
}

// A benchTurn is the share of a package.
type benchTurn struct {
	benchTime  string // of the first run, as -test.benchtime; "" leaves it to testing
	secondTime time.Duration
	end        time.Time // of both runs; zero: as long as they take
	reserved   time.Duration
}

const (
	budgetHint = "give more time with -d, or choose fewer benchmarks with --bench"
	// listShare is the part of the time, as a divisor, that naming the sub-benchmarks may take.
	listShare = 4
	// leastRun is what a process gets to start and measure at all.
	leastRun     = 500 * time.Millisecond
	minBenchTime = time.Millisecond
)

// newBudget starts the time. Sub-benchmarks are known once each benchmark has run once.
func (s *session) newBudget(ctx context.Context, pkgs []benchPackage) *benchBudget {
	b := &benchBudget{given: s.opt.BenchTime, count: max(1, s.opt.Count)}
	if s.opt.Duration > 0 && s.opt.Benchmark == nil {
		b.end = time.Now().Add(s.opt.Duration)
		s.report.expect(s.opt.Duration)
		list, cancel := context.WithTimeout(ctx, s.opt.Duration/listShare)
		defer cancel()
		s.report.run("naming the benchmarks", func() {
			for i := range pkgs {
				p := &pkgs[i]
				// What fails here fails again when it is recorded, and is told then.
				names, _, _ := p.binary.Benchmarks(list, s.bench(), gotest.RunOptions{Timeout: s.opt.Duration})
				p.count = max(p.count, len(names))
			}
		})
	}
	for _, p := range pkgs {
		b.all += p.count
	}
	b.left = b.all
	if b.end.IsZero() || ctx.Err() != nil {
		return b
	}
	if b.given != "" {
		s.report.note("%s, for %s each, within %v", numberOf(b.all, "benchmark"), b.given, s.opt.Duration)
	} else {
		first, _ := b.share(time.Until(b.end), b.all)
		s.report.note("%s share %v: about %v each", numberOf(b.all, "benchmark"), s.opt.Duration, first)
	}
	return b
}

// share returns how long n benchmarks run, each, in the first and the second run of total.
func (b *benchBudget) share(total time.Duration, n int) (first, second time.Duration) {
	each := total / time.Duration(n)
	second = min(each/4, secondRun*3/2)
	tell := func(d time.Duration) time.Duration {
		return max(minBenchTime, (d / 2).Truncate(time.Millisecond))
	}
	return tell((each - second) / time.Duration(b.count)), tell(second)
}

// next is the turn of a package; false when there is no time left for it.
func (b *benchBudget) next(p benchPackage) (benchTurn, bool) {
	turn := benchTurn{benchTime: b.given, secondTime: secondRun}
	if b.end.IsZero() {
		return turn, true
	}
	left := time.Until(b.end)
	if left <= 0 {
		return turn, false
	}
	total := left * time.Duration(p.count) / time.Duration(b.left)
	b.left -= p.count
	var first time.Duration
	first, turn.secondTime = b.share(total, p.count)
	if b.given == "" {
		turn.benchTime = first.String()
		b.most = max(b.most, first)
		if b.least == 0 || first < b.least {
			b.least = first
		}
	}
	turn.end = time.Now().Add(total)
	turn.reserved = min(total/4, time.Duration(p.count)*secondRun*3/2)
	return turn, true
}

// first and second are how long the runs may take; 0 is as long as they take.
func (t *benchTurn) first() time.Duration {
	if t.end.IsZero() {
		return 0
	}
	return max(leastRun, time.Until(t.end)-t.reserved)
}

func (t *benchTurn) second() time.Duration {
	if t.end.IsZero() {
		return 0
	}
	return max(leastRun, time.Until(t.end))
}

// note says how the time was spread, and how many of the results there are.
func (b *benchBudget) note(text []byte) string {
	if b.end.IsZero() {
		return ""
	}
	note := numberOf(b.all, "benchmark")
	if n, all := resultsIn(text), b.all*b.count; n < all {
		note += fmt.Sprintf(", %d of %s", n, numberOf(all, "result"))
	}
	switch {
	case b.given != "":
		return note + ", " + b.given + " each"
	case b.least < b.most:
		return fmt.Sprintf("%s, %v to %v each", note, b.least, b.most)
	}
	return fmt.Sprintf("%s, %v each", note, b.most)
}

func numberOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

var benchResult = regexp.MustCompile(`(?m)^Benchmark\S*[ \t]+\d+[ \t]+\S+ \S+`)

// resultsIn is the number of results in what test binaries have printed.
func resultsIn(text []byte) int { return len(benchResult.FindAllIndex(text, -1)) }
