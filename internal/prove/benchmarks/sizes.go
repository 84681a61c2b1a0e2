package benchmarks

import (
	"context"
	"fmt"
	"slices"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/builds"
	"github.com/whet-go/whet/internal/prove/differ"
)

// CompareSizes compares two builds by the generated benchmarks of a comparison, with their inputs of each size alone.
// The subjects are sub-benchmarks: Whet_Sum/size=8. If the benchmarks were measured in many layouts of the program,
// these are, too.
func (s *Set) CompareSizes(
	ctx context.Context, a, b builds.Side, m *Measured, how ab.Options,
) (*ab.Result, error) {
	written := slices.DeleteFunc(slices.Clone(m.covering), func(c Benchmark) bool { return !c.written })
	env := differ.BySizeEnv + "=1"
	a.Env, b.Env = append(slices.Clone(a.Env), env), append(slices.Clone(b.Env), env)
	again := &Again{VaryLayout: slices.ContainsFunc(m.AB.Subjects, func(r ab.SubjectResult) bool {
		return r.VariedLayout
	})}
	by, err := s.compare(ctx, a, b, written, again, how)
	if err != nil {
		return nil, err
	}
	for _, r := range by.AB.Subjects {
		if r.Error != "" {
			return nil, fmt.Errorf("%s: %s", r.Name, r.Error)
		}
	}
	return by.AB, nil
}
