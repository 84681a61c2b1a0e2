package results

import (
	"cmp"
	"context"
	"slices"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/server/files"
	"github.com/whet-go/whet/prove"
)

// An About is what a list says about a file of results.
type About struct {
	// Of is what was measured: a program, a module or packages. Commit is the commit of a run, or the newest one of a
	// history.
	Of     string `json:"of,omitempty"`
	Commit string `json:"commit,omitempty"`
	// Sides are what was compared, the earlier one first.
	Sides      []string `json:"sides,omitempty"`
	Benchmarks int      `json:"benchmarks,omitempty"`
	Commits    int      `json:"commits,omitempty"`
	// Findings are by how much is known about their rewrites.
	Findings *FindingCounts `json:"findings,omitempty"`
	// Outcome is that of a proof, and Kept is how many of the Tried rewrites are proven in a file of whet fix.
	Outcome prove.Outcome `json:"outcome,omitempty"`
	Kept    int           `json:"kept,omitempty"`
	Tried   int           `json:"tried,omitempty"`
	// Comparable is set for the results of one run, which can be compared with others.
	Comparable bool `json:"comparable,omitempty"`
}

// FindingCounts are numbers of findings by the confidence in their rewrites.
type FindingCounts struct {
	Rewrites int `json:"rewrites"` // keep the behavior by construction
	Review   int `json:"review"`   // need something of the reader, or are proposed
	Others   int `json:"others"`   // have no rewrite
}

// About returns what a file of a kind says; nil for kinds that this package does not read.
func (r *Reader) About(ctx context.Context, name string, kind files.Kind) (*About, error) {
	switch kind {
	case files.Bench:
		b, err := r.bench(ctx, name)
		if err != nil {
			return nil, err
		}
		return b.about(), nil
	case files.Findings:
		f, err := r.Findings(name)
		if err != nil {
			return nil, err
		}
		return &About{Of: cmp.Or(f.Program, f.Module), Findings: count(f)}, nil
	case files.Proof:
		p, err := r.Proof(name)
		if err != nil {
			return nil, err
		}
		return &About{Of: p.Module, Outcome: p.Outcome}, nil
	case files.Fixes:
		f, err := r.Fixes(name)
		if err != nil {
			return nil, err
		}
		return &About{Of: f.Module, Kept: len(f.Kept()), Tried: len(f.Attempts)}, nil
	default:
		return nil, nil //nolint:nilnil // the kind has none
	}
}

func count(r *find.Result) *FindingCounts {
	c := &FindingCounts{}
	for i := range r.Findings {
		switch f := &r.Findings[i]; {
		case f.Fix == nil:
			c.Others++
		case f.Tier == find.Free:
			c.Rewrites++
		default:
			c.Review++
		}
	}
	return c
}

// about describes benchmarks.
func (b *Bench) about() *About {
	s := &About{}
	switch {
	case b.History != nil:
		names := map[string]bool{}
		for _, x := range b.History.Series {
			names[x.Package+" "+x.Benchmark] = true
			if s.Of == "" {
				s.Of = x.Package
			}
		}
		s.Benchmarks, s.Commits = len(names), len(b.History.Commits)
		if n := len(b.History.Commits); n > 0 {
			s.Commit = b.History.Commits[n-1].Short()
		}
	case b.AB != nil:
		s.Benchmarks = len(b.AB.Subjects)
		s.Sides = slices.DeleteFunc(b.AB.Sides[:], func(side string) bool { return side == "" })
	default:
		names := map[string]bool{}
		for i, t := range b.Compared.Tables {
			pkg := ""
			for _, f := range t.Config {
				switch f.Key {
				case "pkg":
					pkg = f.Value
				case "commit":
					s.Commit = cmp.Or(s.Commit, f.Value)
				}
			}
			s.Of = cmp.Or(s.Of, pkg)
			for _, row := range t.Rows {
				names[pkg+" "+row.Name] = true
			}
			if i == 0 && len(t.Columns) > 1 {
				for _, c := range t.Columns {
					s.Sides = append(s.Sides, c.Name)
				}
			}
		}
		s.Benchmarks = len(names)
		s.Comparable = len(s.Sides) == 0 && len(b.Compared.Tables) > 0
		if b.Run != nil {
			s.Commit = cmp.Or(b.Run.Commit, s.Commit)
		}
	}
	return s
}
