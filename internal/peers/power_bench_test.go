//go:build unix

package peers

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/aclements/go-moremath/stats"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/gotest"
)

// beNeighbor makes this binary a program that disturbs others, until its input ends.
const beNeighbor = "WHET_PEERS_NEIGHBOR"

// neighbor takes CPU time and memory bandwidth from other programs, in bursts of some tens of
// milliseconds, more of them in some seconds than in others.
func neighbor() {
	for worker := range 2 {
		go func() {
			r := rand.New(rand.NewPCG(uint64(worker), uint64(time.Now().UnixNano())))
			memory := make([]byte, 16<<20)
			var busy float64
			at := time.Time{}
			for {
				if time.Since(at) > 3*time.Second {
					at, busy = time.Now(), r.Float64()
				}
				for end := time.Now().Add(time.Duration(r.ExpFloat64() * busy * float64(40*time.Millisecond))); time.Now().Before(
					end); {
					for i := 0; i < len(memory); i += 64 {
						memory[i]++
					}
				}
				time.Sleep(time.Duration(r.ExpFloat64() * float64(40*time.Millisecond)))
			}
		}()
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// planted is a module whose benchmark takes 2% longer with the tag slower.
func planted() map[string]string {
	return map[string]string{
		"go.mod":    "module planted\n\ngo 1.24\n",
		"as.go":     "//go:build !slower\n\npackage planted\n\nconst turns = 1000\n",
		"slower.go": "//go:build slower\n\npackage planted\n\nconst turns = 1020\n",
		"work.go": `package planted

// Work hashes in a number of rounds that depends on the build, and allocates a little.
func Work(text []byte) []byte {
	h := uint64(14695981039346656037)
	for range turns {
		for _, c := range text {
			h = (h ^ uint64(c)) * 1099511628211
		}
	}
	sum := make([]byte, 8)
	for i := range sum {
		sum[i] = byte(h >> (8 * i))
	}
	return sum
}
`,
		"work_test.go": `package planted

import "testing"

func BenchmarkWork(b *testing.B) {
	text := []byte("the quick brown fox jumps over the lazy dog")
	for b.Loop() {
		Work(text)
	}
}
`,
	}
}

// plantedBinaries builds the module plain, and with the tag.
func plantedBinaries(b *testing.B) (plain, slower *gotest.Binary) {
	b.Helper()
	dir := b.TempDir()
	for name, text := range planted() {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	build := func(name string, flags ...string) *gotest.Binary {
		src := gotest.Source{Name: name, Dir: dir, Flags: flags}
		pkgs, _, err := gotest.List(b.Context(), src, nil)
		if err != nil || len(pkgs) != 1 {
			b.Fatal(pkgs, err)
		}
		bin, err := gotest.Compile(b.Context(), src, pkgs[0], filepath.Join(dir, name+".test"))
		if err != nil {
			b.Fatal(err)
		}
		return bin
	}
	return build("plain"), build("slower", "-tags=slower")
}

// power counts the outcomes of comparisons.
type power struct {
	trials, found      int
	usualTrials, usual int
	elapsed, longest   time.Duration
	inside             time.Duration
	pairs              int
}

func (p *power) add(r *ab.Result) {
	p.trials++
	if v := r.Subjects[0].Units[0].Verdict; v == ab.Better || v == ab.Worse {
		p.found++
	}
	p.elapsed += r.Elapsed
	p.longest = max(p.longest, r.Elapsed)
	p.inside += r.Inside
	p.pairs += r.Subjects[0].Pairs
}

func (p *power) String() string {
	n, usual := max(1, p.trials), max(1, p.usualTrials)
	return fmt.Sprintf("whet %d of %d (%.1f%%), A and then B %d of %d (%.1f%%); %.1f s each on average, at most %.1f "+
		"s; %d pairs; %.1f%% inside",
		p.found, p.trials, 100*float64(p.found)/float64(n), p.usual, p.usualTrials, 100*float64(p.usual)/float64(usual),
		p.elapsed.Seconds()/float64(n), p.longest.Seconds(), p.pairs/n, 100*p.inside.Seconds()/max(1e-9, p.elapsed.Seconds()))
}

// BenchmarkPower compares builds while another program disturbs them: how often whet reports a
// difference if there is none, and if one of 2% was planted; and how often ten runs of A followed
// by ten of B in the same time have that result by benchstat's test, after each of the first 40
// trials. WHET_POWER_SAME (200) and WHET_POWER_PLANTED (40) are the numbers of trials,
// WHET_POWER_TIME (60s) the maximum time of one, of which a sixth is for measuring A against A;
// trials without a difference take a quarter.
func BenchmarkPower(b *testing.B) {
	number := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
			return n
		}
		return otherwise
	}
	most := time.Minute
	if d, err := time.ParseDuration(os.Getenv("WHET_POWER_TIME")); err == nil {
		most = d
	}
	plain, slower := plantedBinaries(b)
	startSelf(b, beNeighbor+"=1")
	var same, different power
	const usual = 40
	plans := map[string]int{}
	for b.Loop() {
		one := func(p *power, sides [2]*gotest.Binary, seed int, limit time.Duration) {
			s := gotest.NewSubject("Work", "BenchmarkWork", sides[0], sides[1], gotest.RunOptions{})
			r, err := ab.Run(b.Context(), []ab.Subject{s}, ab.Options{
				MaxTime: limit - limit/6, Seed: uint64(seed), Instead: gotest.CPUTime,
			})
			if err != nil || r.Subjects[0].Error != "" {
				b.Fatal(err, r)
			}
			p.add(r)
			if u := r.Subjects[0].Units[0]; p == &same && u.Verdict != ab.Same && u.Verdict != ab.Undecided {
				fmt.Fprintf(os.Stderr, "\nfalse alarm, seed %d: %s of %v: %s %v (%v to %v), p %v, %d pairs\n", seed, r.Plan,
					u.Verdict, u.Unit, u.Ratio, u.Low, u.High, u.P, r.Subjects[0].Pairs)
			}
			if p.usualTrials < usual {
				p.usualTrials++
				if oneThenOther(b, sides, r.Elapsed) <= 0.05 {
					p.usual++
				}
			}
			plans[r.Unit+", "+r.Plan.String()]++
		}
		for i := range number("WHET_POWER_PLANTED", 40) {
			one(&different, [2]*gotest.Binary{plain, slower}, i, most)
			fmt.Fprintf(os.Stderr, "\r2%%: %v", &different)
		}
		fmt.Fprintln(os.Stderr)
		for i := range number("WHET_POWER_SAME", 200) {
			one(&same, [2]*gotest.Binary{plain, plain}, i, most/4)
			fmt.Fprintf(os.Stderr, "\rsame: %v", &same)
		}
		fmt.Fprintln(os.Stderr)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(100*float64(different.found)/float64(max(1, different.trials)), "%found")
	b.ReportMetric(100*float64(same.found)/float64(max(1, same.trials)), "%false-alarms")
	b.Logf("\ndifferences called\n  2%% slower:  %v\n  the same:    %v\nplans: %v", &different, &same, plans)
}

// oneThenOther is the p value of ten runs of A and then ten of B in a given time.
func oneThenOther(b *testing.B, sides [2]*gotest.Binary, budget time.Duration) float64 {
	b.Helper()
	const runs = 10
	var values [2][]float64
	for side, bin := range sides {
		r, err := bin.Run(b.Context(), "BenchmarkWork", gotest.RunOptions{
			Count: runs, Time: budget / (2 * runs), Timeout: 10 * time.Minute,
		})
		if err != nil {
			b.Fatal(err)
		}
		for _, m := range r.Measurements {
			v, _ := m.Value("sec/op")
			values[side] = append(values[side], v)
		}
	}
	u, err := stats.MannWhitneyUTest(values[0], values[1], stats.LocationDiffers)
	if err != nil {
		return 1 // all the same
	}
	return u.P
}
