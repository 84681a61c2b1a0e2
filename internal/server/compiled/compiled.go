package compiled

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/lines"
	"github.com/whet-go/whet/internal/diag"
)

// Schema is the schema of SourceNotes.
const Schema = "whet.source-notes/1"

// maxSource is the size of the largest file that is compared, in bytes.
const maxSource = 16 << 20

// maxCompiling is the number of packages that are compiled at one time: each takes all processors.
const maxCompiling = 2

// A Compiler gets the notes on the files of a module. Several goroutines may use it.
type Compiler struct {
	dir, cache string
	compiling  chan struct{} // has an entry for each that is compiled
}

// New returns a compiler of the module around a directory; "" means that there is none. cache is the directory that
// keeps notes, as in find/lines.
func New(dir, cache string) *Compiler {
	return &Compiler{dir, cache, make(chan struct{}, maxCompiling)}
}

// Text returns the text of a file, by its path in a profile, as readers see it.
type Text func(path string) (text []string, where string, err error)

// SourceNotes are the notes on a file.
type SourceNotes struct {
	Schema   string        `json:"schema"`
	File     string        `json:"file"`  // relative to the module, with slashes
	Lines    []NotedLine   `json:"lines"` // that have notes, in order
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// A NotedLine has the notes on a line: on what escapes, what is not inlined, and which checks of bounds remain.
type NotedLine struct {
	Line  int          `json:"line"`
	Notes []lines.Note `json:"notes"`
}

// Notes returns the notes on a file that a profile names name. Its errors say why there are none.
func (c *Compiler) Notes(ctx context.Context, name string, text Text) (*SourceNotes, error) {
	if c.dir == "" {
		return nil, refused(name, errors.New("the server was not started in a module"),
			"start it in the directory of the program's module, or with --dir")
	}
	module, root, err := find.ModuleOf(c.dir)
	if err != nil {
		return nil, without(err, c.dir)
	}
	is, _, err := text(name)
	if err != nil {
		return nil, err
	}
	rel, err := locate(root, module, filepath.ToSlash(name), is)
	if err != nil {
		return nil, err
	}
	select {
	case c.compiling <- struct{}{}:
		defer func() { <-c.compiling }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	r, err := lines.List(ctx, lines.Options{
		Dir: root, Packages: []string{"./" + path.Dir(rel)}, Cache: c.cache,
		Kinds: []lines.Kind{lines.Escape, lines.Bounds, lines.Inline},
	})
	if err != nil {
		return nil, without(err, root)
	}
	for i := range r.Warnings {
		r.Warnings[i].Text = strings.ReplaceAll(r.Warnings[i].Text, root, ".")
	}
	a := &SourceNotes{Schema: Schema, File: rel, Lines: []NotedLine{}, Warnings: r.Warnings}
	for _, l := range r.Lines {
		list := slices.DeleteFunc(l.Notes, func(n lines.Note) bool { return !costs(n.Kind) })
		if l.File == rel && len(list) > 0 {
			a.Lines = append(a.Lines, NotedLine{l.Line, list})
		}
	}
	slices.SortFunc(a.Lines, func(a, b NotedLine) int { return a.Line - b.Line })
	return a, nil
}

// costs reports whether notes of a kind explain a cost. Others are about what costs nothing, such as a call that is
// inlined.
func costs(kind string) bool {
	return kind != "canInlineFunction" && kind != "inlineCall" && kind != "leak"
}

func refused(file string, err error, hint string) error {
	return &diag.Error{Op: "get compiler notes", Subject: file, Err: err, Hint: hint}
}

// without returns an error whose text does not have the path of a directory of this machine.
func without(err error, dir string) error {
	if !strings.Contains(err.Error()+diag.Hint(err), dir) {
		return err
	}
	hide := func(text string) string { return strings.ReplaceAll(text, dir, ".") }
	return &diag.Error{Err: errors.New(hide(err.Error())), Hint: hide(diag.Hint(err))}
}

// locate returns which file of the module at root a profile names name, relative to it. It has the text.
func locate(root, module, name string, text []string) (string, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return "", err
	}
	defer func() { _ = dir.Close() }() // was only read
	changed := ""
	for _, rel := range candidates(filepath.ToSlash(root), module, name) {
		same, err := equal(dir, rel, text)
		switch {
		case err != nil: // there is no such file
		case same:
			return rel, nil
		case changed == "":
			changed = rel
		}
	}
	if changed != "" {
		return "", refused(name, fmt.Errorf("%s has changed since the recording", changed),
			"check out what was recorded: the lines of the notes would be others")
	}
	return "", refused(name, fmt.Errorf("it is not in the module %s", module),
		"the notes are on the module that whet was started in; start it in another one, or with --dir")
}

// candidates lists where in a module a Go file may be that a profile names, the most certain first.
func candidates(root, module, name string) []string {
	var names []string
	add := func(rel string) {
		if path.Ext(rel) == ".go" && fs.ValidPath(rel) {
			names = append(names, rel)
		}
	}
	for _, prefix := range []string{root, module} { // the second one of builds with -trimpath
		if rel, ok := strings.CutPrefix(name, prefix+"/"); ok {
			add(rel)
		}
	}
	elements := strings.Split(strings.TrimPrefix(path.Clean(name), "/"), "/")
	for i := range elements {
		add(path.Join(elements[i:]...))
	}
	return names
}

// equal reports whether a file has a text.
func equal(dir *os.Root, rel string, text []string) (bool, error) {
	f, err := dir.Open(filepath.FromSlash(rel))
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }() // was only read
	if fi, err := f.Stat(); err != nil || !fi.Mode().IsRegular() {
		return false, fs.ErrNotExist
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSource))
	if err != nil {
		return false, err
	}
	return slices.Equal(strings.Split(strings.TrimSuffix(string(data), "\n"), "\n"), text), nil
}
