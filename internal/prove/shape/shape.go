package shape

import (
	"strings"

	"github.com/whet-go/whet/profile"
)

// A Shape is the distribution of CPU time below a function.
type Shape struct {
	parts   map[spot]float64 // sums to 1
	Samples int64
}

// A spot is where CPU time is spent: a line of the module, or a function called from it.
type spot struct {
	function string // innermost function of the module
	line     int64  // relative to the function's first line
	calls    string // function that the line calls, not of the module or the runtime; "" if none
}

// A Subject names a function whose calls are compared.
type Subject struct {
	Module  string // path
	Package string // import path
	Main    bool   // the package is a command, which profiles call main
	Symbol  string // without the package and type arguments, as (*T).Name
}

// name returns the symbol of a frame without type arguments, with the import path of a command's
// package.
func (s *Subject) name(symbol string) (pkg, name string) {
	pkg = profile.PackagePath(symbol)
	name = strings.ReplaceAll(profile.Generic(symbol), "[...]", "")
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	_, name, _ = strings.Cut(name, ".")
	if pkg == "main" && s.Main {
		pkg = s.Package
	}
	return pkg, name
}

// has reports whether a frame is of the function or of a literal in it.
func (s *Subject) has(symbol string) bool {
	pkg, name := s.name(symbol)
	return pkg == s.Package && (name == s.Symbol || strings.HasPrefix(name, s.Symbol+".") || name == s.Symbol+"-fm")
}

// own reports whether a package is part of the module.
func (s *Subject) own(pkg string) bool {
	return pkg == s.Module || strings.HasPrefix(pkg, s.Module+"/")
}

// Of returns how a CPU profile distributes the time below the outermost call of the function.
// It has no samples if the profile has none below the function, is no CPU profile, or does not know
// where functions begin.
func (s *Subject) Of(p *profile.Profile) (Shape, error) {
	out := Shape{parts: map[spot]float64{}}
	cpu, noCPU := p.TypeIndex("cpu")
	count, noCount := p.TypeIndex("samples")
	if noCPU != nil || noCount != nil {
		return Shape{}, nil
	}
	v, err := p.View(profile.Query{Type: cpu})
	if err != nil {
		return Shape{}, err
	}
	total := 0.0
	for stack := range v.Stacks() {
		at, known := s.spotOf(p, stack.Lines)
		if !known || stack.Value <= 0 {
			continue
		}
		if at.line < 0 {
			return Shape{}, nil
		}
		out.parts[at] += float64(stack.Value)
		total += float64(stack.Value)
		out.Samples += p.Value(stack.Sample, count)
	}
	for at := range out.parts {
		out.parts[at] /= total
	}
	return out, nil
}

// spotOf returns where a stack, leaf first, spends time below the function; ok is false if it is not
// in it. The line is negative if the profile does not know where the function begins.
func (s *Subject) spotOf(p *profile.Profile, lines []uint32) (at spot, ok bool) {
	function := func(i int) *profile.Function {
		if f := p.Lines[lines[i]].Function; f != profile.None {
			return &p.Functions[f]
		}
		return &profile.Function{}
	}
	root := len(lines) - 1
	for root >= 0 && !s.has(function(root).Name) {
		root--
	}
	for i := range root + 1 {
		f := function(i)
		pkg, name := s.name(f.Name)
		if !s.own(pkg) {
			continue
		}
		at = spot{function: pkg + "." + name, line: int64(p.Lines[lines[i]].Line) - f.StartLine}
		if f.StartLine == 0 {
			at.line = -1
		}
		if i > 0 {
			if pkg, name := s.name(function(i - 1).Name); !isRuntime(pkg) {
				at.calls = pkg + "." + name
			}
		}
		return at, true
	}
	return spot{}, false
}

// isRuntime reports whether a package is part of the runtime, whose functions say little about the
// path: the same line may allocate, copy or be interrupted.
func isRuntime(pkg string) bool {
	return pkg == "" || pkg == "runtime" || strings.HasPrefix(pkg, "runtime/") || strings.HasPrefix(pkg, "internal/")
}

// Similarity returns how much two distributions have in common: from 0 to 1, the sum of the smaller
// share of each spot.
func Similarity(a, b Shape) float64 {
	sum := 0.0
	for at, share := range a.parts {
		sum += min(share, b.parts[at])
	}
	return sum
}
