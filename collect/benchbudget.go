package collect

import (
	"context"
	"fmt"
	"time"

	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/collect/testoutput"
)

// A benchBudget divides Options.Duration among the benchmarks of all packages. Each package gets a
// share of the remaining time in proportion to its number of benchmarks, of which its second run
// gets at most a quarter. Package testing runs a benchmark for longer than -benchtime, to find the
// number of iterations, and for twice as long on a busy machine, so -benchtime is half of the
// share. A run that takes even longer is ended when the package's time is over.
type benchBudget struct {
	given string    // Options.BenchTime
	count int       // Options.Count
	end   time.Time // zero: no limit
	all   int       // benchmarks
	left  int       // benchmarks of the packages that have not run yet

	least, most time.Duration // of the benchtimes used
}

// A benchTurn is the share of one package.
type benchTurn struct {
	benchTime  string // of the first run, as -test.benchtime; "" for testing's default
	secondTime time.Duration
	end        time.Time // of both runs; zero: no limit
	reserved   time.Duration
}

const (
	budgetHint = "give more time with -d, or choose fewer benchmarks with --bench"
	// listShare is the fraction of the time, as a divisor, that listing the sub-benchmarks may
	// take.
	listShare = 4
	// minRun is the minimum time for a process to start and measure anything.
	minRun       = 500 * time.Millisecond
	minBenchTime = time.Millisecond
)

// newBudget starts the clock. Sub-benchmarks are known once each benchmark has run once.
func (s *session) newBudget(ctx context.Context, pkgs []benchPackage) *benchBudget {
	b := &benchBudget{given: s.opt.BenchTime, count: max(1, s.opt.Count)}
	if s.opt.Duration > 0 && s.opt.Benchmark == nil {
		b.end = time.Now().Add(s.opt.Duration)
		s.report.expect(s.opt.Duration)
		list, cancel := context.WithTimeout(ctx, s.opt.Duration/listShare)
		defer cancel()
		s.report.run("listing the benchmarks", func() {
			for i := range pkgs {
				p := &pkgs[i]
				// What fails here fails again in the recorded run, and is reported then.
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

// share returns how long each of n benchmarks runs in the first and the second run, out of total.
func (b *benchBudget) share(total time.Duration, n int) (first, second time.Duration) {
	each := total / time.Duration(n)
	second = min(each/4, secondRun*3/2)
	tell := func(d time.Duration) time.Duration {
		return max(minBenchTime, (d / 2).Truncate(time.Millisecond))
	}
	return tell((each - second) / time.Duration(b.count)), tell(second)
}

// next returns the turn of a package, or false if there is no time left for it.
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

// first and second return how long the runs may take; 0 means no limit.
func (t *benchTurn) first() time.Duration {
	if t.end.IsZero() {
		return 0
	}
	return max(minRun, time.Until(t.end)-t.reserved)
}

func (t *benchTurn) second() time.Duration {
	if t.end.IsZero() {
		return 0
	}
	return max(minRun, time.Until(t.end))
}

// note describes how the time was divided, and how many results there are.
func (b *benchBudget) note(text []byte) string {
	if b.end.IsZero() {
		return ""
	}
	note := numberOf(b.all, "benchmark")
	if n, all := testoutput.Results(text), b.all*b.count; n < all {
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
