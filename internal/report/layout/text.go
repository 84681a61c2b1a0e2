package layout

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/whet-go/whet/internal/terminal"
	"github.com/whet-go/whet/unit"
)

// Style is what the reader's terminal can show.
type Style struct {
	Width int  // columns; 0 means no limit, nothing is shortened
	Color bool // ANSI colours
}

// A Color is a set of ANSI sequences. There are few, and none carries meaning alone.
type Color string

// The colors. They may be joined.
const (
	Bold  Color = "\x1b[1m"
	Dim   Color = "\x1b[2m"
	Red   Color = "\x1b[31m"
	Cyan  Color = "\x1b[36m"
	Gold  Color = "\x1b[33m"
	reset Color = "\x1b[0m"
)

// Painted is text that may have the style's sequences in it. Whatever becomes part of it passes paint or rich, which
// clean it, so that a sequence in it is always our own. Nothing else converts a string to it.
type Painted struct{ text string }

// Paint colors text, which is cleaned.
func (s Style) Paint(code Color, text string) Painted {
	text = terminal.CleanText(text)
	if !s.Color || text == "" || code == "" {
		return Painted{text}
	}
	return Painted{string(code) + text + string(reset)}
}

// Join joins parts. Unsafe characters of all that is not painted are replaced.
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

// StripColor takes the sequences of paint away.
func StripColor(text string) string {
	if !strings.Contains(text, "\x1b") {
		return text
	}
	for _, c := range []Color{Bold, Dim, Red, Cyan, Gold, reset} {
		text = strings.ReplaceAll(text, string(c), "")
	}
	return text
}

// Width is how many columns p takes.
func (p Painted) Width() int { return Columns(StripColor(p.text)) }

// fields are the words of p.
func (p Painted) fields() []Painted {
	var words []Painted
	for word := range strings.FieldsSeq(p.text) {
		words = append(words, Painted{word})
	}
	return words
}

// Heat is the colour of a share: the eye should fall on what costs.
func Heat(share float64) Color {
	switch {
	case share >= 0.10 || share <= -0.10:
		return Bold + Red
	case share >= 0.03 || share <= -0.03:
		return Gold
	}
	return ""
}

// Remaining is how many columns are left of the style's width after used ones; a
// large number without a limit. It is never less than least.
func (s Style) Remaining(used, least int) int {
	if s.Width <= 0 {
		return 1 << 20
	}
	return max(s.Width-used, least)
}

// NewWriter returns a Writer of lines to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Writer is a writer that remembers its first error, so that a renderer can print
// line after line and look once.
type Writer struct {
	w   io.Writer
	buf []byte
	err error
}

// Line writes the parts, as rich joins them, and ends the line, without trailing blanks.
func (t *Writer) Line(parts ...any) {
	if t.err == nil {
		t.buf = append(bytes.TrimRight(appendParts(t.buf[:0], parts), " "), '\n')
		_, t.err = t.w.Write(t.buf)
	}
}

// NothingToShow is what a view without samples shows.
const NothingToShow = "nothing to show"

// Result returns the first error of writing.
func (t *Writer) Result() error {
	if t.err != nil {
		return fmt.Errorf("write report: %w", t.err)
	}
	return nil
}

// Clean makes a name safe to print, as terminal.Clean does.
func Clean(s string) string { return terminal.Clean(s) }

// Columns is how wide s is, counting one column per character.
func Columns(s string) int { return utf8.RuneCountInString(s) }

// Left pads s with spaces at its end to n columns.
func Left(s string, n int) string { return s + Spaces(n-Columns(s)) }

// Right pads s with spaces at its start to n columns.
func Right(s string, n int) string { return Spaces(n-Columns(s)) + s }

// Spaces returns n spaces.
func Spaces(n int) string {
	if n <= 0 {
		return ""
	}
	return strings.Repeat(" ", n)
}

// Cut shortens s to n columns at its end.
func Cut(s string, n int) string {
	if Columns(s) <= n {
		return s
	}
	if n <= 0 {
		return ""
	}
	return firstRunes(s, n-1) + "…"
}

// CutMiddle shortens s to n columns in its middle; the end, which tells names
// apart, keeps more than the start.
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

// FitPath shortens a file path to n columns: leading folders go first.
func FitPath(p string, n int) string {
	p = Clean(p)
	return dropElements(p, len(p), n)
}

