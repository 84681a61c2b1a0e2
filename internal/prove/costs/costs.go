package costs

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/unit"
)

//go:embed probe.txt
var probe string

// Probe returns the source of a test file that runs benchmarks of a package, by their names, between
// probes.
func Probe(pkg string, benchmarks []string) []byte {
	text := strings.ReplaceAll(probe, "PACKAGE", pkg)
	for _, name := range benchmarks {
		text += fmt.Sprintf("\nfunc %s(b *testing.B) { whetCosts(b, %s) }\n", probed(name), name)
	}
	return []byte(text)
}

// probed returns the name of the benchmark that runs another between probes.
func probed(benchmark string) string {
	return "BenchmarkWhetCostsOf" + strings.TrimPrefix(benchmark, "Benchmark")
}

// A Cost is something of which B needs more than A, or an effect of which it has less.
type Cost struct {
	What  string `json:"what"`
	Where string `json:"where"` // the benchmark, or the package
	// A and B are the figures of the versions.
	A    float64 `json:"a"`
	B    float64 `json:"b"`
	Unit string  `json:"unit"` // B, ns, "" for a number, or that of a benchmark
}

// String describes a cost.
func (c Cost) String() string {
	return fmt.Sprintf("%s: from %s to %s (%s)", c.What, c.quantity(c.A), c.quantity(c.B), c.Where)
}

func (c Cost) quantity(x float64) string {
	switch c.Unit {
	case "B":
		return unit.Bytes(x).String()
	case "ns":
		return unit.Duration(time.Duration(x))
	case "":
		return unit.Count(x).String()
	}
	return fmt.Sprintf("%.4g %s", x, c.Unit)
}

// A Process runs a build of a package's tests, which contains the probes, with flags and more
// environment. It returns what the process printed, and its peak memory in bytes, 0 if unknown.
type Process func(ctx context.Context, env []string, flags ...string) (output string, peak int64, err error)

// A Subject is what is compared.
type Subject struct {
	Package    string // import path
	Benchmarks []string
	Run        [2]Process
	Size       [2]int64 // of the programs in bytes
	Temp       string   // directory for files
}

// Numbers of runs. The largest figure of A is compared with the smallest of B.
const (
	startRuns = 3
	firstRuns = 3
	longRuns  = 2
)

// Lengths of runs with many iterations.
const (
	longRun       = 150 * time.Millisecond
	maxIterations = 1000
)

// Compare returns what costs more in B.
func (s *Subject) Compare(ctx context.Context) (list []Cost, err error) {
	list = append(list, sizeCost(s.Package, s.Size)...)
	started, err := s.starts(ctx)
	if err != nil {
		return list, err
	}
	list = append(list, started...)
	for _, name := range s.Benchmarks {
		more, err := s.benchmark(ctx, name)
		if err != nil {
			return list, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, more...)
	}
	return list, nil
}

// sizeCost compares the sizes of the programs.
func sizeCost(pkg string, size [2]int64) []Cost {
	if float64(size[1]) < 1.02*float64(size[0])+256<<10 {
		return nil
	}
	return []Cost{{
		What: "size of the test program", Where: pkg, A: float64(size[0]), B: float64(size[1]), Unit: "B",
	}}
}

var initialized = regexp.MustCompile(`(?m)^init \S+ @\S+ ms, (\S+) ms clock, (\d+) bytes`)

// starts compares the initialization of packages.
func (s *Subject) starts(ctx context.Context) ([]Cost, error) {
	var took, bytes sides
	for range startRuns {
		for side, run := range s.Run {
			out, _, err := run(ctx, []string{"GODEBUG=inittrace=1"}, "-test.run=^$")
			if err != nil {
				return nil, err
			}
			ms, n := 0.0, 0.0
			for _, m := range initialized.FindAllStringSubmatch(out, -1) {
				ms += number(m[1])
				n += number(m[2])
			}
			took[side] = append(took[side], ms*1e6)
			bytes[side] = append(bytes[side], n)
		}
	}
	return slices.Concat(
		took.more("initialization of packages, at each start", s.Package, "ns", 1, 1e6),
		bytes.more("memory allocated by the initialization of packages", s.Package, "B", 1, 256<<10),
	), nil
}

