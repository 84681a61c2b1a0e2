package profile

import (
	"regexp"
	"slices"
)

// InlinedInto returns the names of at most limit functions into which functions that match pattern were inlined.
func (p *Profile) InlinedInto(pattern *regexp.Regexp, limit int) []string {
	var callers []string
	for i := range p.Locations {
		frames := p.Frames(uint32(i))
		outer := frames[len(frames)-1].Function
		for _, f := range frames[:len(frames)-1] {
			if f.Function == None || outer == None || !pattern.MatchString(p.Functions[f.Function].Name) {
				continue
			}
			if name := p.Functions[outer].Name; len(callers) < limit && !slices.Contains(callers, name) {
				callers = append(callers, name)
			}
		}
	}
	return callers
}
