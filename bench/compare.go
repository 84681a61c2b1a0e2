package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchproc"

	"github.com/whet-go/whet/internal/diag"
)

// Options configure Compare. The zero value has benchstat's defaults. Syntax:
// https://pkg.go.dev/golang.org/x/perf/benchproc/syntax
type Options struct {
	Table  string // projection that splits results into tables; "" means ".config"
	Row    string // into rows; "" means ".fullname"
	Column string // into columns; "" means ".file"
	Ignore string // keys whose variation within a cell is not a warning
	Filter string // which results count; "" means "*", all

	// Unique is a key that must have one value per cell, such as "commit"; "" means none. Results
	// without it do not count.
	Unique string

	Alpha      float64 // level of significance; 0 means 0.05
	Confidence float64 // of intervals; 0 means 0.95

	Stdin io.Reader // of the path "-"; nil refuses it
}

// ErrNoResults is Compare's error when nothing is left to compare.
var ErrNoResults error = &diag.Error{
	Op:   "no benchmark results",
	Hint: "give the output of `go test -bench . -count 10`, and a --filter that matches some of it",
}

// DescriptiveKeys returns the keys with which whet describes a measurement. Results remain
// comparable if these keys differ.
func DescriptiveKeys() []string {
	return []string{"go", "gomaxprocs", "gogc", "buildflags", "loadavg", "commit"}
}

// An OptionError reports an invalid option.
type OptionError struct {
	Option string // table, row, col, ignore, filter, alpha or confidence
	Err    error
}

// Error returns the option and what is wrong with it.
func (e *OptionError) Error() string { return e.Option + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *OptionError) Unwrap() error { return e.Err }

// Hint names the page that describes the syntax.
func (e *OptionError) Hint() string {
	return "see the syntax at https://pkg.go.dev/golang.org/x/perf/benchproc/syntax"
}

// A PooledError reports a cell with results of several values of Options.Unique.
type PooledError struct {
	Key    string
	Values []string // two or more, in order
	Row    string   // of the cell, as Row.Name
	Column string
}

// Error names the cell and the values.
func (e *PooledError) Error() string {
	values := e.Values
	if len(values) > 3 {
		values = append(slices.Clone(values[:3]), "…")
	}
	return fmt.Sprintf("%s of %s has results of %d values of %s: %s",
		e.Row, e.Column, len(e.Values), e.Key, strings.Join(values, ", "))
}

// Hint describes how such results can be compared.
func (e *PooledError) Hint() string {
	return "--col " + e.Key + " compares them, --filter " + e.Key + ":VALUE takes one; --ignore " +
		strings.Join(DescriptiveKeys(), ",") + " merges them"
}

// Compare reads the inputs and compares them. Its errors are an *OptionError, those of reading,
// which include the file name, a *PooledError, and one that wraps ErrNoResults. Unreadable lines
// are skipped and become Warnings.
func Compare(ctx context.Context, inputs []Input, o Options) (*Comparison, error) {
	b, err := newBuilder(&o)
	if err != nil {
		return nil, err
	}
	b.unique = o.Unique
	units, warnings, err := read(ctx, inputs, &o, b.add)
	if err != nil {
		return nil, err
	}
	if len(b.tables) == 0 {
		err := ErrNoResults
		if b.seen > 0 {
			err = fmt.Errorf("%w that match the filter, out of %d", err, b.seen)
		}
		return nil, errors.Join(err, warnings.Err())
	}
	c := &Comparison{Schema: Schema, Alpha: b.thresholds.CompareAlpha, Confidence: b.confidence, Warnings: warnings}
	keys := slices.Collect(maps.Keys(b.tables))
	benchproc.SortKeys(keys)
	compared := false
	for _, key := range keys {
		t, err := b.table(ctx, key, units)
		if err != nil {
			return nil, err
		}
		compared = compared || len(t.Columns) > 1
		c.Tables = append(c.Tables, t)
	}
	if !compared && len(inputs) > 1 {
		if names := b.varying(keys); names != "" {
			c.Warnings.Addf("nothing is compared, because the results differ in %s; ignore the keys that do not matter", names)
		}
	}
	return c, nil
}

// A builder sorts measurements into cells.
type builder struct {
	thresholds benchmath.Thresholds
	confidence float64

	filter                      *benchproc.Filter
	tableBy, rowBy, colBy, rest *benchproc.Projection
	unit                        *benchproc.Field

	tables map[benchproc.Key]map[cellKey]*sample
	seen   int // results, before the filter
	unique string
}

type cellKey struct{ row, col benchproc.Key }

