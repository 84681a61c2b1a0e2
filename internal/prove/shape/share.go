package shape

import "github.com/whet-go/whet/profile"

// Share returns the share of a CPU profile's time that is spent below calls of any of the functions, and the number
// of samples there. Both are 0 if it is no CPU profile.
func Share(p *profile.Profile, of []*Subject) (share float64, samples int64, err error) {
	cpu, noCPU := p.TypeIndex("cpu")
	count, noCount := p.TypeIndex("samples")
	if noCPU != nil || noCount != nil {
		return 0, 0, nil
	}
	v, err := p.View(profile.Query{Type: cpu})
	if err != nil {
		return 0, 0, err
	}
	below, total := 0.0, 0.0
	for stack := range v.Stacks() {
		if stack.Value <= 0 {
			continue
		}
		total += float64(stack.Value)
		if within(p, stack.Lines, of) {
			below += float64(stack.Value)
			samples += p.Value(stack.Sample, count)
		}
	}
	if total == 0 {
		return 0, 0, nil
	}
	return below / total, samples, nil
}

// within reports whether a stack has a frame of one of the functions.
func within(p *profile.Profile, lines []uint32, of []*Subject) bool {
	for _, line := range lines {
		f := p.Lines[line].Function
		if f == profile.None {
			continue
		}
		for _, s := range of {
			if s.has(p.Functions[f].Name) {
				return true
			}
		}
	}
	return false
}
