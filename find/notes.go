package find

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// compilerNote is a line of what -gcflags=-json=0 writes: a header, or a diagnostic as the
// Language Server Protocol has it. See cmd/compile/internal/logopt.
type compilerNote struct {
	File    string `json:"file"` // of a header
	Range   lspRange
	Code    string
	Message string
	Related []struct {
		Location struct{ Range lspRange }
		Message  string
	} `json:"relatedInformation"`
}

type lspRange struct{ Start struct{ Line, Character int } }

// shown are the kinds of notes that say why a line costs. The others say what cost nothing.
func shown(kind string) bool {
	switch kind {
	case "escape", "escapes", "isInBounds", "isSliceInBounds", "cannotInlineFunction", "cannotInlineCall":
		return true
	}
	return false
}

// annotate puts what the compiler says beside findings and hot lines. Without a folder for its
// notes it does nothing; what cannot be had is a warning.
func (f *finder) annotate(ctx context.Context) {
	if f.o.Notes == "" {
		return
	}
	pkgs := f.shownPackages()
	if len(pkgs) == 0 {
		return
	}
	notes, err := f.compile(ctx, pkgs)
	if err != nil {
		f.result.Warnings = append(f.result.Warnings, fmt.Errorf("compiler notes: %w", err))
		return
	}
	f.notes = notes
	for i := range f.result.Findings {
		x := &f.result.Findings[i]
		for _, p := range x.Places {
			for _, n := range f.notesOf(p.File, p.Line, p.EndLine) {
				if !slices.ContainsFunc(x.Notes, func(o Note) bool { return o.Line == n.Line && o.Kind == n.Kind && o.Message == n.Message }) {
					x.Notes = append(x.Notes, n)
				}
			}
		}
	}
}

// shownPackages are the packages of findings and of lines that may be listed without one: the compiler
// need not be asked about others.
func (f *finder) shownPackages() []string {
	var pkgs []string
	add := func(file string) {
		if pkg := f.pkgs[file]; pkg != nil && !pkg.IllTyped && !slices.Contains(pkgs, pkg.PkgPath) {
			pkgs = append(pkgs, pkg.PkgPath)
		}
	}
	for i := range f.result.Findings {
		for _, p := range f.result.Findings[i].Places {
			add(p.File)
		}
	}
	for at, c := range f.places {
		for _, l := range f.ledgers {
			var sum int64
			for _, a := range c[l.cost] {
				sum += a.value
			}
			if share(sum, l.total) >= f.o.MinShare {
				add(at.file)
				break
			}
		}
	}
	slices.Sort(pkgs)
	return pkgs
}

// notesOf are the notes of some lines, and that of the function around them.
func (f *finder) notesOf(file string, from, to int) []Note {
	start := 0
	if src := f.matcher.source(file); src != nil {
		if d := src.decl(from); d != nil {
			start = src.line(d.Name.Pos())
		}
	}
	var notes []Note
	for _, n := range f.notes[file] {
		inside := from <= n.Line && n.Line <= to && n.Kind != "cannotInlineFunction"
		if inside || n.Line == start && n.Kind == "cannotInlineFunction" {
			notes = append(notes, n)
		}
	}
	return notes
}

// compile has the compiler write its notes on packages, and returns them by the module's file. The
// go command compiles only what changed, so the notes of what did not stay where they are.
func (f *finder) compile(ctx context.Context, pkgs []string) (map[string][]Note, error) {
	// Each folder has its own notes: modules of the same name would overwrite each other's.
	of := sha256.Sum256([]byte(f.m.dir))
	dir, err := filepath.Abs(filepath.Join(f.o.Notes, hex.EncodeToString(of[:8])))
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	args := append([]string{"list", "-export", "-e"}, f.o.Flags...)
	args = append(args, "-gcflags=-json=0,"+dir, "--")
	cmd := exec.CommandContext(ctx, "go", append(args, pkgs...)...)
	cmd.Dir, cmd.Env = f.m.dir, append(os.Environ(), f.o.Env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go list -export: %w: %s", err, firstLine(stderr.String()))
	}
	notes := map[string][]Note{}
	// A folder for each package, as cmd/compile/internal/logopt names them: all main packages have
	// one together.
	for _, pkg := range append([]string{"main"}, pkgs...) {
		folder := filepath.Join(dir, url.PathEscape(pkg))
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, entry := range entries {
			if err := f.readNotesFile(filepath.Join(folder, entry.Name()), notes); err != nil {
				return nil, err
			}
		}
	}
	return notes, nil
}

// maxNote bounds a line of the compiler's notes.
const maxNote = 1 << 20

// readNotesFile reads the notes on one file into notes, if it is one of the module's.
func (f *finder) readNotesFile(name string, notes map[string][]Note) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	err = readNotes(file, func(name string) (string, bool) {
		rel, ok := f.relative(name)
		return rel, ok && f.pkgs[rel] != nil
	}, notes)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// readNotes reads what the compiler wrote on one file into notes, by the name that relative gives it:
// a line of JSON for each, after one that names the file. Of a file for which relative says no, nothing
// is taken.
func readNotes(r io.Reader, relative func(string) (string, bool), notes map[string][]Note) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxNote)
	rel := ""
	seen := map[string]bool{}
	for at := 1; lines.Scan(); at++ {
		if rel != "" && !mayShow(lines.Bytes()) {
			continue
		}
		var n compilerNote
		if err := json.Unmarshal(lines.Bytes(), &n); err != nil {
			return fmt.Errorf("line %d: %w", at, err)
		}
		if n.File != "" {
			var ok bool
			if rel, ok = relative(n.File); !ok {
				return nil
			}
			continue
		}
		if rel == "" || !shown(n.Code) || n.Message == "" && strings.HasPrefix(n.Code, "escape") {
			continue
		}
		note := Note{Line: n.Range.Start.Line, Kind: n.Code, Message: n.Message}
		for _, step := range n.Related {
			note.Through = append(note.Through, Step{Line: step.Location.Range.Start.Line, Message: strings.TrimSpace(strings.TrimPrefix(step.Message, "escflow:"))})
		}
		if key := fmt.Sprint(note.Line, note.Kind, note.Message); !seen[key] {
			seen[key] = true
			notes[rel] = append(notes[rel], note)
		}
	}
	return lines.Err()
}

// mayShow tells whether a line of the compiler's notes can be of a kind that is shown: most are not, and
// to decode them is what takes the time.
func mayShow(line []byte) bool {
	for _, kind := range [...]string{`"escape`, `InBounds"`, `"cannotInline`, `"file"`} {
		if bytes.Contains(line, []byte(kind)) {
			return true
		}
	}
	return false
}
