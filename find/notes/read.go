package notes

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"
)

// A Note is what the compiler reports about a line.
type Note struct {
	Line    int    `json:"line"`
	Column  int    `json:"column,omitempty"`
	Kind    string `json:"kind"` // the compiler's name for it: escape, leak, cannotInlineFunction, isInBounds, …
	Message string `json:"message"`
	// Inlined are the positions in inlined functions that the note is about, outermost first; empty
	// if it is about the line itself.
	Inlined []At   `json:"inlined,omitempty"`
	Through []Step `json:"through,omitempty"` // how it escapes
}

// An At is a line of a file.
type At struct {
	File string `json:"file"` // name printed by the compiler
	Line int    `json:"line"`
}

// A Step is one step of an explanation.
type Step struct {
	Line    int    `json:"line"`
	Message string `json:"message"`
}

// compilerNote is a line of the output of -gcflags=-json=0: a header, or a diagnostic in the format
// of the Language Server Protocol. See cmd/compile/internal/logopt.
type compilerNote struct {
	File    string `json:"file"` // of a header
	Range   lspRange
	Code    string
	Message string
	Related []struct {
		Location struct {
			URI   string
			Range lspRange
		}
		Message string
	} `json:"relatedInformation"`
}

type lspRange struct{ Start struct{ Line, Character int } }

// maxNote is the maximum length of a line of the compiler's notes.
const maxNote = 1 << 20

// read parses the compiler's output for one file into notes by file. The output is one JSON object
// per line, the first of which names the file. resolve maps that name to a path; files that it
// rejects are skipped. want selects kinds; nil selects all.
func read(r io.Reader, resolve func(string) (string, bool), want func(kind string) bool,
	notes map[string][]Note,
) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxNote)
	file := ""
	seen := map[string]bool{}
	for at := 1; lines.Scan(); at++ {
		if kind, ok := kindOf(lines.Bytes()); file != "" && ok && want != nil && !want(kind) {
			continue // most are not wanted, and decoding is the slow part
		}
		var n compilerNote
		if err := json.Unmarshal(lines.Bytes(), &n); err != nil {
			return fmt.Errorf("line %d: %w", at, err)
		}
		if n.File != "" {
			var ok bool
			if file, ok = resolve(n.File); !ok {
				return nil
			}
			continue
		}
		// The compiler reports each escaping value twice, once without naming it.
		if file == "" || n.Code == "" || want != nil && !want(n.Code) ||
			n.Message == "" && strings.HasPrefix(n.Code, "escape") {
			continue
		}
		note := n.note()
		if key := fmt.Sprint(note.Line, note.Column, note.Kind, note.Message, note.Inlined); !seen[key] {
			seen[key] = true
			notes[file] = append(notes[file], note)
		}
	}
	return lines.Err()
}

// kindOf extracts the kind from a line of notes without decoding it.
func kindOf(line []byte) (kind string, ok bool) {
	_, rest, ok := bytes.Cut(line, []byte(`"code":"`))
	if !ok {
		return "", false
	}
	name, _, ok := bytes.Cut(rest, []byte(`"`))
	return string(name), ok
}

// note converts the diagnostic to a Note.
func (n *compilerNote) note() Note {
	note := Note{Line: n.Range.Start.Line, Column: n.Range.Start.Character, Kind: n.Code, Message: n.Message}
	for _, r := range n.Related {
		switch {
		case r.Message != "inlineLoc":
			message := strings.TrimSpace(strings.TrimPrefix(r.Message, "escflow:"))
			note.Through = append(note.Through, Step{Line: r.Location.Range.Start.Line, Message: message})
		case len(note.Through) == 0: // later ones are about the steps
			note.Inlined = append(note.Inlined, At{File: uriFile(r.Location.URI), Line: r.Location.Range.Start.Line})
		}
	}
	return note
}

// uriFile returns the file that a URI printed by the compiler refers to.
func uriFile(uri string) string {
	if u, err := url.Parse(uri); err == nil && u.Scheme == "file" {
		return u.Path
	}
	return strings.TrimPrefix(uri, "file://")
}
