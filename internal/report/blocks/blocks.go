package blocks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/report/layout"
)

// A Document is a report.
type Document struct {
	Title  Text
	Blocks []Block
	Editor Editor // that the places on a page lead to
}

// Add appends a section, unless there is nothing in it.
func (d *Document) Add(id, title string, list ...Block) {
	d.AddSection(Section{ID: id, Title: Text{Plain(title)}, Blocks: list})
}

// AddSection is Add for a section with more than a plain title.
func (d *Document) AddSection(s Section) {
	if slices.ContainsFunc(s.Blocks, func(b Block) bool { return !isEmpty(b) }) {
		d.Blocks = append(d.Blocks, s)
	}
}

// isEmpty reports whether a block writes nothing.
func isEmpty(b Block) bool {
	switch b := b.(type) {
	case List:
		return len(b) == 0
	case Entries:
		return len(b.List) == 0
	case Table:
		return len(b.Rows) == 0
	case Pair:
		full := func(b Block) bool { return !isEmpty(b) }
		return !slices.ContainsFunc(b.First, full) && !slices.ContainsFunc(b.Second, full)
	default:
		return false
	}
}

// A Block is a part of a document. The types of this package are the only ones.
type Block interface {
	text(w *textWriter, indent int)
	markdown(w *markdownWriter, level int)
	html(w *htmlWriter, level int)
}

// Text is a run of words on one line.
type Text []Span

// A Span is a piece of a Text: Plain, Strong, Dim, Name, Command or Break.
type Span interface {
	raw() string
	paint(s layout.Style, base layout.Color, width int) layout.Painted
	escape() string // as Markdown
	tag() (open, end markup)
}

type (
	// Plain is text without emphasis.
	Plain string
	// Strong is text that a reader should not miss.
	Strong string
	// Dim is text of secondary importance.
	Dim string
	// Name is a name in source, such as that of a function or file. A terminal shortens a name that
	// does not fit.
	Name string
	// Command is a command that a reader can run.
	Command string
	// A Break is the end of a line in the item of a List, and a space elsewhere.
	Break struct{}
)

func (s Plain) raw() string   { return string(s) }
func (s Strong) raw() string  { return string(s) }
func (s Dim) raw() string     { return string(s) }
func (s Name) raw() string    { return string(s) }
func (s Command) raw() string { return string(s) }
func (Break) raw() string     { return " " }

// String returns the text without emphasis.
func (t Text) String() string {
	var b strings.Builder
	for _, span := range t {
		b.WriteString(span.raw())
	}
	return b.String()
}

// A Section is blocks under a heading.
type Section struct {
	ID     string // of the element on a page; "" for none
	Title  Text
	Badges layout.Facts // short properties, shown after the title
	// Kind is what a page's reader can hide sections of the document by, such as a rule; "" for none.
	Kind   string
	Fold   bool // closed until the reader opens it
	Open   bool // although it can be closed, it is open on pages
	Brief  bool // left out in a terminal, where nothing can be closed
	Blocks []Block
}

// A Group is blocks with an empty line around them.
type Group []Block

// A Pair is blocks that a page shows next to each other, if it is wide enough, such as a change and its
// proof. Elsewhere, First comes first.
type Pair struct{ First, Second []Block }

type (
	// Prose is a paragraph.
	Prose Text
	// A Note is a paragraph of secondary importance.
	Note Text
	// A List is short statements, which are not sentences. Only here has a Break an effect.
	List []Text
)

// Printed returns what a compiler or a test has printed, as a text with its lines.
func Printed(output string) (t Text) {
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); line != "" {
			if len(t) > 0 {
				t = append(t, Break{})
			}
			t = append(t, Plain(line))
		}
	}
	return t
}

// PrintedItems returns a list of statements without emphasis, which may have what a compiler or a test has
// printed.
func PrintedItems(texts ...string) List {
	list := make(List, len(texts))
	for i, text := range texts {
		list[i] = Printed(text)
	}
	return list
}

// lines divides a text at its breaks.
func (t Text) lines() (all []Text) {
	for len(t) > 0 {
		i := slices.Index(t, Span(Break{}))
		if i < 0 {
			return append(all, t)
		}
		all, t = append(all, t[:i]), t[i+1:]
	}
	return all
}

// Items returns a list of statements without emphasis.
func Items(texts ...string) List {
	list := make(List, len(texts))
	for i, text := range texts {
		list[i] = Text{Plain(text)}
	}
	return list
}

type (
	// A Diff is a unified diff.
	Diff string
	// Code is source.
	Code string
	// Output is what a program has printed. Its long lines are wrapped.
	Output string
)

// A Location is a place in source.
type Location struct {
	Where    string // such as file.go:7
	Function string // "" for none
}

// An Entry is a location and what is known about it.
type Entry struct {
	Share string // "" for none
	Location
	Code string // the line of source; "" for none
	Text string // "" for none
}

// Entries is a list of entries.
type Entries struct {
	List []Entry
	// Most is the number of entries that a terminal shows; 0 means all.
	Most int
}

// A Bar draws a share of one on a page. The text next to it gives the share, so terminals and
// Markdown have no bar.
type Bar struct {
	Share float64
	Label string // for readers who do not see the bar
}

// A Mark says whether a row of a table is good or bad news.
type Mark string

// The marks of rows. The zero value is neither.
const (
	Good Mark = "good"
	Bad  Mark = "bad"
)

// A Table is a table. Its cells may come from foreign files, unlike those of a layout.Table alone.
type Table struct {
	layout.Table
	Marks []Mark // of the rows; nil for none
	// Bars are shares that pages draw as a last column with the heading BarHead: one for each row,
	// below 0 for none; nil for no column.
	Bars    []float64
	BarHead string
	// Over are headings above groups of columns, from left to right. With them, a terminal has no heading
	// for the first column.
	Over  []Heading
	Notes []string // below the table, numbered from 1
}

// A Heading is above the columns from Column to that of the next heading.
type Heading struct {
	Text   string
	Column int
}

// fullHead returns the headings of columns, with those above them.
func (b *Table) fullHead() []string {
	head := slices.Clone(b.Head)
	for _, h := range b.Over {
		head[h.Column] = h.Text + " " + head[h.Column]
	}
	return head
}

// numbered returns the notes with their numbers.
func (b *Table) numbered() List {
	notes := slices.Clone(b.Notes)
	for i := range notes {
		notes[i] = fmt.Sprintf("[%d] %s", i+1, notes[i])
	}
	return Items(notes...)
}

// mark returns the mark of a row.
func (b *Table) mark(row int) Mark {
	if row < len(b.Marks) {
		return b.Marks[row]
	}
	return ""
}
