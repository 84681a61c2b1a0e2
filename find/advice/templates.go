package advice

import (
	"fmt"

	"github.com/whet-go/whet/internal/find/syntax"
)

// parsedPerCall finds templates that are parsed while requests are answered, or in loops. A loop of a program's start
// parses each template once.
func parsedPerCall(e *evidence) []Advice {
	type sum struct {
		cost
		callee string
	}
	sums := map[syntax.Line]*sum{}
	server := false
	for s := range e.costs {
		server = server || s.served
	}
	for s, c := range e.costs {
		if s.below&parses == 0 {
			continue
		}
		if !s.served {
			if _, loop := e.code.Loop(s.own[0]); loop == nil || s.init || s.main && server {
				continue
			}
		}
		one := sums[s.own[0]]
		if one == nil {
			one = &sum{}
			sums[s.own[0]] = one
		}
		one.add(c)
		one.callee = s.callee
	}
	var all []Advice
	for _, at := range sortedKeys(sums, func(l syntax.Line) syntax.Line { return l }) {
		s := sums[at]
		if !e.large(s.cost) {
			continue
		}
		share, of, costs := e.of(s.cost)
		all = append(all, Advice{
			Kind: ParsedPerCall, Title: "template parsed on each call", Place: e.place(at, ""), Share: share, Of: of,
			Evidence: fmt.Sprintf("%s takes %s, and the first execution of a new template some more",
				short(s.callee), costs),
			Do: "parse once at the start and keep the *Template, which is safe for concurrent use; where files change " +
				"while the program runs, parse again only when they have",
		})
	}
	return all
}
