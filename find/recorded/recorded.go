package recorded

import (
	"context"
	"strings"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/dependencies"
	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/find/benchmarks"
	"github.com/whet-go/whet/internal/find/module"
	"github.com/whet-go/whet/unit"
)

// DefaultMaxTrace is how much of the execution traces whet find reads by default: about ten seconds
// of work, unless the traces are already indexed.
const DefaultMaxTrace unit.Bytes = 64 << 20

// Options configure Read. The zero value reads no execution traces.
type Options struct {
	Own      []string   // additional prefixes of own code
	MaxTrace unit.Bytes // total size of the execution traces to read
}

// A Program is the content of recordings of one program. It must be closed.
type Program struct {
	*input.Kinds
	Profiles find.Profiles
	Target   find.Target

	sizes map[function][]int // of results in calls that were copied
}

// Read reads the recordings or pprof files named by args. The caller must close the Program.
func Read(ctx context.Context, o *input.Opener, args []string, opt Options) (*Program, error) {
	in, err := o.Kinds(ctx, args, opt.Own)
	if err != nil {
		return nil, err
	}
	p := &Program{Kinds: in, Profiles: find.Profiles{CPU: in.CPU, Allocs: in.Allocs, Mutex: in.Mutex, Block: in.Block}}
	if in.Recording != nil {
		p.Target = find.TargetOf(in.Recording)
	}
	p.Target.Build = in.Build
	p.readGrowth()
	p.readSizes()
	if err := p.readWaits(ctx, o, opt.MaxTrace); err != nil {
		in.Close()
		return nil, err
	}
	return p, nil
}

// Options returns o with what is known about the program: own code, the target and the recorded
// source.
func (p *Program) Options(o find.Options) find.Options {
	o.Own, o.Target = p.Own.Match, p.Target
	if p.sizes != nil {
		o.Observed = func(pkg, name string) []int { return p.sizes[function{pkg, name}] }
	}
	if p.Recording != nil {
		o.Recorded = p.Recording.SourceFile
	}
	return o
}

// Find finds what is expensive in the module that o names, and which calls of other modules cost. If benchmarks are
// what was recorded, it has candidates for their bodies, too.
func (p *Program) Find(ctx context.Context, o find.Options) (*find.Result, error) {
	o = p.Options(o)
	r, err := find.Find(ctx, p.Profiles, o)
	if err != nil {
		return r, err
	}
	if p.Build != nil && (p.Build.Path == r.Module || strings.HasPrefix(p.Build.Path, r.Module+"/")) {
		r.Program = p.Build.Path
	}
	m, err := module.Find(r.Dir)
	if err != nil {
		return r, err
	}
	if o.Progress != nil {
		o.Progress("look into dependencies")
	}
	r.Dependencies, err = dependencies.Find(ctx, dependencies.Input{
		CPU: p.Profiles.CPU, Allocs: p.Profiles.Allocs, Own: o.Own, Dir: r.Dir, Flags: o.Flags, Env: o.Env,
		Requests: o.Target.Requests,
		File: func(name string) string {
			file, err := m.File(name)
			if err != nil {
				return ""
			}
			return file
		},
	})
	r.Warnings.Add(err, benchmarks.Propose(ctx, r, o))
	return r, ctx.Err()
}
