//go:build unix

package peers

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/capture/instrument"
	"github.com/whet-go/whet/internal/collect/documents"
	"github.com/whet-go/whet/internal/find/driver"
	"github.com/whet-go/whet/internal/prove/captured"
	"github.com/whet-go/whet/internal/prove/differ"
	"github.com/whet-go/whet/internal/prove/mutants"
	"github.com/whet-go/whet/internal/prove/scratch"
	"github.com/whet-go/whet/prove"
	"github.com/whet-go/whet/recording"
)

// mostMutants is the number of mutants of a package.
const mostMutants = 60

// BenchmarkCaptureKills counts the mutants of captured functions that inputs notice, with and without captured calls
// among them: of the services, or of the module in WHET_CAPTURE_MODULE with the recording in WHET_CAPTURE_RECORDING.
func BenchmarkCaptureKills(b *testing.B) {
	if dir := os.Getenv("WHET_CAPTURE_MODULE"); dir != "" {
		for range b.N {
			kills(b, dir, os.Getenv("WHET_CAPTURE_RECORDING"))
		}
		return
	}
	whet := buildProgram(b, filepath.Join("..", "..", "cmd", "whet"), ".")
	var sum killCount
	left := len(capturedServices())
	for _, c := range capturedServices() {
		b.Run(c.name, func(b *testing.B) {
			left--
			dir := filepath.Join(b.TempDir(), c.name)
			c.copyTo(b, dir)
			for range b.N {
				sum.add(kills(b, dir, c.record(b, whet, dir, "hot")))
			}
		})
	}
	if left == 0 {
		sum.write(b, allRow)
	}
}

// A killCount counts mutants.
type killCount struct{ functions, mutants, without, with int }

func (k *killCount) add(more killCount) {
	k.functions += more.functions
	k.mutants += more.mutants
	k.without += more.without
	k.with += more.with
}

// write adds a row.
func (k *killCount) write(b *testing.B, name string) {
	b.Helper()
	share := func(n int) string { return fmt.Sprintf("%d (%.0f%%)", n, 100*float64(n)/float64(max(k.mutants, 1))) }
	addRow(b, costsPage, "## Mutants that inputs notice", name, strconv.Itoa(k.functions), strconv.Itoa(k.mutants),
		share(k.without), share(k.with))
}

// kills adds a row for each package of a module with captured functions, and returns the sum.
func kills(b *testing.B, dir, name string) (sum killCount) {
	b.Helper()
	r, err := recording.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	d, err := documents.ReadArguments(r)
	if err := errors.Join(err, r.Close()); err != nil {
		b.Fatal(err)
	}
	calls := captured.Of(d)
	if calls == nil {
		b.Fatalf("%s has no captured arguments", name)
	}
	copied := filepath.Join(b.TempDir(), filepath.Base(dir)) // outside of the repository
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		b.Fatal(err)
	}
	m, err := scratch.New(b.Context(), copied, scratch.Options{Timeout: time.Minute, Temp: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	pkgs, err := driver.Load(b.Context(), driver.Options{Dir: m.Dir}, "./...")
	if err != nil {
		b.Fatal(err)
	}
	for _, pkg := range pkgs {
		changes, functions := markedLines(b, m, pkg, calls)
		if functions == 0 {
			continue
		}
		one := killCount{functions: functions}
		one.mutants, one.without = killed(b, m, changes, nil)
		_, one.with = killed(b, m, changes, calls)
		one.write(b, pkg.PkgPath)
		sum.add(one)
	}
	if err := m.Close(); err != nil {
		b.Fatal(err)
	}
	return sum
}

// markedLines returns a change of each line of a package's functions with captured calls, which does nothing, and their
// number: mutants are made of changed lines.
func markedLines(
	b *testing.B, m *scratch.Module, pkg *packages.Package, calls *captured.Calls,
) (changes scratch.Changes, functions int) {
	b.Helper()
	changes = scratch.Changes{}
	for _, file := range pkg.Syntax {
		at := pkg.Fset.File(file.FileStart)
		before, err := os.ReadFile(at.Name())
		if err != nil {
			b.Fatal(err)
		}
		after := slices.Clone(before)
		for _, d := range slices.Backward(file.Decls) {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil || !calls.Has(pkg.PkgPath, instrument.FuncName(fn)) {
				continue
			}
			functions++
			from, to := at.Offset(fn.Body.Lbrace)+1, at.Offset(fn.Body.Rbrace)
			body := " _ = struct{}{}; " + strings.ReplaceAll(string(before[from:to]), "\n", " // marked\n")
			after = slices.Concat(after[:from], []byte(body), after[to:])
		}
		if len(after) == len(before) {
			continue
		}
		name, err := filepath.Rel(m.Dir, at.Name())
		if err != nil {
			b.Fatal(err)
		}
		changes[filepath.ToSlash(name)] = scratch.Change{Before: before, After: after}
	}
	return changes, functions
}

// killed returns the number of mutants of changes, and how many inputs notice, as whet prove runs them.
func killed(b *testing.B, m *scratch.Module, changes scratch.Changes, calls *captured.Calls) (all, noticed int) {
	b.Helper()
	dir := changes.Dirs()[0]
	o := differ.Options{
		FuzzTime: killTime(), Timeout: time.Minute, Corpus: b.TempDir(), Inputs: 1, Seed: 1, Captured: calls,
	}
	r, err := differ.Compare(b.Context(), m, dir, changes, o)
	if err == nil && r.Separate != "" {
		err = errors.New(r.Separate)
	}
	if err != nil {
		b.Fatal(err)
	}
	mutated, err := differ.Mutate(b.Context(), m, dir, changes, o, mostMutants)
	if err != nil {
		b.Fatal(err)
	}
	for _, target := range mutated.Targets {
		if err := mutated.Run(b.Context(), target); err != nil {
			b.Fatalf("%s without a mutant: %v", target, err)
		}
	}
	for i := range mutated.Mutants {
		if slices.ContainsFunc(mutated.Targets, func(target string) bool {
			return mutated.Run(b.Context(), target, mutants.Env+"="+strconv.Itoa(i+1)) != nil
		}) {
			noticed++
			continue
		}
		if _, diff, err := mutated.Diff(&mutated.Mutants[i]); err == nil {
			b.Logf("not noticed, captured arguments %t:\n%s", calls != nil, diff)
		}
	}
	if err := mutated.Close(); err != nil {
		b.Fatal(err)
	}
	return len(mutated.Mutants), noticed
}

// killTime is how long the fuzzer looks for inputs of a function before mutants run: as long as whet prove does, or
// as WHET_CAPTURE_TIME says.
func killTime() string { return cmp.Or(os.Getenv("WHET_CAPTURE_TIME"), prove.DefaultFuzzTime.String()) }
