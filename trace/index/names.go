package index

import "encoding/binary"

// names gives numbers to texts. 0 is "".
type names struct {
	all    []string
	byText map[string]uint32
}

// maxNames bounds the texts: logs and labels may have any.
const maxNames = 4 << 20

func newNames() names { return names{all: []string{""}, byText: map[string]uint32{"": 0}} }

// of is a text's number. Those that are too many share one that says so.
func (n *names) of(text string) uint32 {
	if id, ok := n.byText[text]; ok {
		return id
	}
	if len(n.all) >= maxNames {
		text = "(one of too many texts)"
		if id, ok := n.byText[text]; ok {
			return id
		}
	}
	id := uint32(len(n.all))
	n.all, n.byText[text] = append(n.all, text), id
	return id
}

func (n *names) encode(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(n.all)))
	for _, text := range n.all {
		b = appendString(b, text)
	}
	return b
}
