package memory

import (
	"golang.org/x/tools/go/analysis"

	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// Generators returns the generators of the package.
func Generators() []*sites.Generator {
	return []*sites.Generator{
		observedGenerator(),
		capacityGenerator(),
		stackGenerator(),
		boundsGenerator(),
		elementGenerator(),
		sortGenerator(),
		valueGenerator(),
		reuseGenerator(),
	}
}

// A site is a hot line, with what several generators of the package need.
type site struct{ *sites.Site }

// A proposal is a sites.Proposal.
type proposal struct {
	message string
	edits   []analysis.TextEdit
}

// visit makes a generator's function of one that takes a site.
func visit(propose func(*site) []proposal) func(*sites.Site) []sites.Proposal {
	return func(at *sites.Site) (list []sites.Proposal) {
		for _, p := range propose(&site{at}) {
			list = append(list, sites.Proposal{Message: p.message, Edits: p.edits})
		}
		return list
	}
}
