package layout

import (
	"strings"
	"testing"
)

// TestTable writes one description for terminals of two widths and as Markdown.
func TestTable(t *testing.T) {
	table := Table{
		Head: []string{"name", "A", "verdict"}, Align: "lrl", Least: 12, HeadColor: Bold,
		Rows: [][]string{{"a|b", "1", "better"}, {"a_rather_long_name_of_it", "1234", "x"}},
		Color: func(row, column int) Color {
			if row == 0 && column == 2 {
				return Cyan
			}
			return ""
		},
	}
	text := func(table *Table, s Style) string {
		var b strings.Builder
		table.Write(NewWriter(&b), s)
		return b.String()
	}
	if got, want := text(&table, Style{}), "name                         A  verdict\n"+
		"a|b                          1  better\na_rather_long_name_of_it  1234  x\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got, want := text(&table, Style{Width: 28, Color: true}), string(Bold)+"name              A  verdict"+string(reset)+
		"\na|b               1"+string(Cyan)+"  better"+string(reset)+"\na_ra…me_of_it  1234  x\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := table.Width(); got != 39 {
		t.Errorf("width %d, want 39", got)
	}
	var b strings.Builder
	table.WriteMarkdown(NewWriter(&b))
	if got, want := b.String(), "| name | A | verdict |\n|---|--:|---|\n| a\\|b | 1 | better |\n"+
		"| a\\_rather\\_long\\_name\\_of\\_it | 1234 | x |\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	last := Table{
		Align: "rl", Wide: 1, Least: 5, Indent: 2, Rows: [][]string{{"1", "abcdefghij"}, {"22", "k"}},
		Fit: func(row, n int) string { return Cut([]string{"abcdefghij", "k"}[row], n) },
	}
	if got, want := text(&last, Style{Width: 12}), "   1  abcde…\n  22  k\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	gaps := Table{Align: "lrl", Gaps: []int{0, 1, 3}, Rows: [][]string{{"a", "1", "x"}, {"b", "22", "y"}}}
	wider := Table{Align: "lrl", Rows: [][]string{{"name", "1", "x"}}}
	SameWidths(&gaps, &wider)
	wider.Below, wider.BelowAt = func(int) Painted { return Join("why it is so") }, 1
	wider.Foot = []string{"2", "and more"}
	if got, want := text(&gaps, Style{})+text(&wider, Style{}), "a     1   x\nb    22   y\n"+
		"name   1  x\n      why it is so\n2     and more\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	wide := Table{
		Head: []string{"", "s", "±", "B", "±"}, Align: "lrrrr", Gaps: []int{0, 2, 1, 2, 1},
		Rows: [][]string{{"a", "1", "2", "3", "4"}},
	}
	got := ""
	for _, part := range wide.Split(Style{Width: 8}, 2) {
		got += text(&part, Style{})
	}
	if want := "   s ±\na  1 2\n   B ±\na  3 4\n"; got != want || len(wide.Split(Style{}, 2)) != 1 {
		t.Errorf("split:\n%swant\n%s", got, want)
	}
	if got := text(&Table{Head: []string{"x"}, Align: "l"}, Style{}); got != "" {
		t.Errorf("a table without rows: %q", got)
	}
}
