package profile

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// A stack is stored as its location indices, leaf first, in little-endian numbers of one width: the
// least number of bytes, 1 to 4, that fits its largest. So stacks take half the memory of uint32s,
// equal stacks are equal bytes until they are cut, and each index is one unaligned load and a mask:
//
//	pieces   | 07 01 | 2c 01 | 00 00 | 05 | 09 | …       two stacks, of width 2 and 1
//	stackRef | address 38 bits | depth 24 bits | width-1, 2 bits |
//
// An address is the number of a piece and an offset in it. A stack lies within one piece.
const (
	pieceBits = 20 // bits of an address for the offset in a piece
	depthBits = 24
	widthBits = 2

	maxDepth     = 1<<depthBits - 1
	maxAddresses = 1 << (64 - depthBits - widthBits)

	firstPiece = 1 << 10
	// piecePad is how far a load reads beyond a stack, at most.
	piecePad = 16
)

// checkDepth returns an error for stacks that are too deep to be stored.
func checkDepth(n int) error {
	if n > maxDepth {
		return fmt.Errorf("a stack of %d frames; the limit is %d", n, maxDepth)
	}
	return nil
}

// A stackRef is where and how a stack is stored.
type stackRef uint64

func (r stackRef) address() uint64 { return uint64(r >> (depthBits + widthBits)) }
func (r stackRef) depth() int      { return int(r>>widthBits) & maxDepth }
func (r stackRef) width() int      { return int(r)&(1<<widthBits-1) + 1 }

// form returns what two equal stacks have in common in addition to their bytes.
func (r stackRef) form() uint64 { return uint64(r) & (1<<(depthBits+widthBits) - 1) }

// from removes the n innermost locations.
func (r stackRef) from(n int) stackRef {
	return r + stackRef(n*r.width())<<(depthBits+widthBits) - stackRef(n)<<widthBits
}

// upTo keeps the n innermost locations.
func (r stackRef) upTo(n int) stackRef {
	return r&^(maxDepth<<widthBits) | stackRef(n)<<widthBits
}

// stackPieces stores the bytes of stacks.
type stackPieces struct {
	// pieces have at most 1<<pieceBits bytes each. A longer one, made for one stack, takes several
	// entries in the list, each beginning that much later in it, so that addresses have no
	// exceptions.
	pieces [][]byte
	free   []byte // rest of the last piece
	at     uint64 // address of free
	size   int    // of all pieces, in bytes
}

// put writes a stack, whose largest index is most, after the others. The next one overwrites it
// unless it is kept.
func (s *stackPieces) put(ids []uint32, most uint32) stackRef {
	width := max(1, (bits.Len32(most)+7)/8)
	if need := len(ids)*width + piecePad; need > len(s.free) {
		s.grow(need)
	}
	b := s.free
	for i, id := range ids {
		binary.LittleEndian.PutUint32(b[i*width:], id) // the next one overwrites its zeros
	}
	return stackRef(s.at<<depthBits|uint64(len(ids)))<<widthBits | stackRef(width-1)
}

// keep keeps the stack that was put last.
func (s *stackPieces) keep(r stackRef) {
	n := r.depth() * r.width()
	s.free = s.free[n:]
	s.at += uint64(n)
}

// grow adds a piece of at least n bytes. Pieces get larger as there are more.
func (s *stackPieces) grow(n int) {
	s.at = uint64(len(s.pieces)) << pieceBits
	s.free = make([]byte, max(n, min(1<<pieceBits, firstPiece+s.size)))
	s.size += len(s.free)
	for b := s.free; ; b = b[1<<pieceBits:] {
		s.pieces = append(s.pieces, b)
		if len(b) <= 1<<pieceBits {
			break
		}
	}
	s.check()
}

// adopt takes over the stacks of o, which must not be used any more, and returns what to add to
// references to them.
func (s *stackPieces) adopt(o *stackPieces) stackRef {
	moved := stackRef(len(s.pieces)) << (pieceBits + depthBits + widthBits)
	s.pieces = append(s.pieces, o.pieces...)
	s.size += o.size
	s.check()
	return moved
}

// check panics if addresses are too short.
func (s *stackPieces) check() {
	if uint64(len(s.pieces))<<pieceBits > maxAddresses {
		panic("profile: more than 256 GiB of stacks")
	}
}

// bytes returns the encoded stack, and what follows it.
func (s *stackPieces) bytes(r stackRef) []byte {
	at := r.address()
	return s.pieces[at>>pieceBits][at&(1<<pieceBits-1):]
}

// stack returns a stack for reading.
func (s *stackPieces) stack(r stackRef) stack {
	return stack{s.bytes(r), int32(r.depth()), int32(r.width())}
}

// stack is one stack.
type stack struct {
	ids   []byte // longer than the stack by piecePad at least
	depth int32
	width int32
}

func (s stack) mask() uint32 { return math.MaxUint32 >> (32 - 8*s.width) }

// at returns the location index at depth j, of which 0 is the leaf.
func (s stack) at(j int) uint32 {
	return binary.LittleEndian.Uint32(s.ids[j*int(s.width):]) & s.mask()
}

// window is windowSize bytes of a stack.
type window struct{ low, high uint64 }

const windowSize = 16

// innermost returns the window whose lowest bytes are the leaf.
func (s stack) innermost() window {
	return window{binary.LittleEndian.Uint64(s.ids), binary.LittleEndian.Uint64(s.ids[8:])}
}

// outermost returns the window whose highest bytes are the root.
func (s stack) outermost() window {
	n := int(s.depth * s.width)
	if n >= windowSize {
		s.ids = s.ids[n-windowSize:]
		return s.innermost()
	}
	w := s.innermost()
	if n <= 8 {
		return window{high: w.low << (64 - 8*n)}
	}
	return window{w.low << (128 - 8*n), w.high<<(128-8*n) | w.low>>(8*n-64)}
}

// appendTo appends all location indices to dst.
func (s stack) appendTo(dst []uint32) []uint32 {
	n := len(dst)
	dst = slices.Grow(dst, int(s.depth))[:n+int(s.depth)]
	b, width, mask := s.ids, int(s.width), s.mask()
	for out := dst[n:]; len(out) > 0; out = out[2:] {
		two := binary.LittleEndian.Uint64(b)
		out[0] = uint32(two) & mask
		if len(out) == 1 {
			break
		}
		out[1] = uint32(two>>(8*width&63)) & mask
		b = b[2*width:]
	}
	return dst
}

// rewrite replaces the stacks of refs, in order, by what edit makes of them. refs must be as put
// made them, in their order; it frees the pieces that it has read.
func (s *stackPieces) rewrite(refs []stackRef, edit func(i int, ids []uint32) error) error {
	old := s.pieces
	*s = stackPieces{}
	done := 0
	var ids []uint32
	for i, r := range refs {
		for piece := int(r.address() >> pieceBits); done < piece; done++ {
			old[done] = nil
		}
		from := stackPieces{pieces: old}
		ids = from.stack(r).appendTo(ids[:0])
		if err := edit(i, ids); err != nil {
			return err
		}
		most := uint32(0)
		for _, id := range ids {
			most = max(most, id)
		}
		refs[i] = s.put(ids, most)
		s.keep(refs[i])
	}
	return nil
}

// stack returns sample i's stack.
func (p *Profile) stack(i int) stack { return p.pieces.stack(p.stacks[i]) }