type sample struct {
	values []float64
	rest   map[benchproc.Key]bool // keys that vary within a cell
	unique map[string]bool        // values of Options.Unique
}

func newBuilder(o *Options) (*builder, error) {
	b := &builder{
		thresholds: benchmath.DefaultThresholds, confidence: 0.95,
		tables: map[benchproc.Key]map[cellKey]*sample{},
	}
	for _, n := range []struct {
		name string
		from float64
		to   *float64
	}{{"alpha", o.Alpha, &b.thresholds.CompareAlpha}, {"confidence", o.Confidence, &b.confidence}} {
		if !(n.from >= 0 && n.from < 1) {
			return nil, &OptionError{n.name, fmt.Errorf("%v is out of range (want 0 to 1)", n.from)}
		}
		if n.from > 0 {
			*n.to = n.from
		}
	}
	orDefault := func(text, otherwise string) string {
		if text == "" {
			return otherwise
		}
		return text
	}
	var err error
	if b.filter, err = benchproc.NewFilter(orDefault(o.Filter, "*")); err != nil {
		return nil, &OptionError{"filter", err}
	}
	var parser benchproc.ProjectionParser
	if b.tableBy, b.unit, err = parser.ParseWithUnit(orDefault(o.Table, ".config"), b.filter); err != nil {
		return nil, &OptionError{"table", err}
	}
	if b.rowBy, err = parser.Parse(orDefault(o.Row, ".fullname"), b.filter); err != nil {
		return nil, &OptionError{"row", err}
	}
	if b.colBy, err = parser.Parse(orDefault(o.Column, ".file"), b.filter); err != nil {
		return nil, &OptionError{"col", err}
	}
	if _, err = parser.Parse(o.Ignore, b.filter); err != nil {
		return nil, &OptionError{"ignore", err}
	}
	b.rest = parser.Residue()
	return b, nil
}

// add takes a result that passes the filter.
func (b *builder) add(r *benchfmt.Result) error {
	b.seen++
	if ok, err := b.filter.Apply(r); !ok {
		return err
	}
	tables := b.tableBy.ProjectValues(r)
	at := cellKey{b.rowBy.Project(r), b.colBy.Project(r)}
	rest := b.rest.Project(r)
	for i, key := range tables {
		cells := b.tables[key]
		if cells == nil {
			cells = map[cellKey]*sample{}
			b.tables[key] = cells
		}
		s := cells[at]
		if s == nil {
			s = &sample{rest: map[benchproc.Key]bool{}, unique: map[string]bool{}}
			cells[at] = s
		}
		s.values = append(s.values, r.Values[i].Value)
		s.rest[rest] = true
		if value := r.GetConfig(b.unique); b.unique != "" && value != "" {
			s.unique[value] = true
		}
	}
	return nil
}

// table computes the statistics of one table.
func (b *builder) table(ctx context.Context, key benchproc.Key, units benchfmt.UnitMetadataMap) (Table, error) {
	cells := b.tables[key]
	rowSet, colSet := map[benchproc.Key]bool{}, map[benchproc.Key]bool{}
	for at := range cells {
		rowSet[at.row], colSet[at.col] = true, true
	}
	rows, cols := sorted(rowSet), sorted(colSet)

	unitName := key.Get(b.unit)
	assumption := units.GetAssumption(unitName)
	t := Table{Config: []Field{}, Unit: unitName, Statistic: assumption.SummaryLabel()}
	switch units.GetBetter(unitName) {
	case -1:
		t.Better = Lower
	case 1:
		t.Better = Higher
	}
	for _, f := range key.Projection().FlattenedFields() {
		if f.Name != b.unit.Name {
			t.Config = append(t.Config, Field{f.Name, key.Get(f)})
		}
	}
	for _, col := range cols {
		c := Column{Name: col.StringValues(), Fields: []Field{}}
		for _, f := range col.Projection().FlattenedFields() {
			c.Fields = append(c.Fields, Field{f.Name, col.Get(f)})
		}
		t.Columns = append(t.Columns, c)
	}

	var changes []*Change
	var p []float64
	for _, row := range rows {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		r := Row{Name: row.StringValues(), Cells: make([]*Cell, len(cols))}
		var base *benchmath.Sample
		for i, col := range cols {
			from := cells[cellKey{row, col}]
			if from == nil {
				continue
			}
			if len(from.unique) > 1 {
				return t, &PooledError{
					Key: b.unique, Values: slices.Sorted(maps.Keys(from.unique)), Row: r.Name, Column: col.StringValues(),
				}
			}
			s := benchmath.NewSample(slices.Clone(from.values), &b.thresholds) // NewSample sorts them
			cell := b.cell(s, assumption, from)
			r.Cells[i] = cell
			switch {
			case i == 0:
				base = s
			case base != nil:
				cell.Change = change(assumption.Compare(base, s), float64(r.Cells[0].Center), float64(cell.Center))
				changes, p = append(changes, cell.Change), append(p, cell.Change.P)
			}
		}
		t.Rows = append(t.Rows, r)
		if u := unpaired(&r, t.Columns); len(u.NotIn) > 0 {
			t.Unpaired = append(t.Unpaired, u)
		}
	}
	for i, q := range Adjust(p) {
		changes[i].Adjusted = q
		changes[i].Holds = q <= b.thresholds.CompareAlpha
	}
	for i := range cols {
		t.Geomean = append(t.Geomean, mean(t.Rows, i))
	}
	return t, nil
}

