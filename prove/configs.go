package prove

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/prove/configs"
	"github.com/whet-go/whet/internal/prove/scratch"
	"github.com/whet-go/whet/internal/prove/syntax"
)

// A Config is a build configuration: GOOS, GOARCH and tags.
type Config = configs.Config

// ParseConfigs reads configurations with spaces between them: goos/goarch, or goos/goarch+tag,tag.
func ParseConfigs(list string) ([]Config, error) { return configs.Parse(list) }

// A ConfigBuild is a build of version B in a further configuration.
type ConfigBuild struct {
	Config string `json:"config"` // goos/goarch+tags
	From   string `json:"from,omitempty"`
	// Built is set if version B builds, and go vet reports nothing new.
	Built bool `json:"built"`
	// NotBuilt is why it was not built.
	NotBuilt string `json:"not,omitempty"`
	// Files are changed files that this configuration compiles, and the proof's own does not.
	Files []string `json:"files,omitempty"`
}

// configTime limits the builds in further configurations. The first one for a platform compiles the
// standard library, too.
const configTime = time.Minute

// buildConfigs builds and vets the packages that a candidate can affect, in further configurations. It
// returns an error if version B does not build in one in which A does, or if go vet reports
// something new. What there is no time for is not built.
func (f *Prover) buildConfigs(ctx context.Context, changes Changes, over []string) (list []ConfigBuild, err error) {
	limit := untilDeadline(ctx, configTime, configShare, 1)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	all := slices.Clone(f.o.Configs)
	slices.SortStableFunc(all, func(a, b Config) int { // those that alone compile a changed file first
		return min(len(f.onlyIn(b, changes)), 1) - min(len(f.onlyIn(a, changes)), 1)
	})
	for _, config := range all {
		b := ConfigBuild{Config: config.String(), From: config.From, Files: f.onlyIn(config, changes)}
		var failed error
		if limited.Err() == nil {
			f.o.Progress("build for " + config.String())
			in := f.build().For(config)
			b.NotBuilt, failed = f.buildConfig(limited, f.scratch.With(in.Flags, in.Env), changes, over)
		}
		switch {
		case ctx.Err() != nil:
			return list, ctx.Err()
		case limited.Err() != nil:
			b.NotBuilt = "there was no time for it"
		case failed != nil:
			return list, fmt.Errorf("for %s: %w", config, failed)
		}
		b.Built = b.NotBuilt == ""
		list = append(list, b)
	}
	return list, nil
}

// build returns the proof's own build.
func (f *Prover) build() configs.Build { return configs.Build{Flags: f.o.Flags, Env: f.o.Env} }

// onlyIn returns the changed files that a configuration compiles, and the proof's own does not.
func (f *Prover) onlyIn(config Config, changes Changes) (files []string) {
	for _, name := range sourceNames(changes) {
		if c := changes[name]; !inBuild(f.build(), name, c) && inBuild(f.build().For(config), name, c) {
			files = append(files, name)
		}
	}
	return files
}

// buildConfig builds and vets version B in a configuration. not is why it does not: nothing of the
// change is part of it, or version A does not build.
func (f *Prover) buildConfig(
	ctx context.Context, m *scratch.Module, changes Changes, over []string,
) (not string, err error) {
	dirs, everything := f.packageDirs(changes)
	before, err := m.Packages(ctx)
	if err != nil {
		return "version A does not build: " + err.Error(), nil
	}
	after, err := m.Packages(ctx, over...)
	if err != nil {
		return "", err
	}
	now := after.All
	if !everything {
		if now, err = after.Affected(dirs); err != nil {
			return err.Error(), nil
		}
	}
	was := slices.DeleteFunc(slices.Clone(now), func(p string) bool { return !slices.Contains(before.All, p) })
	var failed *scratch.OutputError
	if err := m.Build(ctx, nil, before.Buildable(was)); errors.As(err, &failed) {
		before.MarkBroken(failed.Output)
		if was = slices.DeleteFunc(was, func(p string) bool { return !slices.Contains(before.All, p) }); len(was) == 0 {
			return "version A does not build: " + failed.Error(), nil
		}
	}
	now = slices.DeleteFunc(now, func(p string) bool {
		return slices.ContainsFunc(before.Broken, func(b scratch.Broken) bool { return b.Package == p })
	})
	if err := m.Build(ctx, over, after.Buildable(now)); err != nil {
		return "", err
	}
	if complaints := m.Vet(ctx, over, was); len(complaints) > 0 {
		if more := scratch.NewComplaints(m.Vet(ctx, nil, was), complaints); len(more) > 0 {
			return "", fmt.Errorf("go vet: %s", more[0])
		}
	}
	return "", nil
}

// sourceNames returns the names of changed source files, sorted.
func sourceNames(changes Changes) (names []string) {
	for name := range changes {
		if syntax.IsSource(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// inBuild reports whether a changed file is part of a build.
func inBuild(b configs.Build, name string, c Change) bool {
	if c.After == nil {
		return b.Has(name, c.Before)
	}
	return b.Has(name, c.After)
}

// ignored returns why changed files that are not part of this build were not compared.
func (f *Prover) ignored(changes Changes, others []ConfigBuild) (not []string) {
	for _, name := range sourceNames(changes) {
		if f.judges(path.Dir(name)) && !inBuild(f.build(), name, changes[name]) {
			not = append(not, name+notCompared(name, others))
		}
	}
	return not
}

// notCompared reports that a file outside this build was not compared, and in which builds it is.
func notCompared(name string, others []ConfigBuild) string {
	var built []string
	for _, b := range others {
		if b.Built && slices.Contains(b.Files, name) {
			built = append(built, b.Config)
		}
	}
	if len(built) == 0 {
		return " cannot be compared: it is not part of this build"
	}
	return " was built for " + strings.Join(built, " and ") + ", but not compared: it is not part of this build"
}
