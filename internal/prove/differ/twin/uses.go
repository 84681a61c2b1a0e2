package twin

import (
	"fmt"
	"maps"
	"slices"
)

// A Use is lines of a function of a new version that use what has changed.
type Use struct {
	Function, File string // the base name of the file
	From, To       int
	What           string // has changed
	// Whole is set if the lines are the function's, because values of a type are used anywhere in them: then
	// half of the blocks must run, instead of one.
	Whole bool
}

// Uses is which lines that use what has changed the inputs have run.
type Uses struct {
	Coverage
	uses []Use // of the places
}

// UsedLines returns the lines of uses in a package with an import path.
func UsedLines(importPath string, uses []Use) *Uses {
	u := &Uses{Coverage: Coverage{Path: importPath}, uses: uses}
	for _, one := range uses {
		u.places = append(u.places, changedPlace{
			function: one.Function, file: one.File, from: one.From, to: one.To, blocks: map[string]bool{},
		})
	}
	return u
}

// Unreached says which uses no input has run.
func (u *Uses) Unreached() []string {
	not := map[string]bool{}
	for i, one := range u.uses {
		ran, all := u.places[i].count()
		where := fmt.Sprintf("%s in %s:%d", one.What, one.File, one.From)
		switch {
		case u.unknown:
			not[fmt.Sprintf("%s was not compared: it is unknown which of its lines the inputs reached", one.Function)] = true
		case all == 0: // it is used where nothing runs
		case !one.Whole && ran == 0:
			not[fmt.Sprintf("%s was not compared: no input reached its use of %s", one.Function, where)] = true
		case one.Whole && 2*ran < all:
			not[fmt.Sprintf("%s was not compared: inputs reached %d of its %d blocks, and it uses %s", one.Function, ran, all,
				one.What)] = true
		}
	}
	return slices.Sorted(maps.Keys(not))
}
