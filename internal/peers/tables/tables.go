package tables

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/diag"
)

// Measured returns the line about the day and the machine of a measurement.
func Measured(day time.Time) string {
	return fmt.Sprintf("Measured on %s with %d CPUs and %s.",
		day.Format(time.DateOnly), runtime.NumCPU(), runtime.Version())
}

// Update writes the cells of rows into the first table below a heading of a page in Markdown: "## Costs". last is the
// first cell of the row that sums up others, and stays the last one; "" for none. measured replaces the line before the
// table that begins like it.
func Update(page, heading, measured, last string, rows [][]string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	from, to, err := find(lines, heading)
	if err != nil {
		return &diag.Error{
			Op: "update", Subject: page, Err: err, Hint: "write the heading and the first two lines of the table by hand",
		}
	}
	table := slices.Clone(lines[from:to])
	for _, cells := range rows {
		table = put(table, cells, last)
	}
	before := from
	if before >= 2 && lines[before-1] == "" && strings.HasPrefix(lines[before-2], "Measured on ") {
		before -= 2
	}
	return os.WriteFile(page, []byte(strings.Join(slices.Concat(
		lines[:before], []string{measured, ""}, table, lines[to:]), "\n")), 0o644)
}

// find returns the lines of the first table below a heading.
func find(lines []string, heading string) (from, to int, err error) {
	at := slices.Index(lines, heading)
	if at < 0 {
		return 0, 0, fmt.Errorf("no heading %q", heading)
	}
	for from = at + 1; from < len(lines) && !strings.HasPrefix(lines[from], "|"); from++ {
		if strings.HasPrefix(lines[from], "#") {
			return 0, 0, fmt.Errorf("no table below the heading %q", heading)
		}
	}
	for to = from; to < len(lines) && strings.HasPrefix(lines[to], "|"); to++ {
	}
	if to-from < 2 {
		return 0, 0, errors.New("the table has no header")
	}
	return from, to, nil
}

// put puts a row into a table.
func put(table, cells []string, last string) []string {
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(strings.ReplaceAll(c, "|", `\|`), "\n", " ")
	}
	row := strings.ReplaceAll("| "+strings.Join(cells, " | ")+" |", "|  |", "| |")
	first := func(cell string) func(string) bool {
		return func(line string) bool { return strings.HasPrefix(line, "| "+cell+" |") }
	}
	if i := slices.IndexFunc(table[2:], first(cells[0])); i >= 0 {
		table[2+i] = row
		return table
	}
	if i := slices.IndexFunc(table[2:], first(last)); i >= 0 && last != "" {
		return slices.Insert(table, 2+i, row)
	}
	return append(table, row)
}
