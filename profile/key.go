package profile

import (
	"hash/maphash"
	"math/bits"
)

// A key identifies the content of a function, mapping or location: equal ones of different profiles
// have equal keys, and different ones differ, with a probability of collision of 2^-128 per pair.
// Merging compares keys alone, so it does not touch strings that are not in cache. The hash is
// seeded anew in each process, so collisions cannot be crafted.
type key [2]uint64

// seeds are those of this process: keys of all its profiles must agree.
//
//nolint:gochecknoglobals // a constant in all but the language's eyes: set once, never changed
var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func stringKey(s string) key {
	return key{maphash.String(seeds[0], s), maphash.String(seeds[1], s)}
}

// with adds a number to the content.
func (k key) with(x uint64) key {
	return key{mix(k[0], x), mix(k[1]^0xa0761d6478bd642f, bits.RotateLeft64(x, 29))}
}

// and adds the content of another key.
func (k key) and(o key) key {
	return key{mix(k[0], o[0]), mix(k[1]^0xa0761d6478bd642f, o[1])}
}

// mix is a multiply-fold hash step (as in wyhash).
func mix(h, x uint64) uint64 {
	hi, lo := bits.Mul64(h^0x9e3779b97f4a7c15, x^0xd6e8feb86659fd93)
	return hi ^ lo ^ bits.RotateLeft64(h, 23)
}

func functionKey(f *Function) key {
	k := stringKey(f.Name).and(stringKey(f.File)).with(uint64(f.StartLine))
	if f.SystemName != f.Name {
		k = k.and(stringKey(f.SystemName))
	}
	return k
}

// mappingKey is what identifies a mapping.
type mappingKey struct {
	size, offset uint64
	file         string // or build id
}

func (m *Mapping) key() mappingKey {
	const page = 0x1000
	k := mappingKey{(m.Limit - m.Start + page - 1) &^ (page - 1), m.Offset, m.File}
	if m.BuildID != "" {
		k.file = m.BuildID
	}
	return k
}

func (k mappingKey) key() key { return stringKey(k.file).with(k.size).with(k.offset) }

// locationKey extends place, the key of a location's address within its mapping.
func locationKey(place key, folded bool, lines []Line, functions []key) key {
	k := place
	if folded {
		k = k.with(1)
	}
	for _, l := range lines {
		k = k.with(uint64(uint32(l.Line)) | uint64(uint32(l.Column))<<32)
		if l.Function != None {
			k = k.and(functions[l.Function])
		}
	}
	return k
}

// computeKeys fills p.keys, for merging.
func (p *Profile) computeKeys() {
	functions := make([]key, len(p.Functions))
	for i := range p.Functions {
		functions[i] = functionKey(&p.Functions[i])
	}
	mappings := make([]key, len(p.Mappings))
	for i := range p.Mappings {
		mappings[i] = p.Mappings[i].key().key()
	}
	p.keys = make([]key, len(p.Locations))
	for i := range p.Locations {
		l := &p.Locations[i]
		k := key{}.with(l.Address)
		if l.Mapping != None {
			k = mappings[l.Mapping].with(l.Address - p.Mappings[l.Mapping].Start)
		}
		p.keys[i] = locationKey(k, l.Folded, p.Frames(uint32(i)), functions)
	}
}