// benchmark compares runs of a benchmark.
func (s *Subject) benchmark(ctx context.Context, name string) ([]Cost, error) {
	var first, setup sides
	for range firstRuns {
		for side := range s.Run {
			d, _, err := s.between(ctx, side, name, 1)
			if err != nil || d == nil {
				return nil, err
			}
			first[side] = append(first[side], float64(d.elapsed))
			setup[side] = append(setup[side], float64(d.total))
		}
	}
	slowest := max(slices.Min(first[0]), slices.Min(first[1]))
	n := int(min(max(float64(longRun)/slowest, 1), maxIterations))
	var left, open, written, lost, read, unread, calls, live, after, peak sides
	for range longRuns {
		for side := range s.Run {
			d, _, err := s.between(ctx, side, name, n, "GOGC=off", "GOMEMLIMIT=512MiB")
			if err != nil || d == nil {
				return nil, err
			}
			left[side] = append(left[side], float64(d.goroutines))
			open[side] = append(open[side], float64(d.descriptors))
			written[side] = append(written[side], float64(d.written))
			lost[1-side] = append(lost[1-side], float64(d.written)) // less is what counts
			read[side] = append(read[side], float64(d.read))
			unread[1-side] = append(unread[1-side], float64(d.read))
			calls[side] = append(calls[side], float64(d.calls))
			live[side] = append(live[side], float64(d.live))
			after[side] = append(after[side], float64(d.after))
			_, most, err := s.between(ctx, side, name, n)
			if err != nil {
				return nil, err
			}
			peak[side] = append(peak[side], float64(most))
		}
	}
	many := fmt.Sprintf("after %d iterations", n)
	in := fmt.Sprintf(" in %d iterations", n)
	noise := 64 + float64(n)/4
	fewer := slices.Concat(lost.more("bytes written"+in, name, "B", 1, noise),
		unread.more("bytes read"+in, name, "B", 1, noise))
	for i := range fewer {
		fewer[i].A, fewer[i].B = fewer[i].B, fewer[i].A
	}
	return slices.Concat(
		first.more("the first iteration, with its setup", name, "ns", 2, 2e6),
		setup.more("memory allocated by the first iteration, with its setup", name, "B", 1, 256<<10),
		left.more("goroutines left "+many, name, "", 1, 0.5),
		open.more("descriptors left "+many, name, "", 1, 0.5),
		written.more("bytes written"+in, name, "B", 1, noise),
		read.more("bytes read"+in, name, "B", 1, noise), fewer,
		calls.more("system calls that read or write"+in, name, "", 1.1, noise),
		live.more("live heap "+many, name, "B", 1, 256<<10),
		after.more("CPU time used in the background "+many, name, "ns", 1, 5e6),
		peak.more("peak memory of the process", name, "B", 1.1, 4<<20),
	), nil
}

// A difference is what a benchmark has used between the probes.
type difference struct {
	elapsed                                 time.Duration
	goroutines, descriptors, written, total int64
	read, calls                             int64         // bytes, and system calls that read or write
	live                                    int64         // at the end, not only of the benchmark
	after                                   time.Duration // CPU time after its end
}

// between runs a benchmark between the probes. The difference is nil if there are none.
func (s *Subject) between(
	ctx context.Context, side int, name string, iterations int, env ...string,
) (*difference, int64, error) {
	file := filepath.Join(s.Temp, "costs")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		return nil, 0, err
	}
	pattern := "^" + regexp.QuoteMeta(probed(name)) + "$"
	_, peak, err := s.Run[side](ctx, append(env, "WHET_COSTS="+file), "-test.run=^$", "-test.bench="+pattern,
		fmt.Sprintf("-test.benchtime=%dx", iterations))
	if err != nil {
		return nil, 0, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, 0, err
	}
	return parse(string(text)), peak, nil
}

// parse returns the difference between the probes of the last run; nil if there is none.
func parse(text string) *difference {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	var took int64
	var before, after [9]int64
	values := []any{&took}
	for _, list := range []*[9]int64{&before, &after} {
		for i := range list {
			values = append(values, &list[i])
		}
	}
	if _, err := fmt.Sscan(lines[len(lines)-1], values...); err != nil {
		return nil
	}
	return &difference{
		elapsed: time.Duration(took), goroutines: after[0] - before[0], descriptors: after[1] - before[1],
		written: after[2] - before[2], total: after[3] - before[3], live: after[4], after: time.Duration(after[6] - after[5]),
		read: after[7] - before[7], calls: after[8] - before[8],
	}
}

func number(text string) (x float64) {
	_, _ = fmt.Sscan(text, &x) // of the runtime, which writes numbers
	return x
}

// sides are the figures of the runs of A and B.
type sides [2][]float64

// more returns a cost if each run of B has more than each of A, by a factor and an addend.
func (v sides) more(what, where, unit string, factor, addend float64) []Cost {
	a, b := slices.Max(v[0]), slices.Min(v[1])
	if b <= factor*a+addend {
		return nil
	}
	return []Cost{{What: what, Where: where, A: a, B: b, Unit: unit}}
}
