package profile

import "regexp"

// Below sums a value, by the index of its sample type, over the samples with a function in their
// stacks that matches: what these functions and all that they call cost.
func (p *Profile) Below(typ int, functions *regexp.Regexp) (sum int64) {
	matches := make([]bool, len(p.Functions))
	for i, f := range p.Functions {
		matches[i] = functions.MatchString(f.Name)
	}
	var stack []uint32
	for i := range p.NumSamples() {
		stack = p.AppendStack(stack[:0], i)
	frames:
		for _, loc := range stack {
			for _, ln := range p.Frames(loc) {
				if ln.Function != None && matches[ln.Function] {
					sum += p.Value(i, typ)
					break frames
				}
			}
		}
	}
	return sum
}
