package benchmarks

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/internal/report/layout"
)

// benchmarks compares two or more sides of ten measurements with differences, a
// benchmark that only one has, and a name that a terminal must not see.
func benchmarks(t *testing.T, sides int) *bench.Comparison {
	t.Helper()
	var text strings.Builder
	for side := range sides {
		fmt.Fprintf(&text, "side: %d|<b>\n", side)
		for i := range 10 {
			fmt.Fprintf(&text, "BenchmarkEncodeEverything/format=json-48 1 %d ns/op\n", 1_000_000+side*100_000+i*1000)
			fmt.Fprintf(&text, "BenchmarkA\x1b[31m 1 %d ns/op\n", 1000+i)
			if side == 0 {
				text.WriteString("BenchmarkOld 1 5 ns/op\n")
			}
		}
	}
	c, err := bench.Compare(t.Context(), []bench.Input{{Path: "-"}},
		bench.Options{Stdin: strings.NewReader(text.String()), Column: "side"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestWriteBenchComparison(t *testing.T) {
	for _, sides := range []int{1, 2, 3} {
		c := benchmarks(t, sides)
		var plain, colored, wide bytes.Buffer
		for out, s := range map[*bytes.Buffer]layout.Style{
			&plain: {Width: 80}, &colored: {Width: 80, Color: true},
			&wide: {},
		} {
			if err := Comparison(c).Write(out, s); err != nil {
				t.Fatal(err)
			}
		}
		if strings.Contains(plain.String(), "\x1b") || !strings.Contains(wide.String(), "EncodeEverything/format=json-48") {
			t.Errorf("%q", &plain)
		}
		if got := layout.StripColor(colored.String()); got != plain.String() {
			t.Errorf("color changes the text:\n%s\n%s", got, &plain)
		}
		for line := range strings.Lines(plain.String()) {
			if n := layout.Columns(strings.TrimSuffix(line, "\n")); n > 80 && sides <= 2 {
				t.Errorf("%d columns: %s", n, line)
			}
		}
		if got := strings.Contains(plain.String(), "+9.96%"); got != (sides > 1) {
			t.Errorf("%d sides: a change is shown: %v\n%s", sides, got, &plain)
		}
		if got := strings.Contains(plain.String(), "only in 0|<b>: Old"); got != (sides > 1) {
			t.Errorf("%d sides:\n%s", sides, &plain)
		}
	}
}

// TestWriteBenchMarkdown checks that rows have as many cells as their table's head, and that names add no
// HTML.
func TestWriteBenchMarkdown(t *testing.T) {
	var out bytes.Buffer
	if err := Comparison(benchmarks(t, 3)).WriteMarkdown(&out); err != nil {
		t.Fatal(err)
	}
	cells, rows := 0, 0
	for line := range strings.Lines(out.String()) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		rows++
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if cells == 0 {
			cells = n
		}
		if n != cells {
			t.Errorf("%d cells, not %d: %s", n, cells, line)
		}
	}
	if rows != 6 || strings.Contains(out.String(), "<b>") || strings.Contains(out.String(), "\x1b") {
		t.Errorf("%d rows\n%s", rows, &out)
	}
}
