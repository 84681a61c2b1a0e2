package export

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"sort"
	"strings"
	"unicode/utf8"

	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchunit"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/internal/terminal"
)

// Columns of a side in benchstat's text: the center, its interval and notes; after those of every
// side but the first, the change, its p value and notes.
const (
	benchstatCenter = 3
	benchstatDelta  = 3
)

// benchstatStart returns the first column of a side, given that a side has center columns and a
// change delta.
func benchstatStart(side, center, delta int) int {
	if side == 0 {
		return 1
	}
	return 1 + center + (side-1)*(center+delta)
}

// benchstatChange returns the text in parentheses after a change.
func benchstatChange(c *bench.Cell) string {
	return benchmath.Comparison{P: c.Change.P, N1: c.Change.BaseN, N2: c.N}.String()
}

// benchstatConfig lists the lines over a table: the fields that differ from the table before it.
func benchstatConfig(tables []bench.Table, at int) []string {
	var out []string
	for i, f := range tables[at].Config {
		if at == 0 || i >= len(tables[at-1].Config) || tables[at-1].Config[i] != f {
			out = append(out, f.Key+": "+f.Value)
		}
	}
	return out
}

// Benchstat writes a comparison of benchmarks as benchstat does, byte for byte, except that
// control characters in names are shown as in whet's other tables.
func Benchstat(w io.Writer, c *bench.Comparison) error {
	for i := range c.Tables {
		var lines []string // with trailing blanks, which benchstat writes after a key without a value
		if i > 0 {
			lines = append(lines, "")
		}
		for _, line := range benchstatConfig(c.Tables, i) {
			lines = append(lines, terminal.Clean(line))
		}
		lines = append(lines, benchstatTable(&c.Tables[i])...)
		if _, err := io.WriteString(w, strings.Join(lines, "\n")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// benchstatTable returns the lines of a table.
func benchstatTable(table *bench.Table) []string {
	g := &benchstatGrid{}
	start := func(side int) int { return benchstatStart(side, benchstatCenter, benchstatDelta) }
	edge := start(len(table.Columns) + 1)
	var notes []string
	number := map[string]int{}
	refer := func(warnings ...[]string) {
		var refs []string
		for _, list := range warnings {
			for _, warning := range list {
				if number[warning] == 0 {
					notes = append(notes, warning)
					number[warning] = len(notes)
				}
				refs = append(refs, superscript(number[warning]))
			}
		}
		g.add(benchstatCell{value: strings.Join(refs, " ")})
	}

	// The columns' names, a line for each of their keys: adjacent columns that agree in it and in
	// those before share a heading.
	for level := range len(table.Columns[0].Fields) {
		g.nextRow()
		for from := 0; from < len(table.Columns); {
			to := from + 1
			for to < len(table.Columns) && sameFields(table.Columns[from].Fields[:level+1], table.Columns[to].Fields[:level+1]) {
				to++
			}
			g.col = start(from)
			g.add(benchstatCell{
				span: start(to) - start(from), value: terminal.Clean(table.Columns[from].Fields[level].Value),
				margin: " │ ", align: benchstatMiddle,
			})
			from = to
		}
		g.col = edge
		g.add(benchstatCell{margin: " │"})
	}
	g.nextRow()
	for side := range table.Columns {
		g.col = start(side)
		g.add(benchstatCell{span: benchstatCenter, value: terminal.Clean(table.Unit), margin: " │ ", align: benchstatMiddle})
		if side > 0 {
			g.add(benchstatCell{span: benchstatDelta, value: "vs base", margin: "  "})
		}
		g.fix(start(side)+1, g.col)
	}
	g.col = edge
	g.add(benchstatCell{margin: " │"})

	class := benchunit.ClassOf(table.Unit)
	for _, r := range table.Rows {
		g.nextRow()
		g.add(benchstatCell{value: terminal.Clean(r.Name)})
		var centers []float64
		for _, c := range r.Cells {
			if c != nil {
				centers = append(centers, float64(c.Center))
			}
		}
		scale := benchunit.CommonScale(centers, class)
		for side, c := range r.Cells {
			if c == nil {
				continue
			}
			g.col = start(side)
			g.add(benchstatCell{value: scale.Format(float64(c.Center)), align: benchstatRight})
			g.add(benchstatCell{value: c.Range, margin: " ± ", align: benchstatRight})
			refer(c.Warnings.Texts())
			if c.Change != nil {
				g.add(benchstatCell{value: c.Change.Text, align: benchstatRight})
				g.add(benchstatCell{value: "(" + benchstatChange(c) + ")"})
				refer(c.Change.Warnings.Texts())
			}
		}
	}
	if len(table.Rows) > 1 {
		g.nextRow()
		g.add(benchstatCell{value: "geomean"})
		for side, m := range table.Geomean {
			if m.Center != nil {
				g.col = start(side)
				g.add(benchstatCell{value: benchunit.Scale(float64(*m.Center), class), align: benchstatRight})
			}
			if side > 0 {
				g.col = start(side) + benchstatCenter
				if m.Delta != nil {
					g.add(benchstatCell{value: fmt.Sprintf("%+.2f%%", float64(*m.Delta)*100), align: benchstatRight})
				} else {
					g.add(benchstatCell{value: "?"})
				}
			}
			g.col = start(side+1) - 1
			refer(m.Warnings.Texts())
		}
	}
	lines := g.lines()
	for i, note := range notes {
		lines = append(lines, superscript(i+1)+" "+terminal.Clean(note))
	}
	return lines
}

// blanks returns n blanks.
func blanks(n int) string { return strings.Repeat(" ", max(n, 0)) }

func sameFields(a, b []bench.Field) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// superscript formats the number of a note.
func superscript(n int) string {
	return strings.Map(func(r rune) rune { return []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[r-'0'] }, fmt.Sprint(n))
}

type benchstatAlign int

const (
	benchstatLeft benchstatAlign = iota
	benchstatMiddle
	benchstatRight
)

// A benchstatCell is one cell of a benchstatGrid, or several adjacent ones.
type benchstatCell struct {
	row, col, span int
	value, margin  string // margin precedes value
	align          benchstatAlign
}

// A benchstatGrid lays cells out as benchstat's internal/texttab does, blank for blank (Copyright
// 2020 The Go Authors, under the BSD license of golang.org/x/perf).
type benchstatGrid struct {
	cells    []benchstatCell
	columns  int
	fixed    map[int]bool // columns that a span does not widen
	row, col int          // of the next cell
}

func (g *benchstatGrid) nextRow() {
	if len(g.cells) > 0 {
		g.row++
	}
	g.col = 0
}

// add adds a cell after the last one.
func (g *benchstatGrid) add(c benchstatCell) {
	c.row, c.col, c.span = g.row, g.col, max(1, c.span)
	if c.margin == "" && c.col > 0 && c.value != "" {
		c.margin = " "
	}
	g.cells = append(g.cells, c)
	g.col += c.span
	g.columns = max(g.columns, g.col)
}

func (g *benchstatGrid) fix(from, to int) {
	if g.fixed == nil {
		g.fixed = map[int]bool{}
	}
	for i := from; i < to; i++ {
		g.fixed[i] = true
	}
}

// widths returns the widths of columns, margins included, and of the margins.
func (g *benchstatGrid) widths() (widths, margins []int) {
	widths, margins = make([]int, g.columns), make([]int, g.columns)
	for _, c := range g.cells {
		margins[c.col] = max(margins[c.col], utf8.RuneCountInString(c.margin))
	}
	// Not a stable sort, as in benchstat: equal cells must end up in the same order.
	sort.Slice(g.cells, func(i, j int) bool { return g.cells[i].span < g.cells[j].span })
	for _, c := range g.cells {
		need := utf8.RuneCountInString(c.value) + margins[c.col]
		if c.span == 1 {
			widths[c.col] = max(widths[c.col], need)
			continue
		}
		have := 0
		for _, w := range widths[c.col : c.col+c.span] {
			have += w
		}
		if have >= need {
			continue
		}
		var wider []int
		for col := c.col; col < c.col+c.span; col++ {
			if g.fixed[col] {
				need -= widths[col]
			} else {
				wider = append(wider, col)
			}
		}
		// The widest come first: what they have beyond the average, the others do not need.
		sort.Slice(wider, func(i, j int) bool { return widths[wider[i]] > widths[wider[j]] })
		for i, col := range wider {
			n := len(wider) - i
			widths[col] = max(widths[col], (need+n-1)/n)
			need -= widths[col]
		}
	}
	return widths, margins
}

func (g *benchstatGrid) lines() (lines []string) {
	widths, margins := g.widths()
	starts := make([]int, g.columns+1)
	for i, w := range widths {
		starts[i+1] = starts[i] + w
	}
	sort.Slice(g.cells, func(i, j int) bool {
		a, b := g.cells[i], g.cells[j]
		return a.row < b.row || a.row == b.row && a.col < b.col
	})
	line, row, at := "", 0, 0
	for _, c := range g.cells {
		if strings.TrimSpace(c.value) == "" && strings.TrimSpace(c.margin) == "" {
			continue // no trailing blanks
		}
		for ; row < c.row; row++ {
			lines = append(lines, line)
			line, at = "", 0
		}
		line += blanks(starts[c.col]-at) + blanks(margins[c.col]-utf8.RuneCountInString(c.margin)) + c.margin
		room := starts[c.col+c.span] - starts[c.col] - margins[c.col] - utf8.RuneCountInString(c.value)
		switch c.align {
		case benchstatMiddle:
			line += blanks(room / 2)
		case benchstatRight:
			line += blanks(room)
		case benchstatLeft:
		}
		line += c.value
		at = utf8.RuneCountInString(line)
	}
	return append(lines, line)
}

// BenchstatCSV writes a comparison of benchmarks as benchstat -format csv does, byte for byte.
// Warnings go to a separate stream, one per line, each with its cell: "B3: …".
func BenchstatCSV(w, warnings io.Writer, c *bench.Comparison) error {
	const center, delta = 2, 2
	out := csv.NewWriter(w)
	lines := 1
	var warned error // the first error of warnings
	emit := func(row []string) error {
		lines++
		if err := out.Write(row); err != nil {
			return fmt.Errorf("write CSV: %w", err)
		}
		return nil
	}
	for i := range c.Tables {
		table := &c.Tables[i]
		var rows [][]string
		if i > 0 {
			rows = append(rows, []string{""})
		}
		for _, line := range benchstatConfig(c.Tables, i) {
			rows = append(rows, []string{line})
		}
		start := func(side int) int { return benchstatStart(side, center, delta) }
		fill := func(row []string, to int) []string {
			for len(row) < to {
				row = append(row, "")
			}
			return row
		}
		refer := func(row []string, list []string) {
			for _, warning := range list {
				_, err := fmt.Fprintf(warnings, "%s%d: %s\n", csvColumn(len(row)), lines+len(rows), terminal.Clean(warning))
				warned = cmp.Or(warned, err)
			}
		}
		for level := range len(table.Columns[0].Fields) {
			var row []string
			for side, col := range table.Columns {
				row = append(fill(row, start(side)), col.Fields[level].Value)
			}
			rows = append(rows, fill(row, start(len(table.Columns))))
		}
		var head []string
		for side := range table.Columns {
			head = append(fill(head, start(side)), table.Unit, "CI")
			if side > 0 {
				head = append(head, "vs base", "P")
			}
		}
		rows = append(rows, head)
		for _, r := range table.Rows {
			row := []string{r.Name}
			for side, cell := range r.Cells {
				if cell == nil {
					continue
				}
				row = fill(row, start(side))
				refer(row, cell.Warnings.Texts())
				row = append(row, fmt.Sprint(float64(cell.Center)), cell.Range)
				if cell.Change != nil {
					refer(row, cell.Change.Warnings.Texts())
					row = append(row, cell.Change.Text, benchstatChange(cell))
				}
			}
			rows = append(rows, row)
		}
		row := []string{"geomean"}
		for side, m := range table.Geomean {
			row = fill(row, start(side))
			refer(row, m.Warnings.Texts())
			if m.Center != nil {
				row = append(row, fmt.Sprint(float64(*m.Center)))
			}
			if side == 0 {
				continue
			}
			change := "?"
			if m.Delta != nil {
				change = fmt.Sprintf("%+.2f%%", float64(*m.Delta)*100)
			}
			row = append(fill(row, start(side)+center), change)
		}
		rows = append(rows, fill(row, start(len(table.Columns))))
		for _, row := range rows {
			if err := emit(row); err != nil {
				return err
			}
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	if warned != nil {
		return fmt.Errorf("write warnings: %w", warned)
	}
	return nil
}

// csvColumn returns the name of the column after n cells, as in benchstat: A, B, … Z, BA, BB.
func csvColumn(n int) string {
	name := ""
	for ; n > 0; n /= 26 {
		name = string(rune('A'+n%26)) + name
	}
	if name == "" {
		return "A"
	}
	return name
}
