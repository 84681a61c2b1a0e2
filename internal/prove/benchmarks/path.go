package benchmarks

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/prove/captured"
	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/syntax"
	"github.com/whet-go/whet/profile"
)

// A Recording is what was recorded of the original module: what its functions do in production.
type Recording struct {
	// Charged returns what is charged to a line, as a share of a profile's total.
	Charged func(file string, line int) float64
	// CPU is the CPU profile; nil means that there is none.
	CPU *profile.Profile
	// Captured are calls that the program made; nil is none.
	Captured *captured.Calls
}

// leastAlike is the minimum fraction of a function's recorded cost, and of its calls, that a
// written benchmark must have on the same lines to count as evidence: one whose inputs all fail
// early, for example, measures something that a service does not do.
const leastAlike = 0.5

// A callPath is what a benchmark's calls of a function execute, compared with where the recording
// has its cost.
type callPath struct {
	function string
	cost     float64 // fraction of the function's recorded cost that is on executed lines; 0 if unknown
	known    bool    // the recording charges the function something
	calls    float64 // executions of the hottest line per call of the function
	captured bool    // the calls are those of the recording, as often as they occurred: few of them may run that line
	hottest  string  // file:line
	missed   string  // the hottest line, if it is not executed
	share    float64 // of the function's cost, on that line
	sampled  bool    // the CPU profiles of both have enough samples below the function
	similar  float64 // how much these profiles have in common, if sampled
	chance   float64 // how much they would have if they were of the same work
}

// goodAlike is the similarity from which a written benchmark is like the service: below, the result has a warning.
const goodAlike = 0.95

// score returns how similar the profiles are, compared with profiles of the same work.
func (p *callPath) score() float64 { return min(p.similar/p.chance, 1) }

// alike reports whether the benchmark executes what was recorded, as far as that is known.
func (p *callPath) alike() bool {
	return !p.known || p.cost >= leastAlike && p.often() && (!p.sampled || p.similar >= leastAlike)
}

// often reports whether as many calls run the hottest line as can be expected.
func (p *callPath) often() bool { return p.calls >= leastAlike || p.captured && p.calls > 0 }

// String describes what the calls execute.
func (p *callPath) String() string {
	switch {
	case !p.known:
		return "no recording shows which path through " + p.function + " is hot: the inputs may take another one"
	case p.missed != "" && p.cost < leastAlike:
		return fmt.Sprintf("its inputs take another path through %s than the recording: they run lines with %.0f%% of "+
			"its cost, and not %s with %.0f%%", p.function, 100*p.cost, p.missed, 100*p.share)
	case !p.often():
		return fmt.Sprintf("its inputs mostly take another path through %s than the recording: %.0f%% of the calls run "+
			"%s, the most expensive line", p.function, 100*p.calls, p.hottest)
	case p.sampled && p.similar < leastAlike:
		return fmt.Sprintf("its inputs take the recording's path through %s in other proportions: their CPU profiles "+
			"agree on %.0f%% of the time", p.function, 100*p.score())
	case p.sampled:
		return fmt.Sprintf("its inputs take the recording's path through %s: they run lines with %.0f%% of its cost, "+
			"and the CPU profiles agree on %.0f%% of the time", p.function, 100*p.cost, 100*p.score())
	}
	return fmt.Sprintf("its inputs take the recording's path through %s: they run lines with %.0f%% of its cost",
		p.function, 100*p.cost)
}

// pathOf compares what a benchmark executes in a function of the scratch copy with what the
// recording charges to the function's lines.
func (s *Set) pathOf(
	of *Benchmark, pkg *packages.Package, d *ast.FuncDecl, charged func(file string, line int) float64,
) (*callPath, error) {
	from, to := pkg.Fset.Position(d.Pos()), pkg.Fset.Position(d.End())
	p := &callPath{function: differ.FuncName(d), captured: strings.Contains(of.inputs, capturedInputs)}
	rel, err := filepath.Rel(s.scratch.Dir, from.Filename)
	if err != nil || !filepath.IsLocal(rel) {
		return p, nil
	}
	file := filepath.ToSlash(rel)
	// The recording refers to the lines at the start of the round.
	began, err := s.scratch.Original(file)
	if err != nil {
		return nil, err
	}
	now, err := os.ReadFile(s.scratch.Path(file))
	if err != nil {
		return nil, err
	}
	first, text := syntax.Function(file, began, p.function)
	if text == "" || text != string(now[from.Offset:to.Offset]) {
		return p, nil // a rewrite kept in this round has changed it
	}
	ran := func(line int) (times int64) {
		for _, b := range of.blocks {
			if b.File == file && b.From <= line && line <= b.To {
				times = max(times, b.Times)
			}
		}
		return times
	}
	calls := int64(0) // of the function: its first statement runs once per call
	if len(d.Body.List) > 0 {
		calls = ran(pkg.Fset.Position(d.Body.List[0].Pos()).Line)
	}
	sum, reached, most := 0.0, 0.0, 0.0
	for line := from.Line; line <= to.Line; line++ {
		weight := charged(file, line-from.Line+first)
		if weight == 0 {
			continue
		}
		sum += weight
		times := ran(line)
		where := fmt.Sprintf("%s:%d", file, line)
		if times > 0 {
			reached += weight
		} else if weight > p.share {
			p.missed, p.share = where, weight
		}
		if weight > most {
			most, p.hottest = weight, where
			if calls > 0 {
				p.calls = float64(times) / float64(calls)
			}
		}
	}
	if sum > 0 {
		p.known, p.cost, p.share = true, reached/sum, p.share/sum
	}
	return p, nil
}

// unlike is the warning about a benchmark that executes what was recorded, but whose profile differs from the
// recording's; nil if there is no reason for one.
func unlike(p *callPath, b *Benchmark) error {
	if !p.alike() || !p.sampled || p.score() >= goodAlike {
		return nil
	}
	hint := "record the service's own inputs: whet record --capture hot -- go run PACKAGE"
	if strings.Contains(b.inputs, capturedInputs) {
		hint = "whet prove --service measures the program itself"
	}
	return &diag.Error{
		Err: fmt.Errorf("the generated benchmark %s runs %s in other proportions than the recording: their CPU profiles "+
			"agree on %.0f%% of the time, less than %.0f%%", b.name, p.function, 100*p.score(), 100*goodAlike),
		Hint: hint,
	}
}

// onPath returns the written benchmarks that execute what was recorded, with notes on them; why
// describes what the others execute.
func (s *Set) onPath(
	ctx context.Context, w *writtenFile, all []Benchmark, c *Change, recorded Recording,
) (alike []Benchmark, why []string, err error) {
	sampler := &sampler{set: s, w: w, pkg: c.Package, recorded: recorded.CPU}
	defer func() { err = errors.Join(err, sampler.close()) }()
	for _, b := range all {
		var notes []string
		off := false
		for _, fn := range c.Functions {
			p, err := s.pathOf(&b, c.Package, fn.Decl, recorded.Charged)
			if err != nil {
				return nil, nil, err
			}
			if p.known && p.alike() {
				if err := sampler.compare(ctx, p, &b); err != nil {
					return nil, nil, err
				}
			}
			off = off || !p.alike()
			if err := unlike(p, &b); err != nil {
				s.warnings.Add(err)
			}
			notes = append(notes, p.String())
		}
		if off {
			why = append(why, fmt.Sprintf("the generated benchmark, %s, is not representative: %s", b.name,
				strings.Join(notes, "; ")))
			continue
		}
		b.path = strings.Join(notes, "; ")
		alike = append(alike, b)
	}
	return alike, why, nil
}
