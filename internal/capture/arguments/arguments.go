package arguments

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/capture/instrument"
	"github.com/whet-go/whet/internal/capture/support"
)

// MaxDocument is the size of the largest document that is read, in bytes.
const MaxDocument = 16 << 20

// Limits of what is read.
const (
	maxProcesses = 64
	maxFunctions = 4 * instrument.MaxFunctions
	maxDepth     = 64
	maxCalls     = 256 // of a function
)

// A Document is what was copied of a program's calls.
type Document struct {
	Schema    string             `json:"schema"` // always [support.Schema]
	Functions []support.Function `json:"functions"`
	// Left are functions that were to be copied and were not.
	Left []instrument.Left `json:"left,omitempty"`
}

// Read reads and merges the documents in a directory, and removes texts that look like secrets by a redactor. There are
// no functions if no process wrote any.
func Read(dir string, redactor *support.Redactor) (*Document, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	out := &Document{Schema: support.Schema}
	for _, name := range names[:min(len(names), maxProcesses)] {
		data, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // replaced
		}
		if err != nil {
			return nil, fmt.Errorf("read arguments: %w", err)
		}
		d, err := Decode(data)
		if err != nil {
			return nil, err
		}
		for _, f := range d.Functions {
			out.Add(f)
		}
	}
	for i := range out.Functions {
		for k := range out.Functions[i].Calls {
			c := &out.Functions[i].Calls[k]
			for _, list := range [][]support.Value{c.Arguments, c.Results} {
				redact(list, redactor)
			}
		}
	}
	return out, nil
}

// Add adds the calls of a function in one more process.
func (d *Document) Add(f support.Function) {
	for i := range d.Functions {
		if have := &d.Functions[i]; have.Package == f.Package && have.Name == f.Name {
			have.Taken += f.Taken
			have.Rate += f.Rate
			have.Calls = append(have.Calls, f.Calls...)
			have.Calls = have.Calls[:min(len(have.Calls), maxCalls)]
			return
		}
	}
	d.Functions = append(d.Functions, f)
}

// redact removes texts that look like secrets.
func redact(values []support.Value, r *support.Redactor) {
	for i := range values {
		v := &values[i]
		if what := r.Secret("", v.Text+string(v.Data)); what != "" {
			v.Text, v.Data, v.Why = "", nil, support.Redacted+what
			if v.Kind != support.KindString && v.Kind != support.KindBytes {
				v.Kind = support.KindOmitted
			}
		}
		redact(v.Items, r)
		for k := range v.Fields {
			one := []support.Value{v.Fields[k].Value}
			redact(one, r)
			v.Fields[k].Value = one[0]
		}
	}
}

// NewRedactor returns the redactor that a text configures: a regular expression of further names, "" for none, "-" for
// no rules at all.
func NewRedactor(text string) (*support.Redactor, error) {
	if text == "" || text == "-" {
		return support.NewRedactor(nil, text == "-"), nil
	}
	names, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	return support.NewRedactor(names, false), nil
}

// Decode reads a document. The error names what no recorder writes.
func Decode(data []byte) (*Document, error) {
	if len(data) > MaxDocument {
		return nil, fmt.Errorf("read arguments: %d bytes, more than %d", len(data), MaxDocument)
	}
	var d Document
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, fmt.Errorf("read arguments: %w", err)
	}
	if d.Schema != support.Schema {
		return nil, fmt.Errorf("read arguments: schema %.40q (want %q): update whet", d.Schema, support.Schema)
	}
	if len(d.Functions) > maxFunctions {
		return nil, fmt.Errorf("read arguments: %d functions, more than %d", len(d.Functions), maxFunctions)
	}
	for i := range d.Functions {
		f := &d.Functions[i]
		if err := check(f); err != nil {
			return nil, fmt.Errorf("read arguments: function %.80q: %w", f.Name, err)
		}
	}
	return &d, nil
}

// check returns an error for what no recorder writes.
func check(f *support.Function) error {
	want := len(f.Parameters)
	if f.Receiver {
		want++
	}
	switch {
	case f.Name == "" || f.Package == "":
		return errors.New("without a name or a package")
	case f.Taken < 0 || f.Rate < 0:
		return errors.New("a count is negative")
	case len(f.Calls) > maxCalls:
		return fmt.Errorf("%d calls, more than %d", len(f.Calls), maxCalls)
	}
	for i, c := range f.Calls {
		if len(c.Arguments) != want || len(c.Results) > len(f.Results) {
			return fmt.Errorf("call %d has %d arguments and %d results (want %d and at most %d)", i, len(c.Arguments),
				len(c.Results), want, len(f.Results))
		}
		for _, list := range [][]support.Value{c.Arguments, c.Results} {
			for k := range list {
				if err := checkValue(&list[k], 0); err != nil {
					return fmt.Errorf("call %d: %w", i, err)
				}
			}
		}
	}
	return nil
}

