package repeated

import (
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// Generators returns the generators of the package.
func Generators() []*sites.Generator {
	return []*sites.Generator{
		tableGenerator(),
		lookupGenerator(),
		entryGenerator(),
		invariantGenerator(),
		recomputeGenerator(),
		loadGenerator(),
		rowGenerator(),
		closureGenerator(),
		renderedGenerator(),
		resultsGenerator(),
		matchesGenerator(),
	}
}

// A site is a hot line, with what several generators of the package need.
type site struct{ *sites.Site }

type proposal = sites.Proposal

// visit makes a generator's function of one that takes a site.
func visit(propose func(*site) []proposal) func(*sites.Site) []proposal {
	return func(at *sites.Site) []proposal { return propose(&site{at}) }
}
