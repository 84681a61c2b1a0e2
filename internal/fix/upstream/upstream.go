package upstream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/find/upstream"
	"github.com/whet-go/whet/internal/prove/scratch"
	"github.com/whet-go/whet/prove"
)

// Run tries what was found in dependencies of the module in dir. o is what package fix is given for the module;
// settings, captured calls, the service and a program that writes changes are left out: they are about the module.
// The budget is for each dependency. temp is a directory for copies, which the caller removes.
func Run(
	ctx context.Context, dir string, modules []*upstream.Module, o fix.Options, temp string,
) (results []*fix.Result, err error) {
	for i, m := range modules {
		if ctx.Err() != nil {
			break
		}
		r := &fix.Result{Schema: fix.Schema, Module: m.Path, Attempts: []fix.Attempt{}}
		if !m.Skipped {
			if r, err = try(ctx, dir, m, o, filepath.Join(temp, fmt.Sprintf("importer%d", i+1))); err != nil {
				if ctx.Err() != nil {
					return results, ctx.Err()
				}
				r = &fix.Result{Schema: fix.Schema, Module: m.Path, Attempts: []fix.Attempt{}}
				r.Warnings.Add(fmt.Errorf("%s: %w", m, err))
			}
		} else {
			r.Warnings = slices.Clone(m.Found.Warnings)
		}
		r.Version, r.Dir = m.Version, m.Source
		results = append(results, r)
	}
	return results, nil
}

// try proves what was found in a dependency.
func try(ctx context.Context, dir string, m *upstream.Module, o fix.Options, temp string) (*fix.Result, error) {
	from, err := importer(ctx, dir, m, o, temp)
	if err != nil {
		return nil, err
	}
	o.Profiles, o.Find = m.Profiles, m.Options
	o.Flags, o.Env = m.Options.Flags, m.Options.Env
	o.Importers = []*prove.Importer{from}
	o.Settings, o.Service, o.Captured, o.Recordings, o.Candidates = false, nil, nil, nil, fix.Candidates{}
	return fix.Run(ctx, m.Found, o)
}

// importer copies the module in dir, for its benchmarks.
func importer(
	ctx context.Context, dir string, m *upstream.Module, o fix.Options, temp string,
) (*prove.Importer, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	tree, err := scratch.TreeOf(ctx, dir)
	if err != nil {
		return nil, err
	}
	if err := tree.Fill(ctx, temp); err != nil {
		return nil, fmt.Errorf("copy the module: %w", err)
	}
	to := filepath.Join(temp, tree.Module)
	name, err := scratch.ModulePath(to)
	if err != nil {
		return nil, err
	}
	from := &prove.Importer{Name: path.Base(name), Dir: to, Flags: o.Flags}
	if m.Vendored {
		from.Mirror = filepath.Join(to, "vendor", filepath.FromSlash(m.Path))
		from.Ready = func(copied string) error { return link(from.Mirror, copied) }
		return from, nil
	}
	from.Ready = func(copied string) error { return replace(to, dir, m.Path, copied) }
	return from, nil
}

// link makes a vendored module a link to a directory.
func link(vendored, copied string) error {
	return errors.Join(os.RemoveAll(vendored), os.Symlink(copied, vendored))
}

// replace makes the module in dir, a copy of original, use a directory instead of a dependency. Other directories
// in its go.mod that are not a part of the copy become absolute.
func replace(dir, original, dependency, copied string) error {
	name := filepath.Join(dir, "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	mod, err := modfile.Parse(name, data, nil)
	if err != nil {
		return err
	}
	for _, r := range slices.Clone(mod.Replace) {
		switch {
		case r.Old.Path == dependency:
			if err := mod.DropReplace(r.Old.Path, r.Old.Version); err != nil {
				return err
			}
		case modfile.IsDirectoryPath(r.New.Path) && !filepath.IsAbs(r.New.Path):
			if _, err := os.Stat(filepath.Join(dir, r.New.Path)); err == nil {
				continue
			}
			if err := mod.AddReplace(r.Old.Path, r.Old.Version, filepath.Join(original, r.New.Path), ""); err != nil {
				return err
			}
		}
	}
	if err := mod.AddReplace(dependency, "", copied, ""); err != nil {
		return err
	}
	mod.Cleanup()
	if data, err = mod.Format(); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o600)
}

// Directory returns the name of a directory for the patches of a dependency.
func Directory(r *fix.Result) string {
	name := strings.NewReplacer("/", "_", `\`, "_", ":", "_").Replace(r.Module)
	if r.Version != "" {
		name += "@" + r.Version
	}
	return name
}
