package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/module"

	"github.com/whet-go/whet/internal/modproxy"
	"github.com/whet-go/whet/internal/power/splice"
	"github.com/whet-go/whet/internal/prove/scratch"
)

// A miner looks for small changes between releases.
type miner struct {
	workshop

	most     int // lines that a change may have
	releases int // the newest ones, which are compared
	log      io.Writer
}

// A candidate is a change that may become a case.
type candidate struct {
	testCase

	signals []string
	diff    string
}

// mine writes the candidates of a module as Markdown, and returns their number.
func (m *miner) mine(ctx context.Context, modulePath string, out io.Writer) (n int, err error) {
	versions, err := modproxy.Versions(ctx, modulePath)
	if err != nil {
		return 0, err
	}
	versions = versions[max(0, len(versions)-m.releases-1):]
	for i := 1; i < len(versions); i++ {
		found, err := m.between(ctx, modulePath, versions[i-1], versions[i])
		if ctx.Err() != nil {
			return n, ctx.Err()
		}
		if err != nil {
			_, _ = fmt.Fprintf(m.log, "%s %s: %v\n", modulePath, versions[i], err)
		}
		for _, c := range found {
			if err := c.write(out); err != nil {
				return n, err
			}
		}
		n += len(found)
	}
	return n, nil
}

// write writes a candidate: the case to paste, and its diff.
func (c *candidate) write(out io.Writer) error {
	text, err := json.MarshalIndent(c.testCase, "", "\t")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "## %s\n\nsignals: %s\n\n```json\n%s\n```\n\n```diff\n%s```\n\n", c.Name,
		strings.Join(c.signals, ", "), text, c.diff)
	return err
}