func sorted(set map[benchproc.Key]bool) []benchproc.Key {
	keys := slices.Collect(maps.Keys(set))
	benchproc.SortKeys(keys)
	return keys
}

func (b *builder) cell(s *benchmath.Sample, assumption benchmath.Assumption, from *sample) *Cell {
	sum := assumption.Summary(s, b.confidence)
	c := &Cell{
		N: len(s.Values), Center: Float(sum.Center), Low: Float(sum.Lo), High: Float(sum.Hi), Range: sum.PctRangeString(),
		Values: Downsample(from.values, MaxValues),
	}
	c.Warnings.Add(s.Warnings...) // in benchstat's order, which numbers them
	if names := fieldNames(benchproc.NonSingularFields(sorted(from.rest))); names != "" {
		c.Warnings.Addf("benchmarks vary in %s", names)
	}
	c.Warnings.Add(sum.Warnings...)
	return c
}

func change(c benchmath.Comparison, from, to float64) *Change {
	delta := 0.0
	if from != to {
		delta = to/from - 1
	}
	out := &Change{
		Delta: Float(delta), P: c.P, Significant: c.P <= c.Alpha, Text: c.FormatDelta(from, to),
		BaseN: c.N1,
	}
	out.Warnings.Add(c.Warnings...)
	return out
}

func unpaired(r *Row, columns []Column) Unpaired {
	u := Unpaired{Row: r.Name}
	for i, c := range r.Cells {
		if c == nil {
			u.NotIn = append(u.NotIn, columns[i].Name)
		} else {
			u.In = append(u.In, columns[i].Name)
		}
	}
	return u
}

// mean computes the geometric mean of a column. As in benchstat, its change is the mean of the
// ratios, not the ratio of the means.
func mean(rows []Row, column int) Mean {
	var m Mean
	var centers, ratios []float64
	bases, divided := 0, true
	for _, r := range rows {
		base, cell := r.Cells[0], r.Cells[column]
		if base != nil {
			bases++
		}
		if cell == nil {
			continue
		}
		centers = append(centers, float64(cell.Center))
		switch {
		case base == nil:
		case cell.Center == base.Center:
			ratios = append(ratios, 1) // 0/0 too
		default:
			divided = divided && base.Center != 0
			ratios = append(ratios, float64(cell.Center/base.Center))
		}
	}
	if column > 0 && len(ratios) != bases {
		m.Warnings.Addf("benchmark set differs from baseline; geomeans may not be comparable")
	}
	if v := geomean(centers); math.IsNaN(v) {
		m.Warnings.Addf("summaries must be >0 to compute geomean")
	} else {
		f := Float(v)
		m.Center = &f
	}
	if column > 0 && divided {
		if v := geomean(ratios); math.IsNaN(v) {
			m.Warnings.Addf("ratios must be >0 to compute geomean")
		} else {
			f := Float(v - 1)
			m.Delta = &f
		}
	}
	return m
}

// geomean returns the geometric mean, NaN without values or when one is not above zero. It keeps a
// running mean of the logarithms, which cannot overflow.
func geomean(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	m := 0.0
	for i, v := range values {
		if v <= 0 {
			return math.NaN()
		}
		m += (math.Log(v) - m) / float64(i+1)
	}
	return math.Exp(m)
}

// varying lists the keys that tables of the same unit differ in.
func (b *builder) varying(keys []benchproc.Key) string {
	return fieldNames(slices.DeleteFunc(benchproc.NonSingularFields(keys), func(f *benchproc.Field) bool {
		return f.Name == b.unit.Name
	}))
}

func fieldNames(fields []*benchproc.Field) string {
	var names []string
	for _, f := range fields {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}
