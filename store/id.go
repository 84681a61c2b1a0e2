package store

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/whet-go/whet/profile"
)

// NewID returns the ID of a profile: the first half of the SHA-256 of the digests of all that p has
// except comments, documentation and the placement of mappings in memory. The order of samples, locations
// and labels does not matter, so a translator may build the profile in any order. Digests are XXH3, 128
// bits: who may write as a service could make two profiles of it with one ID, of which one is stored.
func NewID(p *Profile) ID {
	h := hasher{p: p.Data}
	h.text(p.Service)
	h.text(p.Kind)
	h.number(uint64(len(p.Labels)))
	for _, l := range p.Labels {
		h.text(l.Name)
		h.text(l.Value)
	}
	h.number(uint64(p.Start.UnixNano()))
	h.number(uint64(p.Duration))
	d := p.Data
	h.number(uint64(len(d.SampleTypes)))
	for _, t := range append(slices.Clip(d.SampleTypes), d.PeriodType) {
		h.text(t.Type)
		h.text(t.Unit)
	}
	h.number(uint64(d.Period))
	head := h.sum()
	samples := h.samples()
	all := make([]byte, 0, len(head)*(1+len(samples)))
	all = append(all, head[:]...)
	for _, s := range samples {
		all = append(all, s[:]...)
	}
	return idOf(all)
}

func idOf(b []byte) ID {
	sum := sha256.Sum256(b)
	return ID(sum[:len(ID{})])
}

// A digest is what identifies a part of a profile.
type digest [16]byte

func digestOf(b []byte) digest { return xxh3.Hash128(b).Bytes() }

// hasher writes one part after another to buf.
type hasher struct {
	p   *profile.Profile
	buf []byte

	mappings, functions, locations []digest
}

func (h *hasher) text(s string) {
	h.number(uint64(len(s)))
	h.buf = append(h.buf, s...)
}

func (h *hasher) number(x uint64) { h.buf = binary.AppendUvarint(h.buf, x) }

// sum ends a part.
func (h *hasher) sum() digest {
	d := digestOf(h.buf)
	h.buf = h.buf[:0]
	return d
}

// samples returns the digests of all samples, in order.
func (h *hasher) samples() []digest {
	p := h.p
	h.mappings = make([]digest, len(p.Mappings))
	for i, m := range p.Mappings {
		const page = 0x1000
		h.number((m.Limit - m.Start + page - 1) / page)
		h.number(m.Offset)
		if m.BuildID != "" {
			h.text(m.BuildID)
		} else {
			h.text(m.File)
		}
		h.mappings[i] = h.sum()
	}
	out := make([]digest, p.NumSamples())
	var stack []uint32
	var sample []byte
	// Functions and locations are digested in the order of memory: in that of the stacks, it takes twice the time.
	locations, functions := make([]bool, len(p.Locations)), make([]bool, len(p.Functions))
	for i := range out {
		stack = p.AppendStack(stack[:0], i)
		for _, loc := range stack {
			locations[loc] = true
		}
	}
	for i, used := range locations {
		if !used {
			continue
		}
		for _, line := range p.Frames(uint32(i)) { //nolint:gosec // the number of a location
			if line.Function != profile.None {
				functions[line.Function] = true
			}
		}
	}
	h.functions = make([]digest, len(p.Functions))
	for i, used := range functions {
		if used {
			f := &p.Functions[i]
			h.text(f.Name)
			h.text(f.SystemName)
			h.text(f.File)
			h.number(uint64(f.StartLine))
			h.functions[i] = h.sum()
		}
	}
	h.locations = make([]digest, len(p.Locations))
	for i, used := range locations {
		if used {
			h.locations[i] = h.location(uint32(i)) //nolint:gosec // the number of a location
		}
	}
	for i := range out {
		stack = p.AppendStack(stack[:0], i)
		sample = binary.AppendUvarint(sample[:0], uint64(len(stack)))
		for _, loc := range stack {
			sample = append(sample, h.locations[loc][:]...)
		}
		labels := p.Labels(i)
		slices.SortFunc(labels, func(a, b profile.Label) int {
			return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Str, b.Str), cmp.Compare(a.Num, b.Num),
				cmp.Compare(a.Unit, b.Unit))
		})
		h.number(uint64(len(labels)))
		for _, l := range labels {
			h.text(l.Key)
			h.text(l.Str)
			h.number(uint64(l.Num))
			h.text(l.Unit)
		}
		for t := range p.SampleTypes {
			h.number(uint64(p.Value(i, t)))
		}
		sample = append(sample, h.buf...)
		h.buf = h.buf[:0]
		out[i] = digestOf(sample)
	}
	slices.SortFunc(out, func(a, b digest) int { return bytes.Compare(a[:], b[:]) })
	return out
}

func (h *hasher) location(i uint32) digest {
	p, l := h.p, &h.p.Locations[i]
	address := l.Address
	if l.Mapping != profile.None {
		address -= p.Mappings[l.Mapping].Start
		h.buf = append(h.buf, h.mappings[l.Mapping][:]...)
	}
	h.number(address)
	if l.Folded {
		h.number(1)
	}
	for _, line := range p.Frames(i) {
		if line.Function != profile.None {
			h.buf = append(h.buf, h.functions[line.Function][:]...)
		}
		h.number(uint64(uint32(line.Line)))
		h.number(uint64(uint32(line.Column)))
	}
	return h.sum()
}
