package find

// Charged is what profiles charge to the lines of a module.
type Charged struct {
	Module string // path
	Dir    string
	Totals []Total
	Stale  []Stale

	f *finder
}

// Charge charges what profiles show to the lines of a module, as Find does, and looks for no causes.
func Charge(p Profiles, o Options) (*Charged, error) {
	f, err := newFinder(p, o)
	if err != nil {
		return nil, err
	}
	return &Charged{Module: f.m.path, Dir: f.m.dir, Totals: f.result.Totals, Stale: f.result.Stale, f: f}, nil
}

// Line is what the profiles charge to a line of a file, whose path is relative to the module with
// slashes; nil when they charge nothing. cost is its share of the CPU time, with the collector's
// share of what it allocates.
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

// ModuleOf returns the path and the root of the module that dir lies in.
func ModuleOf(dir string) (path, root string, err error) {
	m, err := findModule(dir)
	if err != nil {
		return "", "", err
	}
	return m.path, m.dir, nil
}
