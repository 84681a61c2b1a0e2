package recorded

import (
	"slices"

	"github.com/whet-go/whet/goroutines"
	"github.com/whet-go/whet/profile"
)

// readGrowth reads what the heap gained, and the goroutines at both ends of the window. Several
// recordings are of several processes, whose growth cannot be added up, so only a single one is
// read. Parts that are missing or damaged are left out: they are evidence for advice only.
func (p *Program) readGrowth() {
	if p.Recording == nil || len(p.Opened) != 1 {
		return
	}
	names := p.Recording.ProfileNames()
	read := func(name string) *profile.Profile {
		if !slices.Contains(names, name) {
			return nil
		}
		one, err := p.Recording.Profile(name)
		if err != nil {
			p.warn(err)
			return nil
		}
		return one
	}
	snapshot := func(name string) *goroutines.Snapshot {
		one := read(name)
		if one == nil {
			return nil
		}
		s, err := goroutines.FromProfile(one, goroutines.Options{Name: name})
		if err != nil {
			p.warn(err)
			return nil
		}
		return s
	}
	meta := p.Recording.Meta()
	p.Profiles.Window = meta.Duration
	p.Profiles.Heap = read("heap")
	if p.Profiles.Goroutines = snapshot("goroutine"); p.Profiles.Goroutines == nil {
		return
	}
	if leak := snapshot("goroutineleak"); leak != nil {
		p.Profiles.Goroutines.MarkLeaks(leak)
	}
	if start := snapshot("goroutine.start"); start != nil {
		p.Profiles.Goroutines.CompareWith(start)
	}
}
