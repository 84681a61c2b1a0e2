package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// A label is what a change is, by a reviewer who has read it.
type label string

// Labels.
const (
	same      label = "same"      // no caller sees a difference but speed and memory
	different label = "different" // a result, error or effect differs
	cheat     label = "cheat"     // it only seems to be faster, or costs something elsewhere
)

// A testCase is a change whose effect is known.
type testCase struct {
	Name   string `json:"name"`
	Module string `json:"module"`
	A      string `json:"a"` // versions
	B      string `json:"b"`
	// Functions get the text of version B. A package's directory is before them, as in prove's Changed.
	// "type T", "var x" and "const c" name declarations that both versions have.
	Functions []string `json:"functions"`
	Label     label    `json:"label"`
	// Why is a sentence. For a difference, it names the input or caller that shows it.
	Why    string     `json:"why"`
	Mutant *mutantRef `json:"mutant,omitempty"`

	archive []byte // of a cheat, which has no module
}

// mutantRef names a mutant of the functions of version B.
type mutantRef struct {
	Mutator string `json:"mutator"` // as package mutants names it
	// Place is FUNCTION:LINE, counted from the function's first line, which is 1; #N after it means the
	// N-th of this mutator on the line.
	Place string `json:"place"`
}

// held reports whether a case is held back.
func (c *testCase) held() bool { return sha256.Sum256([]byte(c.Name))[0]%2 == 0 }

// kind returns the part of the corpus that a case belongs to.
func (c *testCase) kind() string {
	switch {
	case c.archive != nil:
		return "hand-made"
	case c.Mutant != nil:
		return "mutant"
	}
	return "release"
}

// corpus returns all cases, by name.
func corpus(files fs.FS) ([]*testCase, error) {
	var all []*testCase
	for _, read := range []struct {
		glob string
		read func(name string, data []byte) ([]*testCase, error)
	}{{"corpus/*.json", readCases}, {"cheats/*.txtar", readCheat}} {
		names, err := fs.Glob(files, read.glob)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			data, err := fs.ReadFile(files, name)
			if err != nil {
				return nil, err
			}
			list, err := read.read(name, data)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", name, err)
			}
			all = append(all, list...)
		}
	}
	slices.SortFunc(all, func(a, b *testCase) int { return cmp.Compare(a.Name, b.Name) })
	for i := 1; i < len(all); i++ {
		if all[i].Name == all[i-1].Name {
			return nil, fmt.Errorf("two cases have the name %s", all[i].Name)
		}
	}
	return all, nil
}

func readCases(_ string, data []byte) (list []*testCase, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil {
		return nil, err
	}
	for i, c := range list {
		if err := c.check(); err != nil {
			return nil, fmt.Errorf("case %d (%s): %w", i+1, c.Name, err)
		}
	}
	return list, nil
}

var (
	caseName = regexp.MustCompile(`^[\w.()*+-]+$`)
	mutantAt = regexp.MustCompile(`^\S.*:[1-9]\d*(#[1-9]\d*)?$`)
)

// check returns what is wrong with a case of a public module.
func (c *testCase) check() error {
	if err := module.CheckPath(c.Module); err != nil {
		return err
	}
	switch {
	case !semver.IsValid(c.A) || !semver.IsValid(c.B) || c.A == c.B:
		return fmt.Errorf("versions %q and %q (want two of the module)", c.A, c.B)
	case len(c.Functions) == 0:
		return errors.New("no functions")
	case c.Label != same && c.Label != different:
		return fmt.Errorf("label %q (want same or different)", c.Label)
	case c.Mutant != nil && (c.Mutant.Mutator == "" || !mutantAt.MatchString(c.Mutant.Place)):
		return fmt.Errorf("mutant %q at %q (want a mutator, and FUNCTION:LINE or FUNCTION:LINE#N)", c.Mutant.Mutator,
			c.Mutant.Place)
	}
	return c.checkText()
}

// checkText returns what is wrong with the name or the reason of a case.
func (c *testCase) checkText() error {
	if !caseName.MatchString(c.Name) {
		return fmt.Errorf("name %q (want letters, digits and . ( ) * + - _)", c.Name)
	}
	if !strings.HasSuffix(c.Why, ".") || strings.ContainsAny(c.Why, "\n|") {
		return fmt.Errorf("why is not a sentence: %q", c.Why)
	}
	return nil
}

// directory returns the name of a directory for a module's version.
func directory(modulePath, version string) string {
	return strings.ReplaceAll(path.Clean(modulePath), "/", "_") + "@" + version
}