// between returns the candidates between two versions of a module.
func (m *miner) between(ctx context.Context, modulePath, a, b string) (list []*candidate, err error) {
	old, err := modproxy.Download(ctx, modulePath, a)
	if err != nil {
		return nil, err
	}
	now, err := modproxy.Download(ctx, modulePath, b)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(old, "go.mod")); err != nil {
		return nil, fmt.Errorf("version %s has no go.mod", a)
	}
	dirs, err := changedDirs(old, now)
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		pair, err := readPair(old, now, dir)
		if err != nil {
			continue // cgo, or not a package of this platform
		}
		for _, names := range m.groups(pair, old, dir) {
			c := &candidate{testCase: testCase{Module: modulePath, A: a, B: b}}
			ok, err := m.fit(ctx, c, pair, dir, names)
			if err != nil {
				return list, err
			}
			if ok {
				list = append(list, c)
			}
		}
	}
	return list, nil
}

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// changedDirs returns the directories with packages of both versions whose files differ.
func changedDirs(a, b string) (dirs []string, err error) {
	err = filepath.WalkDir(b, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		if base := e.Name(); name != b && (base == "testdata" || base == "vendor" || base == "examples" ||
			base == "example" || base == "_examples" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")) {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(b, name)
		if err != nil {
			return err
		}
		if rel != "." && exists(filepath.Join(name, "go.mod")) {
			return fs.SkipDir // another module
		}
		old, err := splice.Read(filepath.Join(a, rel))
		if err != nil || len(old) == 0 {
			return nil //nolint:nilerr // the package is new
		}
		now, err := splice.Read(name)
		for file, text := range now {
			if !bytes.Equal(text, old[file]) && !generated.Match(text) {
				dirs = append(dirs, filepath.ToSlash(rel))
				break
			}
		}
		return err
	})
	return dirs, err
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// groups returns the changed functions of a package that belong together: those that need the same
// declaration that only B has, if their change is small enough, and the others one by one.
func (m *miner) groups(pair *splice.Pair, old, dir string) (list [][]string) {
	by := map[string]int{} // groups by what they add
	for _, name := range pair.Changed() {
		change, err := pair.Change([]string{name})
		if err != nil {
			continue
		}
		diff, err := diffOf(old, dir, change)
		if err != nil || changedLines(diff) > m.most {
			continue
		}
		at := -1
		for _, added := range change.Added {
			if i, ok := by[added]; ok && m.small(pair, old, dir, append(slices.Clone(list[i]), name)) {
				at = i
				break
			}
		}
		if at < 0 {
			at, list = len(list), append(list, nil)
		}
		list[at] = append(list[at], name)
		for _, added := range change.Added {
			by[added] = at
		}
	}
	return list
}

// small reports whether the change of functions has few enough lines.
func (m *miner) small(pair *splice.Pair, old, dir string, names []string) bool {
	change, err := pair.Change(names)
	if err != nil {
		return false
	}
	diff, err := diffOf(old, dir, change)
	return err == nil && changedLines(diff) <= m.most
}

func diffOf(root, dir string, change *splice.Change) (string, error) {
	changes := scratch.Changes{}
	err := addFiles(changes, root, dir, change)
	return changes.Diff(), err
}

// attempts is how often a change that does not build gets more declarations of B.
const attempts = 4

// fit completes a candidate of these functions until version A builds with it. It reports whether
// that is possible, and the change looks like one for speed.
func (m *miner) fit(ctx context.Context, c *candidate, pair *splice.Pair, dir string, names []string) (bool, error) {
	root, err := m.copyOf(ctx, c.Module, c.A)
	if err != nil {
		return false, err
	}
	first := names[0]
	for range attempts {
		change, err := pair.Change(names)
		if err != nil {
			return false, nil //nolint:nilerr // it cannot be made
		}
		changes := scratch.Changes{}
		if err := addFiles(changes, root, dir, change); err != nil {
			return false, err
		}
		c.diff = changes.Diff()
		if c.signals = signalsOf(c.diff); len(c.signals) == 0 || changedLines(c.diff) > m.most {
			return false, nil
		}
		complaints, err := m.build(ctx, root, dir, changes)
		if err != nil {
			return false, err
		}
		if len(complaints) == 0 {
			c.Name = shortName(c.Module) + "-" + c.B + "-" + caseSafe(named(dir, first))
			for _, name := range names {
				c.Functions = append(c.Functions, named(dir, name))
			}
			return true, nil
		}
		more := pair.Related(names)
		for _, at := range complaints {
			if name := pair.FunctionAt(change, at.file, at.line); name != "" && pair.Has(name) {
				more = append(more, name)
			}
		}
		had := len(names)
		for _, name := range more {
			if !slices.Contains(names, name) && !slices.Contains(change.Added, name) {
				names = append(slices.Clone(names), name)
			}
		}
		if len(names) == had {
			return false, nil
		}
	}
	return false, nil
}

// shortName returns the last two elements of a module's path, without its version, as the name of a
// file.
func shortName(modulePath string) string {
	prefix, _, _ := module.SplitPathVersion(modulePath)
	return path.Base(path.Dir(prefix)) + "-" + path.Base(prefix)
}

// caseSafe replaces what the name of a case may not have.
func caseSafe(name string) string {
	return strings.NewReplacer("/", ".", " ", "-", "[", "", "]", "", ",", "").Replace(name)
}

// A complaint is a place of which the compiler complains.
type complaint struct {
	file string // base name
	line int
}

var compilerError = regexp.MustCompile(`(?m)^(?:vet: )?(\S+\.go):(\d+):\d+: `)

// build compiles the package in a directory of a module with changes, and returns what the compiler
// complains of. It is an error if that is not about lines.
func (m *miner) build(ctx context.Context, root, dir string, changes scratch.Changes) ([]complaint, error) {
	temp, err := os.MkdirTemp(m.dir, "build")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	replace := map[string]string{}
	for name, c := range changes {
		file := filepath.Join(temp, path.Base(name))
		if err := os.WriteFile(file, c.After, 0o600); err != nil {
			return nil, err
		}
		replace[filepath.Join(root, filepath.FromSlash(name))] = file
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	overlay := filepath.Join(temp, "overlay.json")
	if err := os.WriteFile(overlay, data, 0o600); err != nil {
		return nil, err
	}
	_, err = modproxy.Output(ctx, root, "go", "build", "-mod=mod", "-overlay="+overlay, "-gcflags=-e",
		"-o", os.DevNull, "./"+dir)
	if err == nil || ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var list []complaint
	for _, match := range compilerError.FindAllStringSubmatch(err.Error(), -1) {
		line, _ := strconv.Atoi(match[2])
		list = append(list, complaint{path.Base(match[1]), line})
	}
	if len(list) == 0 {
		return nil, err
	}
	return list, nil
}
