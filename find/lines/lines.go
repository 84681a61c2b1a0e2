package lines

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/notes"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
)

// Schema is the version of a Result's JSON.
const Schema = "whet.notes/2"

// A Kind is a kind of note.
type Kind string

// Kinds of notes.
const (
	Escape Kind = "escape" // what escapes to the heap or leaks, and why
	Bounds Kind = "bounds" // bounds checks that remain
	Inline Kind = "inline" // what can and cannot be inlined
	Nil    Kind = "nil"    // nil checks that remain
	Other  Kind = "other"  // the rest: large copies, loop variables
)

// Kinds returns all kinds, in the order in which the notes on a line are shown.
func Kinds() []Kind { return []Kind{Escape, Bounds, Inline, Nil, Other} }

// kindOf returns the kind of a note by the compiler's name for it, such as isInBounds.
func kindOf(name string) Kind {
	switch name {
	case "escape", "escapes", "leak":
		return Escape
	case "isInBounds", "isSliceInBounds":
		return Bounds
	case "canInlineFunction", "cannotInlineFunction", "inlineCall", "cannotInlineCall":
		return Inline
	case "nilcheck":
		return Nil
	}
	return Other
}

// ParseKinds parses a comma-separated list of kinds. Its error lists the valid ones.
func ParseKinds(list string) ([]Kind, error) {
	var kinds []Kind
	for name := range strings.SplitSeq(list, ",") {
		kind := Kind(strings.TrimSpace(name))
		if !slices.Contains(Kinds(), kind) {
			return nil, fmt.Errorf("unknown kind %q (want %s)", kind, joinKinds(Kinds()))
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds, nil
}

func joinKinds(kinds []Kind) string {
	var names []string
	for _, k := range kinds {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// Options configure List.
type Options struct {
	Dir      string   // a directory in the module; "" means the current one
	Packages []string // go command patterns, relative to Dir; none means ./...
	Flags    []string // of go build
	Env      []string // KEY=value, for the go command
	Cache    string   // see notes.Options

	Kinds []Kind // nil means all
	N     int    // maximum number of lines; 0 means all

	// Profiles are what lines are sorted by; if nil, they are sorted by file and line. Own and
	// Recorded are as in find.Options.
	Profiles *find.Profiles
	Own      func(profile.Function) bool
	Recorded func(file string) ([]byte, bool)
}

// A Result is the lines on which the compiler has notes.
type Result struct {
	Schema string       `json:"schema"`
	Module string       `json:"module"`
	Dir    string       `json:"dir"`
	Totals []find.Total `json:"totals,omitempty"` // of the profiles
	Notes  []Count      `json:"notes"`            // numbers of notes of the requested kinds
	Found  int          `json:"found"`            // number of lines with notes
	Lines  []Line       `json:"lines"`            // the lines shown
	Stale  []find.Stale `json:"stale,omitempty"`

	Warnings find.Warnings `json:"warnings,omitempty"`
}

// A Count is the number of notes of a kind.
type Count struct {
	Kind  Kind `json:"kind"`
	Notes int  `json:"notes"`
}

// A Line is a line of the module's source on which the compiler has notes.
type Line struct {
	File     string          `json:"file"` // relative to the module, with slashes
	Line     int             `json:"line"`
	Code     string          `json:"code"`
	Share    float64         `json:"share"` // of the CPU time, garbage collection of what it allocates included
	Evidence []find.Evidence `json:"evidence,omitempty"`
	Notes    []Note          `json:"notes"`
}

// A Note is a note of the compiler, with its kind.
type Note struct {
	Group Kind `json:"group"`
	notes.Note
}

// List returns the lines on which the compiler has notes, in packages of a module. It returns an
// error if the go command fails; packages that do not compile are warnings.
func List(ctx context.Context, o Options) (*Result, error) {
	r := &Result{Schema: Schema, Lines: []Line{}}
	var charged *find.Charged
	var err error
	if o.Profiles != nil {
		charged, err = find.Charge(ctx, *o.Profiles, find.Options{Dir: o.Dir, Own: o.Own, Recorded: o.Recorded})
		if err != nil {
			return nil, err
		}
		r.Module, r.Dir, r.Totals, r.Stale = charged.Module, charged.Dir, charged.Totals, charged.Stale
	} else if r.Module, r.Dir, err = find.ModuleOf(o.Dir); err != nil {
		return nil, err
	}
	if len(o.Kinds) == 0 {
		o.Kinds = Kinds()
	}
	patterns := o.Packages
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	packages, err := notes.Compile(ctx, notes.Options{
		Dir: o.Dir, Flags: o.Flags, Env: o.Env, Cache: o.Cache,
		Want: func(kind string) bool { return slices.Contains(o.Kinds, kindOf(kind)) },
	}, patterns...)
	if err != nil {
		return nil, err
	}
	if err := r.add(packages, patterns); err != nil {
		return nil, err
	}
	for i := range r.Lines {
		if l := &r.Lines[i]; charged != nil {
			l.Evidence, l.Share = charged.Line(l.File, l.Line)
		}
	}
	r.order(o)
	r.readCode()
	return r, nil
}

// add groups the notes on packages by line.
func (r *Result) add(packages []notes.Package, patterns []string) error {
	type place struct {
		file string
		line int
	}
	at := map[place]int{}
	inside := 0
	for _, p := range packages {
		if rel, err := filepath.Rel(r.Dir, p.Dir); p.Err == nil && (err != nil || !filepath.IsLocal(rel)) {
			return &diag.Error{
				Op: "notes", Subject: p.Path, Err: errors.New("it is not in the module " + r.Module),
				Hint: "name packages of the module, or another module with --dir",
			}
		}
		if p.Err != nil {
			r.Warnings.Add(fmt.Errorf("package %s: %w", p.Path, p.Err))
			continue
		}
		inside++
		for file, list := range p.Files {
			rel, err := filepath.Rel(r.Dir, file)
			if err != nil {
				return err
			}
			for _, n := range list {
				key := place{filepath.ToSlash(rel), n.Line}
				i, ok := at[key]
				if !ok {
					i = len(r.Lines)
					at[key], r.Lines = i, append(r.Lines, Line{File: key.file, Line: key.line})
				}
				r.Lines[i].Notes = append(r.Lines[i].Notes, Note{kindOf(n.Kind), n})
			}
		}
	}
	if inside > 0 {
		return nil
	}
	err := &diag.Error{
		Op: "notes", Subject: strings.Join(patterns, " "), Err: errors.New("no package with code"),
		Hint: "name packages of the module as for go build, such as ./...",
	}
	if len(r.Warnings) > 0 {
		err.Err = errors.New(r.Warnings[0].Text)
		err.Hint = "the go command must be able to build it: try `go build` with the same packages"
	}
	return err
}

// order counts the notes, sorts the lines, and keeps the first o.N.
func (r *Result) order(o Options) {
	count := map[Kind]int{}
	for i := range r.Lines {
		l := &r.Lines[i]
		for _, n := range l.Notes {
			count[n.Group]++
		}
		slices.SortStableFunc(l.Notes, func(a, b Note) int {
			return cmp.Or(cmp.Compare(slices.Index(Kinds(), a.Group), slices.Index(Kinds(), b.Group)),
				cmp.Compare(a.Column, b.Column), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Message, b.Message))
		})
	}
	for _, k := range Kinds() {
		if slices.Contains(o.Kinds, k) {
			r.Notes = append(r.Notes, Count{k, count[k]})
		}
	}
	slices.SortFunc(r.Lines, func(a, b Line) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(b.most(), a.most()), cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line))
	})
	r.Found = len(r.Lines)
	if o.N > 0 {
		r.Lines = r.Lines[:min(o.N, len(r.Lines))]
	}
}

// most returns the largest share of any profile.
func (l *Line) most() float64 {
	most := 0.0
	for _, e := range l.Evidence {
		most = max(most, e.Share)
	}
	return most
}

// readCode reads the source of the lines. Files that are gone are skipped.
func (r *Result) readCode() {
	files := map[string][][]byte{}
	for i := range r.Lines {
		l := &r.Lines[i]
		text, ok := files[l.File]
		if !ok {
			data, err := os.ReadFile(filepath.Join(r.Dir, filepath.FromSlash(l.File)))
			if err != nil {
				r.Warnings.Add(err)
			}
			text = bytes.Split(data, []byte("\n"))
			files[l.File] = text
		}
		if 0 < l.Line && l.Line <= len(text) {
			l.Code = strings.TrimSuffix(string(text[l.Line-1]), "\r")
		}
	}
}

// CacheDir returns the directory in which the compiler's notes are cached; "" if the system has no
// cache directory.
func CacheDir() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "whet", "notes")
}
