package benchmarks

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/gotest"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/unit"
)

// RunSchema is the schema of BenchRun.
const RunSchema = "whet.bench-run/1"

// Run is the document of whet bench: its measurements.
type Run struct {
	Schema      string           `json:"schema"`
	Machine     ab.Machine       `json:"machine"`
	Go          string           `json:"go"`                 // version that built the benchmarks
	Commit      string           `json:"commit,omitempty"`   // hash of the commit built; "" without a repository
	Modified    bool             `json:"modified,omitempty"` // the tree had uncommitted changes
	Flags       string           `json:"flags,omitempty"`    // how it was built and run
	GOGC        string           `json:"gogc"`
	Rounds      int              `json:"rounds"` // requested
	Seed        uint64           `json:"seed"`   // of their order
	Binaries    []Binary         `json:"binaries"`
	Benchmarks  []Measured       `json:"benchmarks"`
	Failures    []Failure        `json:"failures,omitempty"`
	Interrupted bool             `json:"interrupted,omitempty"`
	Elapsed     time.Duration    `json:"elapsed_ns"` // of the rounds
	Inside      time.Duration    `json:"inside_ns"`  // of it, in what is measured
	Summary     bench.Comparison `json:"summary"`    // the part of Elapsed inside the measured code
}

// A Binary is a test binary that was built.
type Binary struct {
	Package string        `json:"package"`
	Build   time.Duration `json:"build_ns"` // the go command has a cache
	Bytes   int64         `json:"bytes"`
	SHA256  string        `json:"sha256"`
}

// Measured is the rounds of a benchmark.
type Measured struct {
	Package string           `json:"package"`
	Name    string           `json:"name"`
	Procs   int              `json:"gomaxprocs"`
	Rounds  []Round          `json:"rounds"`
	Results []*gotest.Result `json:"-"`
}

// A Round has the measurements of one process.
type Round struct {
	Iterations int                `json:"iterations"`
	Values     map[string]float64 `json:"values"` // by unit, tidied
	Wall       time.Duration      `json:"wall_ns"`
	CPU        time.Duration      `json:"cpu_ns"`
}

// A Failure is a package or a benchmark that failed.
type Failure struct {
	Package   string `json:"package,omitempty"`
	Benchmark string `json:"benchmark,omitempty"`
	Error     string `json:"error"`
	Output    string `json:"output,omitempty"`
}

// RoundsOf converts results to their JSON form.
func RoundsOf(results []*gotest.Result) []Round {
	rounds := []Round{}
	for _, r := range results {
		for _, m := range r.Measurements {
			round := Round{Iterations: m.Iterations, Values: map[string]float64{}, Wall: r.Wall, CPU: r.CPU}
			for _, v := range m.Values {
				round.Values[v.Unit] = v.Value
			}
			rounds = append(rounds, round)
		}
	}
	return rounds
}

// Keys returns the keys that WriteFormat adds to those of go test. They describe a measurement;
// results that differ in them are comparable.
func Keys() []string {
	return []string{"go", "gomaxprocs", "gogc", "buildflags", "loadavg", "commit"}
}

// config returns the configuration of a result: from go test and from whet.
func (d *Run) config(r *gotest.Result) []benchfmt.Config {
	var out []benchfmt.Config
	add := func(key, value string) {
		if value != "" {
			out = append(out, benchfmt.Config{Key: key, Value: []byte(value), File: true})
		}
	}
	cpu := d.Machine.CPU
	for _, f := range r.Config {
		if f.Key == "cpu" {
			cpu = ""
		}
		add(f.Key, f.Value)
	}
	add("cpu", cpu)
	commit := d.Commit
	if d.Modified {
		commit += "+changes"
	}
	values := []string{d.Go, strconv.Itoa(r.Procs), d.GOGC, d.Flags, d.Machine.Load, commit}
	for i, key := range Keys() {
		add(key, strings.Join(strings.Fields(values[i]), " "))
	}
	return out
}

// WriteFormat writes all measurements in Go's benchmark format
// (https://go.dev/design/14313-benchmark-format), benchmark by benchmark, the rounds of each in
// order of time.
func WriteFormat(w io.Writer, d *Run) error {
	out := benchfmt.NewWriter(w)
	for _, b := range d.Benchmarks {
		for _, r := range b.Results {
			config := d.config(r)
			name := strings.TrimPrefix(r.Name, "Benchmark")
			if r.Procs != 1 {
				name += "-" + strconv.Itoa(r.Procs)
			}
			for _, m := range r.Measurements {
				if err := out.Write(&benchfmt.Result{
					Config: config, Name: benchfmt.Name(name), Iters: m.Iterations,
					Values: m.Values,
				}); err != nil {
					return fmt.Errorf("write results: %w", err)
				}
			}
		}
	}
	return nil
}

// SetSummary sets d.Summary, computed by package bench as benchstat does.
func (d *Run) SetSummary(ctx context.Context) error {
	var text bytes.Buffer
	if err := WriteFormat(&text, d); err != nil {
		return err
	}
	procs := map[int]bool{}
	for _, b := range d.Benchmarks {
		procs[b.Procs] = true
	}
	o := bench.Options{Stdin: &text}
	if len(procs) > 1 {
		o.Ignore = "gomaxprocs" // it is part of the names, and another table would add nothing
	}
	c, err := bench.Compare(ctx, []bench.Input{{Path: "-", Label: "measured"}}, o)
	if err != nil {
		return fmt.Errorf("summarize: %w", err)
	}
	d.Summary = *c
	return nil
}

