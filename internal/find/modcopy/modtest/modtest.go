package modtest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/profile"
)

// Modules are a module and those that it is built with.
type Modules struct {
	Dir   string   // of the module
	Cache string   // the module cache
	Env   []string // for the go command
}

// Write writes an archive. Files below "proxy/PATH@VERSION/" are of other modules, the rest is the module. The go
// command may write to the module cache, so that a test can show that nothing does.
func Write(t testing.TB, archive string) *Modules {
	t.Helper()
	root := t.TempDir()
	m := &Modules{Dir: filepath.Join(root, "module"), Cache: filepath.Join(root, "cache")}
	proxy, sources := filepath.Join(root, "proxy"), filepath.Join(root, "sources")
	var versions []string
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(m.Dir, f.Name)
		if rest, ok := strings.CutPrefix(f.Name, "proxy/"); ok {
			name = filepath.Join(sources, rest)
			at := strings.IndexByte(rest, '@')
			end := at + strings.IndexByte(rest[at:], '/')
			if !slices.Contains(versions, rest[:end]) {
				versions = append(versions, rest[:end])
			}
		}
		put(t, name, f.Data)
	}
	for _, v := range versions {
		publish(t, proxy, filepath.Join(sources, filepath.FromSlash(v)), v)
	}
	m.Env = []string{
		"GOPROXY=file://" + filepath.ToSlash(proxy), "GOMODCACHE=" + m.Cache, "GONOSUMDB=*", "GONOSUMCHECK=1",
		"GOFLAGS=-buildvcs=false -modcacherw", "GOTOOLCHAIN=local", "GOWORK=off",
	}
	return m
}

func put(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// publish adds a version of a module to a proxy.
func publish(t testing.TB, proxy, from, pathAtVersion string) {
	t.Helper()
	path, version, _ := strings.Cut(pathAtVersion, "@")
	dir := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	mod, err := os.ReadFile(filepath.Join(from, "go.mod"))
	if err != nil { // a module of the time before go.mod
		mod = []byte("module " + path + "\n")
	}
	info, err := json.Marshal(map[string]string{"Version": version, "Time": "2026-01-02T03:04:05Z"})
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, version+".info"), info)
	put(t, filepath.Join(dir, version+".mod"), mod)
	list, _ := os.ReadFile(filepath.Join(dir, "list")) // there may be none yet
	put(t, filepath.Join(dir, "list"), append(list, version+"\n"...))
	file, err := os.Create(filepath.Join(dir, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	if err := zip.CreateFromDir(file, module.Version{Path: path, Version: version}, from); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// Go runs the go command in the module and returns what it printed.
func (m *Modules) Go(t testing.TB, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Env = m.Dir, append(os.Environ(), m.Env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// Tidy completes go.mod and go.sum, and downloads what the go command ever needs to know about the modules.
func (m *Modules) Tidy(t testing.TB) {
	t.Helper()
	m.Go(t, "mod", "tidy")
	m.Go(t, "mod", "download")
	m.Go(t, "list", "-m", "-json", "all")
}

// State lists the files in the module cache and in the module with their modes and digests, without the go command's
// locks.
func (m *Modules) State(t testing.TB) string {
	t.Helper()
	var list strings.Builder
	for _, dir := range []string{m.Cache, m.Dir} {
		err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || e.Name() == "lock" || strings.HasSuffix(e.Name(), ".lock") {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			data, err := os.ReadFile(name)
			_, _ = fmt.Fprintf(&list, "%s %v %x\n", name, info.Mode(), sha256.Sum256(data))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list.String()
}

// Source returns the directory of a version in the module cache.
func (m *Modules) Source(pathAtVersion string) string {
	return filepath.Join(m.Cache, filepath.FromSlash(pathAtVersion))
}

// A Frame is a line of a file, by a text in it.
type Frame struct {
	Function string // as profiles name it
	File     string
	Code     string // the line is the first one that has it; with "", it is 1
}

// A Sample is a stack, the leaf first, and its values.
type Sample struct {
	Value int64
	More  []int64 // of the other types
	Bytes int64   // the size of allocated objects, as a label; 0 for none
	Stack []Frame
}

// Profile makes a profile with one value.
func Profile(t testing.TB, typ profile.ValueType, samples ...Sample) *profile.Profile {
	t.Helper()
	return ProfileOf(t, []profile.ValueType{typ}, samples...)
}

// ProfileOf makes a profile with values of some types.
func ProfileOf(t testing.TB, types []profile.ValueType, samples ...Sample) *profile.Profile {
	t.Helper()
	b := profile.NewBuilder(types...)
	for _, s := range samples {
		var stack []uint32
		for _, f := range s.Stack {
			fn := profile.Function{Name: f.Function, File: f.File}
			line := int32(1)
			if f.Code != "" {
				line = lineOf(t, f.File, f.Code)
			}
			stack = append(stack, b.Location(0, profile.None, false, profile.Line{Function: b.Function(fn), Line: line}))
		}
		var labels []profile.Label
		if s.Bytes > 0 {
			labels = append(labels, profile.Label{Key: "bytes", Num: s.Bytes, Unit: "bytes", Numeric: true})
		}
		if err := b.Sample(stack, labels, append([]int64{s.Value}, s.More...)...); err != nil {
			t.Fatal(err)
		}
	}
	return b.Profile(nil)
}

// lineOf returns the number of the first line of a file that has a text.
func lineOf(t testing.TB, file, code string) int32 {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := strings.Cut(string(data), code)
	if !ok {
		t.Fatalf("%s has no %q", file, code)
	}
	return int32(1 + strings.Count(before, "\n"))
}
