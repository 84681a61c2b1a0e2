package benchmarks

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/bench/gotest"
)

// An Importer is a copy of another module that is built with the module under trial.
type Importer struct {
	Name string // of its benchmarks in results, such as the last element of its path
	Dir  string
	// Flags are those of go build, in place of the module's.
	Flags []string
	// Mirror is the directory below Dir where the go command sees the module's files; "" if it sees them in the
	// module's own directory.
	Mirror string
	// Ready makes Dir use the module in dir. It is called once, before anything is built.
	Ready func(dir string) error

	once  sync.Once
	ready error
}

// findIn finds what benchmarks of an importer run of the module.
func (s *Set) findIn(ctx context.Context, from *Importer) error {
	from.once.Do(func() { from.ready = from.Ready(s.scratch.Dir) })
	if from.ready != nil {
		return fmt.Errorf("use the copy in %s: %w", from.Name, from.ready)
	}
	covered := s.scope.Covered
	if len(covered) == 0 {
		covered = []string{s.o.Module + "/..."}
	}
	src := gotest.Source{Dir: from.Dir, Env: s.o.Env, Flags: slices.Concat(from.Flags, []string{
		"-cover", "-coverpkg=" + strings.Join(covered, ","), "-covermode=atomic",
	})}
	return s.find(ctx, src, nil, from)
}

// ofModule returns the benchmarks that are not those of importers.
func ofModule(list []Benchmark) []Benchmark {
	return slices.DeleteFunc(slices.Clone(list), func(b Benchmark) bool { return b.importer != nil })
}

// subjectsOf returns the names of an importer's subjects, or of the module's for nil, without what label adds.
func (s *Set) subjectsOf(from *Importer, subjects []string) (own []string) {
	for _, name := range subjects {
		i := slices.IndexFunc(s.o.Importers, func(f *Importer) bool { return strings.HasPrefix(name, f.label("")) })
		switch {
		case i < 0 && from == nil:
			own = append(own, name)
		case i >= 0 && s.o.Importers[i] == from:
			own = append(own, strings.TrimPrefix(name, from.label("")))
		}
	}
	return own
}

// label returns the name of a subject in results.
func (f *Importer) label(name string) string {
	if f == nil {
		return name
	}
	return f.Name + ": " + name
}

// side returns a build of the importer with what a build of the module, in dir, replaces.
func (f *Importer) side(of builds.Side, dir string) (builds.Side, error) {
	if f == nil {
		return of, nil
	}
	flags := slices.Clone(f.Flags)
	for _, flag := range of.Flags {
		if name, ok := strings.CutPrefix(flag, "-overlay="); ok {
			overlay, err := f.overlay(name, dir)
			if err != nil {
				return of, err
			}
			flags = append(flags, "-overlay="+overlay)
		}
	}
	of.Dir, of.Flags = f.Dir, flags
	return of, nil
}

// overlay returns an overlay that also replaces the files where the importer sees them.
func (f *Importer) overlay(name, dir string) (string, error) {
	if f.Mirror == "" {
		return name, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	var overlay struct{ Replace map[string]string }
	if err := json.Unmarshal(data, &overlay); err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	for file, by := range maps.Clone(overlay.Replace) {
		if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
			overlay.Replace[filepath.Join(f.Mirror, rel)] = by
		}
	}
	if data, err = json.Marshal(overlay); err != nil {
		return "", err
	}
	mirrored := strings.TrimSuffix(name, ".json") + "-mirrored.json"
	return mirrored, os.WriteFile(mirrored, data, 0o600)
}
