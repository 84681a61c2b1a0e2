// Package hashsum defines a rule: the digest of a hash, its encoding or its input is
// heap-allocated although its size is known.
//
// Sum(nil) allocates a digest whose length never changes, and EncodeToString allocates twice the
// text that it returns. Hashes have no WriteString: []byte(s) copies all of s to the heap if it
// is longer than 32 bytes, and io.WriteString makes the hash itself escape. A hash that does not
// escape its function stays on the stack, and so can its input and output.
//
// # Before
//
//	h := sha256.New()
//	h.Write([]byte(a))
//	h.Write([]byte(b))
//	return base64.StdEncoding.EncodeToString(h.Sum(nil))
//
// # After
//
//	var room [256]byte
//	h := sha256.New()
//	for _, text := range [...]string{a, b} {
//		for len(text) > 0 {
//			n := copy(room[:], text)
//			h.Write(room[:n])
//			text = text[n:]
//		}
//	}
//	var digest [sha256.Size]byte
//	var encoded [44]byte
//	return string(base64.StdEncoding.AppendEncode(encoded[:0], h.Sum(digest[:0])))
//
// # Evidence
//
// The allocation profile shows Sum and EncodeToString called from the line, or charges a
// conversion to the line itself. The CPU profile shows the runtime allocating for them; the cost
// of hashing itself remains.
//
// # Safety
//
// The hash receives the same bytes, in pieces, which gives the same digest. It is local to one
// function and used only through its own methods, so the size of the pieces is unobservable. The
// digest is used only by code that does not retain it: it is encoded, compared, copied or
// converted. Encodings are appended to an array that is large enough; if it were not, because
// the standard encoding was replaced by another one, AppendEncode would allocate. In modules for a
// Go before 1.22, which lacks it, a function with such an array encodes. %x of bytes without
// methods is what package hex writes.
//
// Evaluation order is kept. Functions with goto, which may not jump over variable declarations,
// are left alone; so are digests that are returned or stored.
package hashsum
