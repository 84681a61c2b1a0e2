package effects

import (
	"fmt"
	"go/types"
	"slices"
)

// Visible is why an effect is open whose declaration other modules can import.
const Visible = "other modules can use it"

// An Effect is what a changed declaration does outside of functions that are called in its package. All
// functions that use an exported constant, variable or type must be called, wherever they are.
type Effect struct {
	Name   string // "const Limit", or of a function
	Most   int    // functions that are called for it
	Called int
	// Left are functions that use it, and are neither called nor have callers that are, because of Most.
	Left int
	// All is set if all functions that use it must be called, instead of any.
	All bool
	// Declared is set for an exported constant, variable or type that has changed itself. If it only uses what
	// has changed, it is not.
	Declared bool
	// Open is why other modules may see a difference that no call shows; "" if none is known.
	Open string
}

// A LooseEnd is a function that cannot be called, in place of which its callers in other packages may be.
type LooseEnd struct {
	Err    error // why it was not compared
	Called bool  // one of its callers was
}

// A Use is a declaration through which other packages see an effect.
type Use struct {
	*Effect
	Obj   types.Object   // of the old version
	Route []types.Object // from what has changed to before Obj
	// End is set if calling any function that uses Obj is enough; if it is nil, all must be.
	End *LooseEnd
}

// A Set is the effects of a change of a package.
type Set struct {
	Effects     []*Effect
	Uses        []Use // to look for in other packages
	Ends        []*LooseEnd
	Equal       map[string]bool // names of declarations whose values are equal, and which have no effect
	NotCompared []string        // what was not compared, and why
}

// NotComparedf adds what was not compared, formatted as fmt.Sprintf does.
func (s *Set) NotComparedf(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(s.NotCompared, text) {
		s.NotCompared = append(s.NotCompared, text)
	}
}

// Unproven returns what was not compared.
func (s *Set) Unproven() (not []string) {
	for _, e := range s.Effects {
		if e.Left > 0 && e.All {
			not = append(not, fmt.Sprintf("%s cannot be compared: %d functions use it, and %d of them were called", e.Name,
				e.Called+e.Left, e.Called))
		}
		switch {
		case e.Open == "":
		case !e.Declared:
			not = append(not, e.Name+" uses what has changed, and "+e.Open)
		case e.All && e.Called == 0:
			not = append(not, e.Name+" cannot be compared: no function that can be called uses it, and "+e.Open)
		}
	}
	for _, end := range s.Ends {
		if why := end.Err.Error(); !end.Called && !slices.Contains(not, why) {
			not = append(not, why)
		}
	}
	return append(not, s.NotCompared...)
}

// Outside returns the exported constants, variables and types that have changed, by name, with why other
// modules are not known to see the same; "" if they are.
func (s *Set) Outside() map[string]string {
	all := map[string]string{}
	for name := range s.Equal {
		all[name] = ""
	}
	for _, e := range s.Effects {
		if e.Declared {
			all[e.Name] = e.Open
		}
	}
	return all
}
