package profile

// Filtered returns the samples that the filters keep, with their visible frames, as a profile of all sample types: its
// views without filters have the costs of views with the query. Samples that become equal are added. The samples of a
// diff base (see Profile.IsBase) keep their negated values and get the label that Profile.Write gives them.
func (v *View) Filtered() (*Profile, error) {
	p := v.p
	b := NewBuilder(p.SampleTypes...)
	const unknown = None - 1
	locations := make([]uint32, len(p.Locations)) // None: no visible frame
	for i := range locations {
		locations[i] = unknown
	}
	locate := func(loc uint32) uint32 {
		if locations[loc] != unknown {
			return locations[loc]
		}
		l := &p.Locations[loc]
		var lines []Line
		for _, at := range v.frames[v.start[loc]:v.start[loc+1]] {
			if line := p.Lines[at]; line.Function != None {
				line.Function = b.Function(p.Functions[line.Function])
				lines = append(lines, line)
			}
		}
		locations[loc] = None
		if v.start[loc] < v.start[loc+1] {
			mapping := None
			if l.Mapping != None {
				mapping = b.Mapping(p.Mappings[l.Mapping])
			}
			locations[loc] = b.Location(l.Address, mapping, l.Folded, lines...)
		}
		return locations[loc]
	}
	var stack, kept []uint32
	values := make([]int64, len(p.SampleTypes))
	for k := range v.Samples() {
		i, packed := v.sample(k)
		stack, kept = packed.appendTo(stack[:0]), kept[:0]
		for _, loc := range stack {
			if at := locate(loc); at != None {
				kept = append(kept, at)
			}
		}
		labels := p.Labels(i)
		if p.IsBase(i) {
			labels = append(labels, Label{Key: "pprof::base", Str: "true"})
		}
		for t := range values {
			values[t] = p.values[t][i]
		}
		if err := b.Sample(kept, labels, values...); err != nil {
			return nil, err
		}
	}
	return b.Profile(p), nil
}