// kinds are those of values.
func kinds() []string {
	return []string{
		support.KindBool, support.KindInt, support.KindUint, support.KindFloat, support.KindComplex, support.KindString,
		support.KindBytes, support.KindSlice, support.KindArray, support.KindMap, support.KindStruct, support.KindPointer,
		support.KindInterface, support.KindReflected, support.KindNil, support.KindOmitted,
	}
}

func checkValue(v *support.Value, depth int) error {
	switch {
	case depth > maxDepth:
		return fmt.Errorf("values are nested more than %d deep", maxDepth)
	case !slices.Contains(kinds(), v.Kind):
		return fmt.Errorf("unknown kind %.20q", v.Kind)
	case v.Len < 0:
		return errors.New("a length is negative")
	case v.Kind == support.KindMap && len(v.Items)%2 != 0:
		return errors.New("a map has a key without a value")
	case isOne(v.Kind) && len(v.Items) > 1:
		return fmt.Errorf("a value of kind %s has %d items", v.Kind, len(v.Items))
	}
	for i := range v.Items {
		if err := checkValue(&v.Items[i], depth+1); err != nil {
			return err
		}
	}
	for i := range v.Fields {
		if err := checkValue(&v.Fields[i].Value, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// Text returns a value as Go writes it, shortened, with what is missing in brackets.
func Text(v *support.Value) string {
	var b strings.Builder
	write(&b, v)
	return b.String()
}

const (
	shownText  = 60 // runes of a text
	shownItems = 6
	shownAll   = 400 // bytes
)

func write(b *strings.Builder, v *support.Value) {
	if b.Len() > shownAll {
		b.WriteString("…")
		return
	}
	missing := func() {
		if v.Why == support.Unread {
			b.WriteString("?")
		} else if v.Why != "" {
			fmt.Fprintf(b, "[%s]", v.Why)
		}
	}
	list := func(open, end string, n int, item func(i int)) {
		b.WriteString(open)
		for i := range min(n, shownItems) {
			if i > 0 {
				b.WriteString(", ")
			}
			item(i)
		}
		if n > shownItems {
			b.WriteString(", …")
		}
		b.WriteString(end)
	}
	switch v.Kind {
	case support.KindString, support.KindBytes:
		if v.Why != "" {
			fmt.Fprintf(b, "[%d bytes, %s]", v.Len, v.Why)
			return
		}
		text := v.Text + string(v.Data)
		r := []rune(text)
		fmt.Fprintf(b, "%q", string(r[:min(len(r), shownText)]))
		if len(r) > shownText || v.Len > len(text) {
			fmt.Fprintf(b, "… (%d bytes)", v.Len)
		}
	case support.KindSlice, support.KindArray:
		if len(v.Items) < v.Len || v.Len > shownItems {
			fmt.Fprintf(b, "%d ", v.Len)
		}
		list("{", "}", len(v.Items), func(i int) { write(b, &v.Items[i]) })
		missing()
	case support.KindMap:
		entries := make([]string, len(v.Items)/2)
		for i := range entries {
			entries[i] = Text(&v.Items[2*i]) + ": " + Text(&v.Items[2*i+1])
		}
		slices.Sort(entries) // iteration has no order
		list("{", "}", len(entries), func(i int) { b.WriteString(entries[i]) })
		missing()
	case support.KindStruct:
		list("{", "}", len(v.Fields), func(i int) {
			b.WriteString(v.Fields[i].Name + ": ")
			write(b, &v.Fields[i].Value)
		})
		missing()
	case support.KindPointer, support.KindInterface, support.KindReflected:
		if v.Kind == support.KindPointer {
			b.WriteString("&")
		} else {
			b.WriteString(v.Type + " ")
		}
		for i := range v.Items {
			write(b, &v.Items[i])
		}
		missing()
	case support.KindNil:
		b.WriteString("nil")
	case support.KindOmitted:
		if v.Why == support.Unread {
			b.WriteString("?")
			return
		}
		missing()
	default:
		b.WriteString(v.Text)
	}
}

// isOne reports whether values of a kind have at most one item.
func isOne(kind string) bool {
	return kind == support.KindPointer || kind == support.KindInterface || kind == support.KindReflected
}
