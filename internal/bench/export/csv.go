package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/internal/terminal"
)

// csvText returns a text as a cell that no spreadsheet takes for a formula: an apostrophe precedes
// what looks like one, unless it is a number.
func csvText(s string) string {
	s = terminal.Clean(s)
	if s == "" || !strings.ContainsRune("=+-@", rune(s[0])) {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}

// CSV writes a comparison of benchmarks as CSV (RFC 4180), a line for each cell, with all
// digits. The configuration is "key=value" pairs separated by semicolons; the lines of means have
// the benchmark "geomean" and no n.
func CSV(w io.Writer, c *bench.Comparison) error {
	out := csv.NewWriter(w)
	rows := [][]string{{
		"config", "unit", "benchmark", "column", "n", "center", "low", "high", "range", "base_n", "delta",
		"p", "adjusted_p", "significant", "holds",
	}}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	optional := func(v *bench.Float) string {
		if v == nil {
			return ""
		}
		return number(float64(*v))
	}
	for i := range c.Tables {
		t := &c.Tables[i]
		var config []string
		for _, f := range t.Config {
			config = append(config, f.Key+"="+f.Value)
		}
		lead := func(name string, column int) []string {
			return []string{csvText(strings.Join(config, ";")), csvText(t.Unit), csvText(name), csvText(t.Columns[column].Name)}
		}
		for _, r := range t.Rows {
			for k, cell := range r.Cells {
				if cell == nil {
					continue
				}
				row := append(lead(r.Name, k), strconv.Itoa(cell.N), number(float64(cell.Center)), number(float64(cell.Low)),
					number(float64(cell.High)), csvText(cell.Range))
				if d := cell.Change; d != nil {
					row = append(row, strconv.Itoa(d.BaseN), number(float64(d.Delta)), number(d.P), number(d.Adjusted),
						strconv.FormatBool(d.Significant), strconv.FormatBool(d.Holds))
				}
				rows = append(rows, row)
			}
		}
		for k, m := range t.Geomean {
			rows = append(rows, append(lead("geomean", k), "", optional(m.Center), "", "", "", "", optional(m.Delta)))
		}
	}
	for _, row := range rows {
		for len(row) < len(rows[0]) {
			row = append(row, "")
		}
		if err := out.Write(row); err != nil {
			return fmt.Errorf("write CSV: %w", err)
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}