// WriteRun writes the summary, a line for each benchmark, and how it was measured.
func WriteRun(w io.Writer, s layout.Style, d *Run) error {
	t := layout.NewWriter(w)
	for first := 0; first < len(d.Summary.Tables); {
		// A unit has a table; tables of the same configuration are merged.
		last := first + 1
		for last < len(d.Summary.Tables) && slices.Equal(d.Summary.Tables[last].Config, d.Summary.Tables[first].Config) {
			last++
		}
		if first > 0 {
			t.Line()
		}
		for _, f := range benchChanged(d.Summary.Tables, first) {
			t.Line(s.Paint(layout.Dim, layout.Clean(f.Key+": "+f.Value)))
		}
		writeBenchUnits(t, s, d.Summary.Tables[first:last])
		first = last
	}
	rounds := 0
	for _, b := range d.Benchmarks {
		rounds += len(b.Rounds)
	}
	t.Line()
	share := ""
	if d.Elapsed > 0 && d.Inside > 0 {
		share = fmt.Sprintf(", %.0f%% of it in benchmarks", 100*float64(d.Inside)/float64(d.Elapsed))
	}
	line := fmt.Sprintf("%s of %s in %s%s", layout.Plural(rounds, "round", "rounds"), layout.Plural(len(d.Benchmarks),
		"benchmark", "benchmarks"), unit.Duration(d.Elapsed.Round(10*time.Millisecond)), share)
	if d.Interrupted {
		line += "; interrupted"
	}
	layout.Wrap(t, s, "", line, 0)
	return t.Result()
}

// benchUnit is two columns of a table: the medians of a unit and their ranges.
type benchUnit struct {
	name           string
	values         []string // of each row; "" if missing
	ranges         []string
	center, around int // widths
}

// writeBenchUnits writes tables that differ only in the unit as one, or as several if the width is
// too small for all units.
func writeBenchUnits(t *layout.Writer, s layout.Style, tables []bench.Table) {
	var names []string // of rows
	for i := range tables {
		for _, r := range tables[i].Rows {
			if !slices.Contains(names, r.Name) {
				names = append(names, r.Name)
			}
		}
	}
	var notes []string
	units := make([]benchUnit, len(tables))
	for i := range tables {
		units[i] = benchUnitOf(&tables[i], names, &notes)
	}
	if len(names) > 1 {
		names = append(names, "geomean")
	}
	width := 0
	for _, name := range names {
		width = max(width, layout.Columns(layout.Clean(name)))
	}
	const gap = 2
	for len(units) > 0 {
		used, fit := 0, 0
		for _, u := range units {
			next := used + gap + u.center + 1 + u.around
			if fit > 0 && s.Width > 0 && next+min(width, 16) > s.Width {
				break
			}
			used, fit = next, fit+1
		}
		lead := min(width, s.Remaining(used, 12))
		for row := -1; row < len(names); row++ {
			line := layout.Spaces(lead)
			if row >= 0 {
				line = layout.Left(layout.CutMiddle(layout.Clean(names[row]), lead), lead)
			}
			for _, u := range units[:fit] {
				center, around := u.name, "±"
				if row >= 0 {
					center, around = u.values[row], u.ranges[row]
				}
				line += layout.Spaces(gap) + layout.Right(center, u.center) + " " + layout.Right(around, u.around)
			}
			if row < 0 {
				t.Line(s.Paint(layout.Bold, strings.TrimRight(line, " ")))
				continue
			}
			t.Line(line)
		}
		if units = units[fit:]; len(units) > 0 {
			t.Line()
		}
	}
	for _, note := range notes {
		layout.Wrap(t, s, "", layout.Clean(note), 2)
	}
}

// benchUnitOf returns the cells of a table for the rows of the given names, and one more for their
// geometric mean if there are several.
func benchUnitOf(table *bench.Table, names []string, notes *[]string) benchUnit {
	u := benchUnit{name: layout.Clean(table.Unit), around: 1}
	class := benchunit.ClassOf(table.Unit)
	for _, name := range names {
		center, around := "", ""
		if i := slices.IndexFunc(table.Rows, func(r bench.Row) bool { return r.Name == name }); i >= 0 {
			c := table.Rows[i].Cells[0]
			center, around = benchunit.Scale(float64(c.Center), class), c.Range
			for _, w := range c.Warnings {
				if !slices.Contains(*notes, w) {
					*notes = append(*notes, w)
				}
			}
		}
		u.values, u.ranges = append(u.values, center), append(u.ranges, around)
	}
	mean := ""
	if m := table.Geomean[0].Center; m != nil && len(table.Rows) == len(names) {
		mean = benchunit.Scale(float64(*m), class)
	}
	u.values, u.ranges = append(u.values, mean), append(u.ranges, "")
	for i := range u.values {
		u.center, u.around = max(u.center, layout.Columns(u.values[i])), max(u.around, layout.Columns(u.ranges[i]))
	}
	u.center = max(u.center, layout.Columns(u.name))
	return u
}
