package find

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/diag"
)

// BaselineSchema is the version of a Baseline's JSON.
const BaselineSchema = "whet.find-baseline/1"

// An Identity identifies a finding while lines move, files are renamed and code is reformatted.
type Identity struct {
	Rule     string `json:"rule"`
	Category string `json:"category,omitempty"` // of the finding's cause; "" is the rule's name
	// Package is the directory of the first place, and Function the function around it; "" when the
	// finding is about the module or the program.
	Package  string `json:"package,omitempty"`
	Function string `json:"function,omitempty"`
	// Code is the first line of the first place as space-separated tokens, without comments; ""
	// when the finding is about the function as a whole.
	Code string `json:"code,omitempty"`
}

// String returns the identity in readable form.
func (i Identity) String() string {
	parts := []string{i.Rule}
	if i.Category != "" {
		parts[0] += "/" + i.Category
	}
	for _, s := range []string{path.Join(i.Package, i.Function), i.Code} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ": ")
}

// normalized returns the tokens of a line of Go.
func normalized(line string) string {
	src := []byte(line)
	fset := token.NewFileSet()
	var s scanner.Scanner
	s.Init(fset.AddFile("", fset.Base(), len(src)), src, func(token.Position, string) {}, 0)
	var tokens []string
	for {
		_, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return strings.Join(tokens, " ")
		case tok == token.SEMICOLON && lit != ";": // inserted by the scanner
		case lit != "":
			tokens = append(tokens, lit)
		default:
			tokens = append(tokens, tok.String())
		}
	}
}

// A Baseline is a list of accepted findings.
type Baseline struct {
	Schema   string     `json:"schema"`
	Module   string     `json:"module"`
	Accepted []Identity `json:"accepted"` // sorted; one entry per occurrence
}

// Baseline returns a baseline that accepts all findings of a result.
func (r *Result) Baseline() *Baseline {
	b := &Baseline{Schema: BaselineSchema, Module: r.Module, Accepted: []Identity{}}
	for i := range r.Findings {
		b.Accepted = append(b.Accepted, r.Findings[i].Identity)
	}
	slices.SortFunc(b.Accepted, func(x, y Identity) int { return strings.Compare(x.String(), y.String()) })
	return b
}

// maxBaseline is the maximum size of a baseline file.
const maxBaseline = 64 << 20

// ReadBaseline reads a baseline, or the JSON of a result, all of whose findings it accepts. name is
// the file name for errors.
func ReadBaseline(r io.Reader, name string) (*Baseline, error) {
	wrong := func(err error) error {
		return &diag.Error{
			Op: "read baseline", Subject: name, Err: err, Hint: "create one with --write-baseline, or use the output of --json",
		}
	}
	data, err := io.ReadAll(io.LimitReader(r, maxBaseline+1))
	switch {
	case err != nil:
		return nil, wrong(err)
	case len(data) > maxBaseline:
		return nil, wrong(fmt.Errorf("it is larger than %d MiB", maxBaseline>>20))
	}
	var doc struct {
		Schema   string
		Module   string
		Accepted []Identity
		Findings []struct{ Identity Identity }
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			line := 1 + bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n"))
			return nil, wrong(fmt.Errorf("line %d: %w", line, err))
		}
		return nil, wrong(err)
	}
	b := &Baseline{Schema: BaselineSchema, Module: doc.Module, Accepted: doc.Accepted}
	switch doc.Schema {
	case BaselineSchema:
	case Schema, "whet.find/1": // version 1 differs in its warnings
		b.Accepted = nil
		for _, f := range doc.Findings {
			b.Accepted = append(b.Accepted, f.Identity)
		}
	default:
		return nil, wrong(fmt.Errorf("unknown schema %q (want %s or %s)", doc.Schema, BaselineSchema, Schema))
	}
	for i, id := range b.Accepted {
		if id.Rule == "" {
			return nil, wrong(fmt.Errorf("entry %d has no rule", i+1))
		}
	}
	return b, nil
}

// BaselineComparison is the comparison of a result with a baseline.
type BaselineComparison struct {
	Baseline string `json:"baseline"` // its name
	Known    int    `json:"known"`    // findings that it accepts
	New      int    `json:"new"`      // findings that it does not accept
	// Stale are entries that no longer match any finding: the code they accepted has changed, or is
	// not hot in this recording. Entries of rules that did not run are not included.
	Stale []Identity `json:"stale,omitempty"`
}

// Accept marks the findings that a baseline accepts as Known: as many of each identity as the
// baseline contains. ran reports whether a rule was run. It is an error if the baseline belongs to
// another module.
func (r *Result) Accept(b *Baseline, name string, ran func(rule string) bool) error {
	if b.Module != r.Module {
		return &diag.Error{
			Op: "use baseline", Subject: name, Err: fmt.Errorf("it belongs to module %q, not %q", b.Module, r.Module),
			Hint: "create one for this module with --write-baseline",
		}
	}
	left := map[Identity]int{}
	for _, id := range b.Accepted {
		left[id]++
	}
	r.Against = &BaselineComparison{Baseline: name}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Known = left[f.Identity] > 0; f.Known {
			left[f.Identity]--
			r.Against.Known++
		} else {
			r.Against.New++
		}
	}
	for _, id := range b.Accepted {
		if left[id] > 0 && ran(id.Rule) {
			left[id]--
			r.Against.Stale = append(r.Against.Stale, id)
		}
	}
	return nil
}

// OpenBaseline reads the file with accepted findings.
func OpenBaseline(name string) (*Baseline, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, &diag.Error{
			Op: "read baseline", Subject: name, Err: errors.Unwrap(err), Hint: "create one with --write-baseline",
		}
	}
	defer func() { _ = file.Close() }() // only read
	return ReadBaseline(file, name)
}
