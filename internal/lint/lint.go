package lint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A Problem is one violation of a rule.
type Problem struct {
	Where string // import path, or file with line
	Text  string // what is wrong
	Cure  string // what to do
}

func (p Problem) String() string { return p.Where + " " + p.Text + "\n\tcure: " + p.Cure }

// A Package is the part of go list's output that the rules need.
type Package struct {
	ImportPath string
	Imports    []string
	Standard   bool
}

// Packages lists the packages of the module in dir and all their dependencies.
func Packages(ctx context.Context, dir string) ([]Package, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-json=ImportPath,Imports,Standard", "./...")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	var packages []Package
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var p Package
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		packages = append(packages, p)
	}
}

const (
	maxLines     = 800
	maxMainLines = 30
)

// overlong returns the files that may be longer than maxLines, with the reason.
func overlong() map[string]string {
	return map[string]string{
		"ui/src/api/v1.ts": "generated from the types of an API",
	}
}

// todo matches the words that need an issue number in a comment.
var todo = regexp.MustCompile(`\b(TODO|FIXME|XXX)\b(\(#\d+\):)?`)

// ownUpdate matches the definition of a flag for golden files.
var ownUpdate = regexp.MustCompile(`flag\.Bool(Var)?\([^\n]*"update"`)

// Files walks a repository and returns what is wrong with its files.
func Files(repo fs.FS) ([]Problem, error) {
	var problems []Problem
	add := func(where, text, cure string) { problems = append(problems, Problem{where, text, cure}) }
	documented := make(map[string]bool) // directories with Go files: do they have a doc.go?
	excuses := overlong()
	err := fs.WalkDir(repo, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		if entry.IsDir() {
			if skipFolder(name) {
				return fs.SkipDir
			}
			if slices.Contains([]string{"pkg", "util", "utils", "common", "helpers", "misc", "shared", "lib"}, base) &&
				name != "ui/src/lib" {
				add(name, "is a folder named after nothing",
					"name it by the one concept it holds, or put the code where it is used")
			}
			return nil
		}
		ext := path.Ext(name)
		if ext != ".go" && ext != ".ts" && ext != ".js" && ext != ".sh" && base != "Makefile" {
			return nil
		}
		text, err := fs.ReadFile(repo, name)
		if err != nil {
			return err
		}
		lines := bytes.Count(text, []byte("\n"))
		if _, ok := excuses[name]; lines > maxLines && !ok {
			add(name, fmt.Sprintf("has %d lines, the limit is %d", lines, maxLines),
				"split it by concept, or list it in overlong (internal/lint/lint.go) with the reason")
		} else if ok && lines <= maxLines {
			add(name, "is listed in overlong but is short", "remove it from the list")
		}
		isMain := strings.HasPrefix(name, "cmd/") && base == "main.go"
		if isMain && lines > maxMainLines {
			add(name, fmt.Sprintf("has %d lines, the limit is %d", lines, maxMainLines), "move code to internal/cli")
		}
		if ext == ".go" && !strings.HasPrefix(name, "internal/golden/") && ownUpdate.Match(text) {
			add(name, "defines a flag -update", "compare with golden.Check (internal/golden), whose flag make goldens sets")
		}
		for _, c := range comments(name, text) {
			for _, m := range todo.FindAllSubmatchIndex(c.text, -1) {
				if m[4] < 0 {
					line := c.line + bytes.Count(c.text[:m[0]], []byte("\n"))
					add(fmt.Sprintf("%s:%d", name, line), "puts work off without an issue",
						"do it, or file an issue and write TODO(#number):")
				}
			}
		}
		if ext == ".go" && !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "examples/") {
			dir := path.Dir(name)
			documented[dir] = documented[dir] || base == "doc.go" || isMain
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("walk repository: %w", err)
	}
	for _, dir := range slices.Sorted(maps.Keys(documented)) {
		if !documented[dir] {
			add(dir, "has no doc.go",
				"write one: purpose, data flow in numbered steps, ownership and concurrency, what it does not do")
		}
	}
	return problems, nil
}

// skipFolder reports whether a directory holds only generated or foreign files.
func skipFolder(name string) bool {
	switch base := path.Base(name); base {
	case "testdata", "node_modules", "dist", "vendor":
		return true
	default:
		return name != "." && strings.HasPrefix(base, ".") && base != ".ci"
	}
}

// A comment is the text of a comment and the line on which it starts.
type comment struct {
	line int
	text []byte
}

// comments returns the comments of a file; for a file that is not Go, the whole text.
func comments(name string, text []byte) []comment {
	if path.Ext(name) != ".go" {
		return []comment{{1, text}}
	}
	var found []comment
	files := token.NewFileSet()
	file := files.AddFile(name, -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		switch tok {
		case token.EOF:
			return found
		case token.COMMENT:
			found = append(found, comment{file.Line(pos), []byte(lit)})
		}
	}
}
