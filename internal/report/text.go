package report

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/whet-go/whet/internal/terminal"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/unit"
)

// Style is what the reader's terminal can show.
type Style struct {
	Width int  // columns; 0 means no limit, nothing is shortened
	Color bool // ANSI colours
}

// ANSI sequences. Few, and none that carries meaning alone.
const (
	bold  = "\x1b[1m"
	dim   = "\x1b[2m"
	red   = "\x1b[31m"
	cyan  = "\x1b[36m"
	gold  = "\x1b[33m"
	reset = "\x1b[0m"
)

// painted is text that may have the style's sequences in it. Whatever becomes part of it passes paint or rich, which
// clean it, so that a sequence in it is always our own. Nothing else converts a string to it.
type painted string

func (s Style) paint(code, text string) painted {
	text = terminal.CleanText(text)
	if !s.Color || text == "" || code == "" {
		return painted(text)
	}
	return painted(code + text + reset)
}

// rich joins parts. Unsafe characters of all that is not painted are replaced.
func rich(parts ...any) painted { return painted(appendParts(nil, parts)) }

func appendParts(b []byte, parts []any) []byte {
	for _, part := range parts {
		switch part := part.(type) {
		case painted:
			b = append(b, part...)
		case string:
			b = append(b, terminal.CleanText(part)...)
		default:
			b = append(b, terminal.CleanText(fmt.Sprint(part))...)
		}
	}
	return b
}

// stripPaint takes the sequences of paint away.
func stripPaint(p painted) string {
	if !strings.Contains(string(p), "\x1b") {
		return string(p)
	}
	return strings.NewReplacer(bold, "", dim, "", red, "", cyan, "", gold, "", reset, "").Replace(string(p))
}

// fields are the words of p.
func (p painted) fields() []painted {
	var words []painted
	for word := range strings.FieldsSeq(string(p)) {
		words = append(words, painted(word))
	}
	return words
}

// heat is the colour of a share: the eye should fall on what costs.
func heat(share float64) string {
	switch {
	case share >= 0.10 || share <= -0.10:
		return bold + red
	case share >= 0.03 || share <= -0.03:
		return gold
	}
	return ""
}

// room is how many columns are left of the style's width after used ones; a
// large number without a limit. It is never less than least.
func (s Style) room(used, least int) int {
	if s.Width <= 0 {
		return 1 << 20
	}
	return max(s.Width-used, least)
}

// text is a writer that remembers its first error, so that a renderer can print
// line after line and look once.
type text struct {
	w   io.Writer
	buf []byte
	err error
}

// line writes the parts, as rich joins them, and ends the line, without trailing blanks.
func (t *text) line(parts ...any) {
	if t.err == nil {
		t.buf = append(bytes.TrimRight(appendParts(t.buf[:0], parts), " "), '\n')
		_, t.err = t.w.Write(t.buf)
	}
}

// nothing is what a view without samples shows.
const nothing = "nothing to show"

func (t *text) result() error {
	if t.err != nil {
		return fmt.Errorf("write report: %w", t.err)
	}
	return nil
}

// Clean makes a name safe to print, as terminal.Clean does.
func Clean(s string) string { return terminal.Clean(s) }

// columns is how wide s is, counting one column per character.
func columns(s string) int { return utf8.RuneCountInString(s) }

func left(s string, n int) string  { return s + blanks(n-columns(s)) }
func right(s string, n int) string { return blanks(n-columns(s)) + s }

func blanks(n int) string {
	if n <= 0 {
		return ""
	}
	return strings.Repeat(" ", n)
}

// cut shortens s to n columns at its end.
func cut(s string, n int) string {
	if columns(s) <= n {
		return s
	}
	if n <= 0 {
		return ""
	}
	return firstRunes(s, n-1) + "…"
}

