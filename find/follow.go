package find

import (
	"fmt"

	"github.com/whet-go/whet/internal/find/module"
	"github.com/whet-go/whet/internal/find/patterns"
	"github.com/whet-go/whet/internal/find/successors"
)

// follow moves what is charged to lines of the original source to the lines that took their place.
// An unchanged line keeps its charge, wherever it moved. The cost of changed lines is divided
// evenly among the lines that replaced them, and matches every pattern, because it is not known yet
// what they call. Deleted lines are dropped.
func follow(places map[sourceLine]charges, was, now *module.Module) (map[sourceLine]charges, error) {
	files := map[string]*successors.Lines{}
	followed := map[sourceLine]charges{}
	for at, c := range places {
		s, ok := files[at.file]
		if !ok {
			before, err := was.Read(at.file)
			if err != nil {
				return nil, fmt.Errorf("read %s as it was: %w", at.file, err)
			}
			after, err := now.Read(at.file)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", at.file, err)
			}
			s = successors.Of(before, after)
			files[at.file] = s
		}
		lines, same := s.Of(at.line)
		for _, line := range lines {
			to := sourceLine{at.file, line}
			if followed[to] == nil {
				followed[to] = charges{}
			}
			for cost, accounts := range c {
				for _, a := range accounts {
					if !same {
						a = a.part(len(lines))
					}
					followed[to][cost] = append(followed[to][cost], a)
				}
			}
		}
	}
	return followed, nil
}

// part returns one of n equal parts of an account, with unknown callees.
func (a *account) part(n int) *account {
	value := a.value / int64(n)
	return &account{function: a.function, value: value, matched: map[patterns.Mask]int64{patterns.Unknown(): value}}
}
