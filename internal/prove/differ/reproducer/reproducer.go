package reproducer

import (
	"encoding/json"
	"fmt"
	"go/format"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Record is a run of the old function, until after the first call whose answer differs.
type Record struct {
	Data     []byte // the fuzzer's input
	NoTest   string // why no test can be written; "" if one can
	Receiver *arg
	Turns    []turn
	// Learned has the texts and numbers that the arguments are made of.
	Learned json.RawMessage
	Differs int    // the index of the turn that differs
	Kind    string // what differs: written, returned, left or panic
}

// A turn is a call of the function, and calls of what it returned.
type turn struct {
	Declares []string
	Calls    []call
	Panic    *string
	Written  []*check
	Receiver *check
}

type call struct {
	Name, Dots string
	Args       []arg
	Results    []*check
}

type arg struct {
	Code  string
	After *check
}

// A check is a comparison of what Got has for the value «» with the code Want.
type check struct {
	Got, Want string
	Deep      bool
}

// Read reads a record.
func Read(data []byte) (*Record, error) {
	r := &Record{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("read the record of a difference: %w", err)
	}
	if r.NoTest == "" && (r.Differs < 0 || r.Differs >= len(r.Turns)) {
		return nil, fmt.Errorf("read the record of a difference: it has %d turns, and not number %d", len(r.Turns),
			r.Differs)
	}
	return r, nil
}

// A Package describes the package and the function that tests are for.
type Package struct {
	Name     string
	Function string                 // that differs, in the form of Go source
	A, B     string                 // names of the versions
	Declares func(name string) bool // reports whether a name is declared in the package
}

// maxSize limits the size of a test file in bytes: a larger one is of no use to a reader.
const maxSize = 256 << 10

var notIdentifier = regexp.MustCompile(`[^\pL\pN]+`)

// TestName returns the name of the tests for a function.
func TestName(function string) string {
	return "TestReproduce_" + strings.Trim(notIdentifier.ReplaceAllString(function, "_"), "_")
}

// Tests returns test files of a package: each has one test with the name TestName returns. It is an error if none
// can be written.
func (r *Record) Tests(p Package) (files [][]byte, err error) {
	if r.NoTest != "" {
		return nil, fmt.Errorf("no test can be written: %s", r.NoTest)
	}
	last := r.Turns[:r.Differs+1]
	for _, all := range []bool{false, true} {
		for _, turns := range [][]turn{last[r.Differs:], last} {
			text, err := r.file(p, turns, all)
			if err != nil {
				return nil, err
			}
			if len(text) <= maxSize && !slices.ContainsFunc(files, func(f []byte) bool { return string(f) == string(text) }) {
				files = append(files, text)
			}
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no test can be written: the input is larger than %d KiB", maxSize>>10)
	}
	return files, nil
}

// file returns a test that makes the calls of turns, and compares what differs in the last one, or all.
func (r *Record) file(p Package, turns []turn, all bool) ([]byte, error) {
	w := &writer{all: all, kind: r.Kind}
	if r.Receiver != nil {
		w.f("recv := %s\n", r.Receiver.Code)
	}
	for _, t := range turns[:len(turns)-1] {
		w.earlier(t)
	}
	w.last(turns[len(turns)-1])
	var declared strings.Builder
	for _, t := range r.Turns[:r.Differs+1] {
		for _, line := range t.Declares {
			name, _, _ := strings.Cut(line, " ")
			if regexp.MustCompile(`\b` + name + `\b`).MatchString(w.b.String()) {
				declared.WriteString(line + "\n")
			}
		}
	}
	name := TestName(p.Function)
	test := fmt.Sprintf("// %s passes with version A (%s) and fails with version B\n// (%s): %s behaves differently.\n"+
		"func %s(t *«testing».T) {\n%s%s}\n", name, p.A, p.B, p.Function, name, declared.String(), w.b.String())
	source, err := format.Source([]byte(p.source(test + helpers(test))))
	if err != nil {
		return nil, fmt.Errorf("no test can be written: %w", err)
	}
	return source, nil
}

var packageName = regexp.MustCompile(`«([^»]+)»`)

// source returns a file with imports.
func (p Package) source(code string) string {
	names := map[string]string{}
	for _, m := range packageName.FindAllStringSubmatch(code, -1) {
		names[m[1]] = ""
	}
	used := map[string]bool{}
	var imports strings.Builder
	for _, importPath := range slices.Sorted(maps.Keys(names)) {
		base := baseName(importPath)
		name := base
		for n := 2; used[name] || p.Declares(name); n++ {
			name = base + strconv.Itoa(n)
		}
		names[importPath], used[name] = name, true
		if first, _, _ := strings.Cut(importPath, "/"); name == path.Base(importPath) && !strings.Contains(first, ".") {
			name = "" // the standard library's names are known
		}
		fmt.Fprintf(&imports, "\t%s %q\n", name, importPath)
	}
	code = packageName.ReplaceAllStringFunc(code, func(m string) string {
		return names[packageName.FindStringSubmatch(m)[1]]
	})
	return "package " + p.Name + "\n\nimport (\n" + imports.String() + ")\n\n" + code
}

var version = regexp.MustCompile(`^v[0-9]+$`)

// baseName returns a name for an imported package.
func baseName(importPath string) string {
	base := path.Base(importPath)
	if dir := path.Dir(importPath); version.MatchString(base) && dir != "." && importPath != "math/rand/v2" {
		base = path.Base(dir)
	}
	if importPath == "math/rand/v2" {
		return "rand"
	}
	return strings.Trim(notIdentifier.ReplaceAllString(base, "_"), "_")
}