// middle shortens s to n columns in its middle; the end, which tells names
// apart, keeps more than the start.
func middle(s string, n int) string {
	total := columns(s)
	if total <= n {
		return s
	}
	if n <= 1 {
		return cut(s, n)
	}
	head := (n - 1) / 3
	return firstRunes(s, head) + "…" + lastRunes(s, n-1-head)
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

func lastRunes(s string, n int) string {
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
	if columns(name) <= n {
		return name
	}
	name = withoutTypes(name)
	return dropElements(name, pathEnd(name), n)
}

// dropElements replaces as many leading elements of the path in s[:end] by "…" as
// it takes to fit s into n columns, then cuts the middle.
func dropElements(s string, end, n int) string {
	width := columns(s)
	if width <= n {
		return s
	}
	at := 0 // s[at:] is width columns wide
	for i := 0; i < end; i++ {
		if s[i] != '/' {
			continue
		}
		width -= columns(s[at:i])
		if at = i; width+1 <= n {
			return "…" + s[at:]
		}
	}
	return middle(strings.TrimPrefix(s[at:], "/"), n)
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

// unknownName is the name of a frame of which nothing is known, in all views and
// formats; it is go tool pprof's.
const unknownName = "<unknown>"

// NodeName is how a node of a view by the given granularity is written; it is
// what go tool pprof writes.
func NodeName(n profile.Node, by profile.By) string {
	var parts []string
	if n.Address != 0 {
		parts = append(parts, fmt.Sprintf("%016x", n.Address))
	}
	if n.Name != "" && by != profile.ByFile {
		parts = append(parts, n.Name)
	}
	switch {
	case by != profile.ByFunction && n.Line != 0:
		parts = append(parts, fmt.Sprintf("%s:%d", n.File, n.Line))
	case n.File != "" && (by == profile.ByLine || by == profile.ByFile || by == profile.ByAddress || n.Name == ""):
		parts = append(parts, n.File)
	case n.Name != "":
	case n.Object != "":
		parts = append(parts, "["+path.Base(n.Object)+"]")
	default:
		parts = append(parts, unknownName)
	}
	return strings.Join(parts, " ")
}

// FitNode is NodeName shortened to n columns.
func FitNode(node profile.Node, by profile.By, n int) string {
	name := NodeName(node, by)
	if columns(name) <= n {
		return Clean(name)
	}
	if by == profile.ByFile {
		return FitPath(name, n)
	}
	// The function keeps what the place beside it can spare.
	if fn, place, ok := strings.Cut(name, " "); ok && by == profile.ByLine && !strings.Contains(place, " ") {
		place = FitPath(place, max(n/2, n-1-columns(fn)))
		return FitName(fn, n-1-columns(place)) + " " + place
	}
	return FitName(name, n)
}

// maxColumn is the largest number that a column should have to hold: a tiny value
// must not spread the others over the screen (11006949.73us).
const maxColumn = 100_000

// scaleFor chooses the one unit for columns whose values are given, as
// unit.CommonUnit does; values of less than 1/maxColumn of the largest have no say.
func scaleFor(typ profile.ValueType, total int64, values func(yield func(int64) bool)) string {
	low, high := int64(0), max(total, -total)
	for v := range values {
		if v = max(v, -v); v != 0 && (low == 0 || v < low) {
			low = v
		}
	}
	return unit.CommonUnit(max(low, high/maxColumn), high, typ.Unit)
}

// columnValue writes a value for a column in the unit that scaleFor chose: with
// two decimals throughout, so that they line up, unless the unit has no fractions.
func columnValue(v int64, from, to string) string {
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

// pprofPercent writes a share as go tool pprof does, but for exponents: nobody reads
// 9.2e-07%.
func pprofPercent(part, total int64) string {
	s := unit.Percent(part, total)
	if strings.Contains(s, "e-") {
		return "<0.001%"
	}
	return s
}

// percent writes a share for columns: always two decimals, so that they line up.
func percent(part, total int64) string {
	share := unit.Share(part, total) * 100
	if abs := max(share, -share); abs > 0 && abs < 0.005 {
		return "<0.01%"
	}
	return fmt.Sprintf("%.2f%%", share)
}

// compact writes a percentage for running text: "31%", "9.1%", "<0.1%".
func compact(part, total int64) string {
	share := unit.Share(part, total) * 100
	switch abs := max(share, -share); {
	case abs >= 9.95:
		return fmt.Sprintf("%.0f%%", share)
	case abs >= 0.05 || abs == 0:
		return fmt.Sprintf("%.1f%%", share)
	}
	return "<0.1%"
}

// writeHeader writes the facts of a profile: what and where, how much, filters.
func writeHeader(t *text, s Style, h Header) {
	title := []string{h.SampleType.Type}
	if h.Profile != "" && h.Profile != h.SampleType.Type {
		title = []string{h.Profile + " (" + h.SampleType.Type + ")"}
	}
	if h.Program != "" {
		title = append(title, "of "+h.Program)
	}
	if h.Target != "" {
		title = append(title, "at "+h.Target)
	}
	if h.GoVersion != "" {
		title = append(title, "("+h.GoVersion+")")
	}
	name, rest := Clean(h.Name), " · "+Clean(strings.Join(title, " "))
	if s.Width > 0 {
		name = middle(name, max(s.Width-columns(rest), 12))
		rest = cut(rest, s.Width-columns(name))
	}
	t.line(s.paint(bold, name), rest)

	total := unit.Of(h.Total, h.SampleType.Unit)
	facts := []string{"total " + h.write(h.Total) + countNoun(h.SampleType, h.Total)}
	switch {
	case h.SampleType.Type == "samples":
	case h.Samples > 0:
		facts = append(facts, plural(int(h.Samples), "sample", "samples"))
	default:
		facts = append(facts, plural(h.Stacks, "stack", "stacks"))
	}
	if h.Duration > 0 {
		fact := unit.Duration(h.Duration)
		if unit.Kind(h.SampleType.Unit) == "time" && h.SampleType.Type == "cpu" {
			nanos, _ := total.Scale("ns")
			fact += fmt.Sprintf(" (%.2f cores busy)", nanos/float64(h.Duration))
		}
		facts = append(facts, fact)
	}
	if !h.Time.IsZero() {
		facts = append(facts, h.Time.Format("2006-01-02 15:04:05"))
	}
	if h.GOMAXPROCS > 0 {
		facts = append(facts, fmt.Sprintf("GOMAXPROCS %d", h.GOMAXPROCS))
	}
	line := facts[0]
	for _, f := range facts[1:] {
		if columns(line)+3+columns(f) > s.room(0, 10) {
			break // the first facts matter most
		}
		line += " · " + f
	}
	t.line(cut(Clean(line), s.room(0, 10)))
	if len(h.Base) > 0 {
		t.line(cut(Clean("minus "+strings.Join(h.Base, ", ")), s.room(0, 10)))
	}
	if len(h.Filters) > 0 {
		t.line(cut(Clean("filtered by "+strings.Join(h.Filters, ", ")), s.room(0, 10)))
	}
}

// countNoun says what a bare count of n counts.
func countNoun(typ profile.ValueType, n int64) string {
	if unit.Kind(typ.Unit) != "count" {
		return ""
	}
	noun := strings.ReplaceAll(typ.Type, "_", " ")
	if noun == "threadcreate" {
		noun = "thread"
	}
	noun = strings.TrimSuffix(noun, "s")
	if n != 1 {
		noun += "s"
	}
	return " " + noun
}
