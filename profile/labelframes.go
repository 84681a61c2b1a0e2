package profile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/whet-go/whet/unit"
)

// LabelFrames returns p with a frame for each key's value of a sample's labels: those of roots
// outside the outermost frame, the first key outermost; those of leaves inside the innermost, the
// last key innermost. A frame is named after its value, several values joined by commas, or "(no
// KEY)", and its file is the key. Numbers are written in the unit to, or with "" in the one that
// suits each. This corresponds to go tool pprof's -tagroot and -tagleaf, which leave the name of a
// missing value empty.
//
// unmatched lists the keys that no sample has. p is not changed; the two share what they have in
// common.
func (p *Profile) LabelFrames(roots, leaves []string, to string) (q *Profile, unmatched []string, err error) {
	c := *p
	q = &c
	b := &labelFramer{
		p: q, to: cmp.Or(to, "auto"), locations: make(map[[2]string]uint32), matched: make(map[string]bool),
	}
	q.Functions, q.Lines = slices.Clip(p.Functions), slices.Clip(p.Lines)
	q.Locations, q.keys = slices.Clip(p.Locations), slices.Clip(p.keys)
	q.stacks, q.pieces = make([]stackRef, len(p.stacks)), stackPieces{}
	var stack []uint32
	for i := range p.stacks {
		labels := p.Labels(i)
		stack = stack[:0]
		for _, key := range slices.Backward(leaves) {
			stack = append(stack, b.location(key, labels))
		}
		stack = p.stack(i).appendTo(stack)
		for _, key := range slices.Backward(roots) {
			stack = append(stack, b.location(key, labels))
		}
		if err := checkDepth(len(stack)); err != nil {
			return nil, nil, err
		}
		most := uint32(0)
		for _, loc := range stack {
			most = max(most, loc)
		}
		q.stacks[i] = q.pieces.put(stack, most)
		q.pieces.keep(q.stacks[i])
	}
	q.labelFunctions += len(q.Functions) - len(p.Functions)
	for _, key := range slices.Concat(roots, leaves) {
		if !b.matched[key] && !slices.Contains(unmatched, key) {
			unmatched = append(unmatched, key)
		}
	}
	return q, unmatched, nil
}

// labelFramer creates the locations that represent labels.
type labelFramer struct {
	p         *Profile
	to        string               // unit of numbers
	locations map[[2]string]uint32 // by name and key
	matched   map[string]bool      // keys that some sample has
}

// location returns the location that represents a key's values among a sample's labels.
func (b *labelFramer) location(key string, labels []Label) uint32 {
	name := b.name(key, labels)
	loc, ok := b.locations[[2]string{name, key}]
	if ok {
		return loc
	}
	p := b.p
	loc = uint32(len(p.Locations))
	b.locations[[2]string{name, key}] = loc
	line := Line{Function: uint32(len(p.Functions))}
	p.Functions = append(p.Functions, Function{Name: name, SystemName: name, File: key})
	p.Locations = append(p.Locations, Location{Mapping: None, First: uint32(len(p.Lines)), Num: 1})
	p.Lines = append(p.Lines, line)
	if p.keys != nil {
		p.keys = append(p.keys, functionKey(&p.Functions[line.Function]).and(stringKey("label")))
	}
	return loc
}

// name joins a key's values: the texts, then the numbers.
func (b *labelFramer) name(key string, labels []Label) string {
	var texts, numbers []string
	units := slices.ContainsFunc(labels, func(l Label) bool { return l.Key == key && l.Numeric && l.Unit != "" })
	for _, l := range labels {
		switch {
		case l.Key != key:
		case !l.Numeric:
			texts = append(texts, l.Str)
		case units:
			numbers = append(numbers, unit.Of(l.Num, l.Unit).In(b.to))
		default:
			numbers = append(numbers, unit.Count(l.Num).String())
		}
	}
	if len(texts)+len(numbers) == 0 {
		return "(no " + key + ")"
	}
	b.matched[key] = true
	return strings.Join(append(texts, numbers...), ",")
}
