package find

// Charged is what profiles charge to the lines of a module.
type Charged struct {
	Module string // module path
	Dir    string
	Totals []Total
	Stale  []Stale

	f *finder
}

// Charge charges profiles to the lines of a module, as Find does, without looking for causes.
func Charge(p Profiles, o Options) (*Charged, error) {
	f, err := newFinder(p, o)
	if err != nil {
		return nil, err
	}
	return &Charged{Module: f.m.path, Dir: f.m.dir, Totals: f.result.Totals, Stale: f.result.Stale, f: f}, nil
}

// Line returns what the profiles charge to a line of a file, or nil. The file's path is relative to
// the module, with slashes. cost is the line's share of the CPU time, including the collector's
// share for what it allocates.
func (c *Charged) Line(file string, line int) (evidence []Evidence, cost float64) {
	accounts := c.f.places[place{file, line}]
	for _, l := range c.f.ledgers {
		e := Evidence{Cost: l.cost}
		for _, a := range accounts[l.cost] {
			e.Value += a.value
		}
		if e.Value != 0 {
			e.Share = share(e.Value, l.total)
			evidence = append(evidence, e)
		}
	}
	return evidence, c.f.saving(evidence)
}

// ModuleOf returns the path and the root of the module that contains dir.
func ModuleOf(dir string) (path, root string, err error) {
	m, err := findModule(dir)
	if err != nil {
		return "", "", err
	}
	return m.path, m.dir, nil
}
