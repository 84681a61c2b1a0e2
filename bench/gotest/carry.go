package gotest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/internal/diag"
)

// CarryBenchmarks returns the overlay that builds the packages of to with the test files of from: a
// changed benchmark cannot be compared. pkgs are packages of from; those that to lacks are skipped.
// Test files that only to has are left out of its build. The overlay includes to.Overlay. Warnings
// name the data files (testdata) that differ between the sides: each side's benchmarks use their
// own.
func CarryBenchmarks(ctx context.Context, from, to Source,
	pkgs []Package,
) (overlay map[string]string, warnings bench.Warnings, err error) {
	overlay = maps.Clone(to.Overlay)
	if overlay == nil {
		overlay = map[string]string{}
	}
	if len(pkgs) == 0 {
		return overlay, nil, nil
	}
	var paths []string
	for _, p := range pkgs {
		paths = append(paths, p.ImportPath)
	}
	there, err := to.list(ctx, paths)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range pkgs {
		i := slices.IndexFunc(there, func(l listed) bool { return l.ImportPath == p.ImportPath })
		if i < 0 || there[i].Dir == "" {
			continue
		}
		dir := there[i].Dir
		if err := from.carry(p.Dir, dir, overlay); err != nil {
			return nil, nil, &diag.Error{Op: "carry over the benchmarks of", Subject: p.ImportPath, Err: err}
		}
		differ, err := differing(filepath.Join(p.Dir, "testdata"), filepath.Join(dir, "testdata"))
		if err != nil {
			return nil, nil, &diag.Error{Op: "compare the data of", Subject: p.ImportPath, Err: err}
		}
		if len(differ) > 0 {
			more := ""
			if n := len(differ); n > 5 {
				differ, more = differ[:5], fmt.Sprintf(" and %d more", n-5)
			}
			warnings.Addf("testdata of %s is not the same on both sides: %s%s", p.ImportPath,
				strings.Join(differ, ", "), more)
		}
	}
	return overlay, warnings, nil
}

// carry maps the test files in dir onto those in src's directory from. Build constraints decide, as
// usual, which of them are compiled.
func (src Source) carry(from, dir string, overlay map[string]string) error {
	theirs, err := testFiles(dir)
	if err != nil {
		return err
	}
	for _, name := range theirs {
		overlay[filepath.Join(dir, name)] = ""
	}
	ours, err := testFiles(from)
	if err != nil {
		return err
	}
	for _, name := range ours {
		path := filepath.Join(from, name)
		if replaced, ok := src.Overlay[path]; ok {
			if path = replaced; path == "" {
				continue
			}
		}
		overlay[filepath.Join(dir, name)] = path
	}
	return nil
}

func testFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), "_test.go") {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// differing lists the files below two directories that only one has, or that differ. A missing
// directory has no files.
func differing(a, b string) ([]string, error) {
	filesA, err := filesBelow(a)
	if err != nil {
		return nil, err
	}
	filesB, err := filesBelow(b)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(filesA)) {
		size, ok := filesB[name]
		same := ok && size == filesA[name]
		if same {
			if same, err = sameContent(filepath.Join(a, name), filepath.Join(b, name)); err != nil {
				return nil, err
			}
		}
		if !same {
			out = append(out, name)
		}
		delete(filesB, name)
	}
	return append(out, slices.Sorted(maps.Keys(filesB))...), nil
}

func filesBelow(dir string) (map[string]int64, error) {
	out := map[string]int64{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		out[name] = fi.Size()
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	return out, err
}

// sameContent reports whether two files of the same size are equal.
func sameContent(a, b string) (bool, error) {
	fileA, err := os.Open(a)
	if err != nil {
		return false, err
	}
	defer func() { _ = fileA.Close() }() // only read
	fileB, err := os.Open(b)
	if err != nil {
		return false, err
	}
	defer func() { _ = fileB.Close() }() // only read
	bufA, bufB := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, err := io.ReadFull(fileA, bufA)
		m, errB := io.ReadFull(fileB, bufB)
		if !bytes.Equal(bufA[:n], bufB[:m]) {
			return false, nil
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return true, nil
		}
		if err = errors.Join(err, errB); err != nil {
			return false, err
		}
	}
}
