package indexer

import "github.com/whet-go/whet/trace/stacks"

// names assigns numbers to texts. 0 is "".
type names struct {
	all    []string
	byText map[string]uint32
	given  int // texts from the traced program
	bytes  int // total length of these
}

// Limits of texts from the traced program: types of tasks and regions, categories of logs. Some
// programs put a number into each, so that every text is new.
const (
	maxGiven      = 1 << 16
	maxGivenBytes = 8 << 20
)

// tooMany replaces texts beyond a limit.
const tooMany = "(one of too many)"

func newNames() names { return names{all: []string{""}, byText: map[string]uint32{"": 0}} }

// user returns the number of a text from the traced program. Those beyond the limits share one.
func (n *names) user(text string) uint32 {
	text = stacks.Name(text)
	if id, ok := n.byText[text]; ok {
		return id
	}
	if n.given >= maxGiven || n.bytes+len(text) > maxGivenBytes {
		return n.of(tooMany)
	}
	n.given++
	n.bytes += len(text)
	return n.of(text)
}

// of returns the number of a text from the runtime or the table of stacks, of which there are few.
func (n *names) of(text string) uint32 {
	if id, ok := n.byText[text]; ok {
		return id
	}
	id := uint32(len(n.all))
	n.all, n.byText[text] = append(n.all, text), id
	return id
}