// FitName shortens a function's name to n columns: type arguments go first, then
// leading elements of the package path, then the middle.
func FitName(name string, n int) string {
	name = Clean(name)
	if Columns(name) <= n {
		return name
	}
	name = withoutTypes(name)
	return dropElements(name, pathEnd(name), n)
}

// dropElements replaces as many leading elements of the path in s[:end] by "…" as
// it takes to fit s into n columns, then cuts the middle.
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

// ShortName is a Go function's name with only the last element of its package
// path and without type arguments: "http.(*conn).serve" of
// "net/http.(*conn).serve". Names that are not Go's are returned as they are.
func ShortName(name string) string {
	name = withoutTypes(Clean(name))
	i := strings.LastIndexByte(name[:pathEnd(name)], '/')
	if isMajor(name[i+1:]) && i > 0 {
		// "yaml/v3.Unmarshal" says more than "v3.Unmarshal".
		i = strings.LastIndexByte(name[:i], '/')
	}
	return strings.ReplaceAll(name[i+1:], "%2e", ".")
}

// isMajor tells whether a symbol's last package element is a major version.
func isMajor(s string) bool {
	dot := strings.IndexByte(s, '.')
	return dot >= 2 && s[0] == 'v' && strings.Trim(s[1:dot], "0123456789") == ""
}

// pathEnd is where a symbol's package path cannot go on. What follows a bracket
// is a receiver or an argument, with paths of its own.
func pathEnd(name string) int {
	if i := strings.IndexAny(name, "([<"); i >= 0 {
		return i
	}
	return len(name)
}

// withoutTypes shortens the type arguments that the compiler writes for a
// generic function's shapes.
func withoutTypes(name string) string {
	if i := strings.Index(name, "[go.shape."); i >= 0 {
		if j := closing(name, i); j > 0 {
			return name[:i] + "[…]" + name[j+1:]
		}
	}
	return name
}

// closing finds the bracket that closes the one at s[open].
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

// maxColumn is the largest number that a column should have to hold: a tiny value
// must not spread the others over the screen (11006949.73us).
const maxColumn = 100_000

// ScaleFor chooses the one unit for columns whose values are given, as
// unit.CommonUnit does; values of less than 1/maxColumn of the largest have no say.
func ScaleFor(from string, total int64, values func(yield func(int64) bool)) string {
	low, high := int64(0), max(total, -total)
	for v := range values {
		if v = max(v, -v); v != 0 && (low == 0 || v < low) {
			low = v
		}
	}
	return unit.CommonUnit(max(low, high/maxColumn), high, from)
}

// ColumnValue writes a value for a column in the unit that scaleFor chose: with
// two decimals throughout, so that they line up, unless the unit has no fractions.
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

// PprofPercent writes a share as go tool pprof does, but for exponents: nobody reads
// 9.2e-07%.
func PprofPercent(part, total int64) string {
	s := unit.Percent(part, total)
	if strings.Contains(s, "e-") {
		return "<0.001%"
	}
	return s
}

// ColumnPercent writes a share for columns: always two decimals, so that they line up.
func ColumnPercent(part, total int64) string {
	share := unit.Share(part, total) * 100
	if abs := max(share, -share); abs > 0 && abs < 0.005 {
		return "<0.01%"
	}
	return fmt.Sprintf("%.2f%%", share)
}

// ShortPercent writes a percentage for running text: "31%", "9.1%", "<0.1%".
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

// Plural writes a number with the noun that suits it.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return unit.Count(n).String() + " " + many
}

// Wrap writes lead and words, and goes on below at the given indent. Escape
// sequences take no room.
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

// SignedPercent writes a share with its sign: "+4.1%", "-0.03%"; as a factor where
// percentages would only be long: "x12".
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

// SharePercent writes a share of one.
func SharePercent(share float64) string { return unit.FormatPercent(100 * share) }

// CleanSource makes a line of source safe to print; tabs stay as they are, four
// columns wide.
func CleanSource(s string) string {
	return Clean(strings.ReplaceAll(s, "\t", "    "))
}

// EscapeMarkdown keeps the characters that mean something in Markdown as they are.
func EscapeMarkdown(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`", "~", `\~`, "[", `\[`).Replace(s)
}
