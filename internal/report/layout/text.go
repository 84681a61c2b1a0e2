package layout

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/whet-go/whet/internal/terminal"
	"github.com/whet-go/whet/unit"
)

// A Style describes the reader's terminal.
type Style struct {
	Width int  // columns; 0 means no limit
	Color bool // ANSI colors
}

// A Color is a set of ANSI sequences. None carries meaning alone.
type Color string

// The colors can be concatenated.
const (
	Bold  Color = "\x1b[1m"
	Dim   Color = "\x1b[2m"
	Red   Color = "\x1b[31m"
	Cyan  Color = "\x1b[36m"
	Gold  Color = "\x1b[33m"
	reset Color = "\x1b[0m"
)

// Painted is text that can contain the style's escape sequences. All text in it is cleaned first,
// so every sequence in it is one of this package's. Nothing else converts a string to it.
type Painted struct{ text string }

// Paint cleans and colors text.
func (s Style) Paint(code Color, text string) Painted {
	text = terminal.CleanText(text)
	if !s.Color || text == "" || code == "" {
		return Painted{text}
	}
	return Painted{string(code) + text + string(reset)}
}

// Join joins parts. It replaces unsafe characters in parts that are not Painted.
func Join(parts ...any) Painted { return Painted{string(appendParts(nil, parts))} }

func appendParts(b []byte, parts []any) []byte {
	for _, part := range parts {
		switch part := part.(type) {
		case Painted:
			b = append(b, part.text...)
		case string:
			b = append(b, terminal.CleanText(part)...)
		default:
			b = append(b, terminal.CleanText(fmt.Sprint(part))...)
		}
	}
	return b
}

// StripColor removes the escape sequences that Paint adds.
func StripColor(text string) string {
	if !strings.Contains(text, "\x1b") {
		return text
	}
	for _, c := range []Color{Bold, Dim, Red, Cyan, Gold, reset} {
		text = strings.ReplaceAll(text, string(c), "")
	}
	return text
}

// Width returns the number of columns of p.
func (p Painted) Width() int { return Columns(StripColor(p.text)) }

// String returns the text of p without colors.
func (p Painted) String() string { return StripColor(p.text) }

// fields returns the words of p.
func (p Painted) fields() []Painted {
	var words []Painted
	for word := range strings.FieldsSeq(p.text) {
		words = append(words, Painted{word})
	}
	return words
}

// Heat returns the color for a share, brighter for a larger one.
func Heat(share float64) Color {
	switch {
	case share >= 0.10 || share <= -0.10:
		return Bold + Red
	case share >= 0.03 || share <= -0.03:
		return Gold
	}
	return ""
}

// Remaining returns how many columns of the style's width are left after used ones, at least least;
// a large number if the width has no limit.
func (s Style) Remaining(used, least int) int {
	if s.Width <= 0 {
		return 1 << 20
	}
	return max(s.Width-used, least)
}

// NewWriter returns a Writer that writes lines to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// A Writer remembers its first error, so that a renderer can write many lines and check once.
type Writer struct {
	w   io.Writer
	buf []byte
	err error
}

// Line writes the parts, as Join joins them, without trailing blanks, and ends the line.
func (t *Writer) Line(parts ...any) {
	if t.err == nil {
		t.buf = append(bytes.TrimRight(appendParts(t.buf[:0], parts), " "), '\n')
		_, t.err = t.w.Write(t.buf)
	}
}

// ShowAll tells how to see what a view leaves out for its length.
const ShowAll = "(--number 0 shows all)"

// More writes, after an empty line, what a view leaves out for its length; nothing if that is nothing.
func More(t *Writer, s Style, color Color, n int, one, many string) {
	if n > 0 {
		t.Line()
		t.Line(s.Paint(color, Plural(n, one, many)+" "+ShowAll))
	}
}

// NothingToShow is the text for a view without samples.
const NothingToShow = "nothing to show"

// Result returns the first error of a write.
func (t *Writer) Result() error {
	if t.err != nil {
		return fmt.Errorf("write report: %w", t.err)
	}
	return nil
}

// Clean makes a name safe to print, as terminal.Clean does.
func Clean(s string) string { return terminal.Clean(s) }

// Columns returns the width of s, one column for each character.
func Columns(s string) int { return utf8.RuneCountInString(s) }

