package shape

import "github.com/whet-go/whet/profile"

// Other returns the share of a CPU profile's time below calls of any of the functions that is in packages which another
// profile, of the same functions, does not have below them. Such time is in what the functions were passed, as the
// writer of a server where a benchmark has one that only notes what is written.
func Other(p, like *profile.Profile, of []*Subject) (share float64, err error) {
	cpu, noCPU := p.TypeIndex("cpu")
	if noCPU != nil {
		return 0, nil
	}
	known := map[string]bool{}
	err = below(like, of, func(_ int64, packages []string) {
		for _, pkg := range packages {
			known[pkg] = true
		}
	})
	if err != nil {
		return 0, err
	}
	other := 0.0
	err = below(p, of, func(value int64, packages []string) {
		for _, pkg := range packages {
			if !known[pkg] {
				other += float64(value)
				return
			}
		}
	})
	total := 0.0
	for i := range p.NumSamples() {
		total += float64(max(p.Value(i, cpu), 0))
	}
	if err != nil || total == 0 {
		return 0, err
	}
	return other / total, nil
}

// below calls yield with the CPU time of each stack that has one of the functions, and the packages below the outermost
// of them, without those of the runtime.
func below(p *profile.Profile, of []*Subject, yield func(value int64, packages []string)) error {
	cpu, err := p.TypeIndex("cpu")
	if err != nil {
		return nil //nolint:nilerr // it is no CPU profile, and has no such time
	}
	v, err := p.View(profile.Query{Type: cpu})
	if err != nil {
		return err
	}
	var packages []string
	for stack := range v.Stacks() {
		root := len(stack.Lines) - 1
		for root >= 0 && !within(p, stack.Lines[root:root+1], of) {
			root--
		}
		if root < 0 || stack.Value <= 0 {
			continue
		}
		packages = packages[:0]
		for _, line := range stack.Lines[:root] {
			if f := p.Lines[line].Function; f != profile.None {
				if pkg := profile.PackagePath(p.Functions[f].Name); !isRuntime(pkg) {
					packages = append(packages, pkg)
				}
			}
		}
		yield(stack.Value, packages)
	}
	return nil
}
