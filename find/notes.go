package find

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
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
	var pkgs []string
	for _, pkg := range f.pkgs {
		if !pkg.IllTyped && !slices.Contains(pkgs, pkg.PkgPath) {
			pkgs = append(pkgs, pkg.PkgPath)
		}
	}
	if len(pkgs) == 0 {
		return
	}
	slices.Sort(pkgs)
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
	dir, err := filepath.Abs(f.o.Notes)
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
	err = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".json") {
			return err
		}
		return f.readNotes(name, notes)
	})
	return notes, err
}

// maxNote bounds a line of the compiler's notes.
const maxNote = 1 << 20

// readNotes reads the notes on one file into notes, if it is one of the module's.
func (f *finder) readNotes(name string, notes map[string][]Note) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxNote)
	rel := ""
	for lines.Scan() {
		var n compilerNote
		if err := json.Unmarshal(lines.Bytes(), &n); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if n.File != "" {
			var ok bool
			if rel, ok = f.relative(n.File); !ok || f.pkgs[rel] == nil {
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
		if !slices.ContainsFunc(notes[rel], func(o Note) bool { return o.Line == note.Line && o.Kind == note.Kind && o.Message == note.Message }) {
			notes[rel] = append(notes[rel], note)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
