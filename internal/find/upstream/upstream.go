package upstream

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/dependencies"
	"github.com/whet-go/whet/internal/find/modcopy"
	"github.com/whet-go/whet/profile"
)

// MaxModules is the number of dependencies that are looked into: the most expensive ones.
const MaxModules = 3

// A Module is a dependency with a copy of its source.
type Module struct {
	Path, Version string
	Share         float64 // of the CPU time, or else of allocated bytes, in its hot lines below own code
	Source        string  // directory of the original
	Vendored      bool

	// Dir is the copy. Profiles and Options are those that found it: with the copy as the source, and the
	// dependency as own code.
	Dir      string
	Profiles find.Profiles
	Options  find.Options

	// Found is the result on the copy. If the dependency could not be analyzed, it has only a warning that says
	// why, and Skipped is set.
	Found   *find.Result
	Skipped bool
}

// Modules looks into the dependencies that calls spend most in. p and o are what package find was given for the
// module. Copies are below temp.
func Modules(
	ctx context.Context, p find.Profiles, o find.Options, calls []dependencies.Call, temp string,
) ([]*Module, error) {
	list := expensive(calls)
	for i, m := range list {
		if o.Progress != nil {
			o.Progress("look into " + m.Path)
		}
		err := m.find(ctx, p, o, filepath.Join(temp, fmt.Sprintf("dependency%d", i+1)))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			m.Skipped = true
			m.Found = &find.Result{
				Schema: find.Schema, Module: m.Path, Dir: m.Source, Totals: []find.Total{}, Findings: []find.Finding{},
				Unexplained: []find.HotLine{},
			}
			m.Found.Warnings.Add(fmt.Errorf("%s is not analyzed: %w", m, err))
		}
		m.Found.Version = m.Version
	}
	return list, nil
}

// expensive returns the dependencies with the most expensive lines.
func expensive(calls []dependencies.Call) (list []*Module) {
	for i := range calls {
		for _, l := range calls[i].Hottest {
			if l.Module == "" {
				continue
			}
			at := slices.IndexFunc(list, func(m *Module) bool { return m.Path == l.Module })
			if at < 0 {
				at, list = len(list), append(list, &Module{Path: l.Module, Version: l.Version})
			}
			list[at].Share += l.Share
		}
	}
	list = slices.DeleteFunc(list, func(m *Module) bool { return m.Share < find.DefaultMinShare })
	slices.SortStableFunc(list, func(a, b *Module) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Path, b.Path))
	})
	return list[:min(len(list), MaxModules)]
}

// String returns the module with its version.
func (m *Module) String() string {
	if m.Version == "" {
		return m.Path
	}
	return m.Path + "@" + m.Version
}

// find copies the module into dir, and looks for findings there.
func (m *Module) find(ctx context.Context, p find.Profiles, o find.Options, dir string) error {
	how := modcopy.Options{Dir: cmp.Or(o.Dir, "."), Flags: o.Flags, Env: o.Env}
	d, err := modcopy.Of(ctx, how, m.Path)
	if err != nil {
		return err
	}
	if m.Version != "" && d.Version != "" && m.Version != d.Version {
		return fmt.Errorf("the recording has version %s, and the module now uses %s", m.Version, d.Version)
	}
	m.Version, m.Source, m.Vendored, m.Dir = cmp.Or(m.Version, d.Version), d.Dir, d.Vendored, dir
	m.Profiles = find.Profiles{
		CPU: m.relocated(p.CPU), Allocs: m.relocated(p.Allocs), Mutex: m.relocated(p.Mutex), Block: m.relocated(p.Block),
	}
	if err := d.Copy(ctx, dir, m.packages()); err != nil {
		return err
	}
	m.Options = find.Options{
		Dir: dir, Flags: d.Flags(), Env: slices.Concat(o.Env, []string{"GOWORK=off"}), Own: m.own(),
		MinShare: o.MinShare, Rules: o.Rules, Generators: o.Generators, Notes: o.Notes, Progress: o.Progress,
		Target: find.Target{Requests: o.Target.Requests},
	}
	m.Found, err = find.Find(ctx, m.Profiles, m.Options)
	return err
}

// profiles returns the profiles that were recorded.
func (m *Module) profiles() []*profile.Profile {
	return slices.DeleteFunc([]*profile.Profile{m.Profiles.CPU, m.Profiles.Allocs, m.Profiles.Mutex, m.Profiles.Block},
		func(p *profile.Profile) bool { return p == nil })
}

// own returns what is code of the dependency.
func (m *Module) own() func(profile.Function) bool {
	var others []string
	for _, p := range m.profiles() {
		others = append(others, slices.DeleteFunc(p.FileModules(), func(path string) bool { return path == m.Path })...)
	}
	below := profile.OwnMatcher([]string{m.Path}, others)
	return func(f profile.Function) bool { return profile.PackagePath(f.Name) != "main" && below(f) }
}

// packages returns the packages of the dependency that are in the profiles.
func (m *Module) packages() (list []string) {
	own := m.own()
	for _, p := range m.profiles() {
		for _, f := range p.Functions {
			if own(f) {
				list = append(list, strings.TrimSuffix(profile.PackagePath(f.Name), "_test"))
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// relocated returns a profile in which vendored files of the dependency are named by its path, as files of an own
// module: package find skips files below a vendor directory.
func (m *Module) relocated(p *profile.Profile) *profile.Profile {
	if p == nil || !m.Vendored {
		return p
	}
	moved := *p
	moved.Functions = slices.Clone(p.Functions)
	for i := range moved.Functions {
		f := &moved.Functions[i]
		if _, rest, ok := strings.Cut(strings.ReplaceAll(f.File, `\`, "/"), "/vendor/"+m.Path+"/"); ok {
			f.File = m.Path + "/" + rest
		}
	}
	return &moved
}