// Left pads s with spaces on the right to n columns.
func Left(s string, n int) string { return s + Spaces(n-Columns(s)) }

// Right pads s with spaces on the left to n columns.
func Right(s string, n int) string { return Spaces(n-Columns(s)) + s }

// Spaces returns n spaces.
func Spaces(n int) string {
	if n <= 0 {
		return ""
	}
	return strings.Repeat(" ", n)
}

// Cut shortens s at its end to n columns.
func Cut(s string, n int) string {
	if Columns(s) <= n {
		return s
	}
	if n <= 0 {
		return ""
	}
	return firstRunes(s, n-1) + "…"
}

// CutMiddle shortens s in its middle to n columns. It keeps more of the end, which distinguishes
// names.
func CutMiddle(s string, n int) string {
	total := Columns(s)
	if total <= n {
		return s
	}
	if n <= 1 {
		return Cut(s, n)
	}
	head := (n - 1) / 3
	return firstRunes(s, head) + "…" + LastRunes(s, n-1-head)
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// LastRunes returns the last n runes of s.
func LastRunes(s string, n int) string {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return s[i:]
}

// FitPath shortens a file path to n columns and drops leading directories first.
func FitPath(p string, n int) string {
	p = Clean(p)
	return dropElements(p, len(p), n)
}

// BaseName returns the last element of a file name of any system.
func BaseName(file string) string { return path.Base(strings.ReplaceAll(file, `\`, "/")) }

// FitName shortens a function's name to n columns. It drops type arguments first, then leading
// elements of the package path, then the middle.
func FitName(name string, n int) string {
	name = Clean(name)
	if Columns(name) <= n {
		return name
	}
	name = withoutTypes(name)
	return dropElements(name, pathEnd(name), n)
}

// dropElements replaces leading elements of the path in s[:end] by "…" until s fits into n columns,
// then cuts the middle.
func dropElements(s string, end, n int) string {
	width := Columns(s)
	if width <= n {
		return s
	}
	at := 0 // s[at:] is width columns wide
	for i := 0; i < end; i++ {
		if s[i] != '/' {
			continue
		}
		width -= Columns(s[at:i])
		if at = i; width+1 <= n {
			return "…" + s[at:]
		}
	}
	return CutMiddle(strings.TrimPrefix(s[at:], "/"), n)
}

// ShortName returns a Go function's name with only the last element of its package path and without
// type arguments: "http.(*conn).serve" for "net/http.(*conn).serve". It returns names that are not
// Go's unchanged.
func ShortName(name string) string {
	name = withoutTypes(Clean(name))
	i := strings.LastIndexByte(name[:pathEnd(name)], '/')
	if isMajor(name[i+1:]) && i > 0 {
		// "yaml/v3.Unmarshal" says more than "v3.Unmarshal".
		i = strings.LastIndexByte(name[:i], '/')
	}
	return strings.ReplaceAll(name[i+1:], "%2e", ".")
}

// isMajor reports whether a symbol's last package element is a major version.
func isMajor(s string) bool {
	dot := strings.IndexByte(s, '.')
	return dot >= 2 && s[0] == 'v' && strings.Trim(s[1:dot], "0123456789") == ""
}

// pathEnd returns the index before which a symbol's package path ends. A bracket starts a receiver
// or an argument, whose paths are not part of it.
func pathEnd(name string) int {
	if i := strings.IndexAny(name, "([<"); i >= 0 {
		return i
	}
	return len(name)
}

// withoutTypes shortens the type arguments in names of a generic function's shapes.
func withoutTypes(name string) string {
	if i := strings.Index(name, "[go.shape."); i >= 0 {
		if j := closing(name, i); j > 0 {
			return name[:i] + "[…]" + name[j+1:]
		}
	}
	return name
}

// closing returns the index of the bracket that closes the one at s[open].
func closing(s string, open int) int {
	depth := 0
	for i := open; i < len(s); i++ {
		switch s[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// maxColumn is the largest number that a column should have to hold: one tiny value must not widen
// the column (11006949.73us).
const maxColumn = 100_000

// ScaleFor returns one unit for columns of the given values, as unit.CommonUnit does; it ignores
// values below 1/maxColumn of the largest.
func ScaleFor(from string, total int64, values iter.Seq[int64]) string {
	low, high := int64(0), max(total, -total)
	for v := range values {
		if v = max(v, -v); v != 0 && (low == 0 || v < low) {
			low = v
		}
	}
	return unit.CommonUnit(max(low, high/maxColumn), high, from)
}

// Each returns a number of each item.
func Each[T any](items []T, number func(*T) int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for i := range items {
			if !yield(number(&items[i])) {
				return
			}
		}
	}
}

// ColumnValue formats a value in the unit that ScaleFor chose, with two decimals so that columns
// line up, unless the unit has no fractions.
func ColumnValue(v int64, from, to string) string {
	n, name := unit.Of(v, from).Scale(to)
	switch {
	case v == 0:
		return "0"
	case name == "" || name == "B" || name == "ns":
		return unit.Of(v, from).In(to)
	}
	if n < 0.005 && n > -0.005 {
		return "<0.01" + name
	}
	return fmt.Sprintf("%.2f%s", n, name)
}

// PprofPercent formats a share as go tool pprof does, but without exponents such as 9.2e-07%.
func PprofPercent(part, total int64) string {
	s := unit.Percent(part, total)
	if strings.Contains(s, "e-") {
		return "<0.001%"
	}
	return s
}

// ColumnPercent formats a share with two decimals, so that columns line up.
func ColumnPercent(part, total int64) string {
	share := unit.Share(part, total) * 100
	if abs := max(share, -share); abs > 0 && abs < 0.005 {
		return "<0.01%"
	}
	return fmt.Sprintf("%.2f%%", share)
}

// ShortPercent formats a percentage for running text: "31%", "9.1%", "<0.1%".
func ShortPercent(part, total int64) string {
	share := unit.Share(part, total) * 100
	switch abs := max(share, -share); {
	case abs >= 9.95:
		return fmt.Sprintf("%.0f%%", share)
	case abs >= 0.05 || abs == 0:
		return fmt.Sprintf("%.1f%%", share)
	}
	return "<0.1%"
}

// Plural formats a number with the noun in the right form.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return unit.Count(n).String() + " " + many
}

// Wrap writes lead and words and wraps them with the given indent. Escape sequences take no
// columns.
func Wrap(t *Writer, s Style, lead, words any, indent int) {
	line := Join(lead)
	at := line.Width()
	fresh := true
	for _, word := range Join(words).fields() {
		wide := word.Width()
		if !fresh && s.Width > 0 && at+1+wide > s.Width {
			t.Line(line)
			line, at, fresh = Join(Spaces(indent)), indent, true
		}
		if !fresh {
			line = Join(line, " ")
			at++
		}
		line = Join(line, word)
		at += wide
		fresh = false
	}
	t.Line(line)
}

// Paragraph writes text in lines of at least 40 columns, the first after lead, the others indented like it.
func Paragraph(t *Writer, s Style, color Color, lead, text string) {
	for _, line := range Fill(text, s.Remaining(Columns(lead), 40)) {
		t.Line(s.Paint(color, lead+line))
		lead = Spaces(Columns(lead))
	}
}

// SignedPercent formats a share with its sign, "+4.1%" or "-0.03%", or as a factor, "x12", if the
// percentage would be long.
func SignedPercent(share float64) string {
	v := share * 100
	if share >= 10 {
		return fmt.Sprintf("x%.3g", 1+share)
	}
	switch abs := max(v, -v); {
	case abs >= 9.95:
		return fmt.Sprintf("%+.0f%%", v)
	case abs >= 0.995:
		return fmt.Sprintf("%+.1f%%", v)
	case abs < 0.005:
		return "0%"
	}
	return fmt.Sprintf("%+.2f%%", v)
}

// SharePercent formats a share of one as a percentage.
func SharePercent(share float64) string { return unit.FormatPercent(100 * share) }

// CleanSource makes a line of source safe to print, with tabs as four spaces.
func CleanSource(s string) string {
	return Clean(strings.ReplaceAll(s, "\t", "    "))
}

// EscapeMarkdown escapes the characters that have a meaning in Markdown.
func EscapeMarkdown(s string) string {
	return strings.NewReplacer(`\`, `\\`, "&", "&amp;",
		"|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`", "~", `\~`, "[", `\[`).Replace(s)
}
