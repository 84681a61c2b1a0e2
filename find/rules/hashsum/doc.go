// Package hashsum defines a rule: the bytes of a hash, and their text, are put on the heap, though their number is known.
//
// Sum(nil) takes memory for a sum that has the same length each time, and EncodeToString takes twice
// as much as the text that it returns. A hash has no WriteString: []byte(s) copies all of s to the
// heap once it is longer than 32 bytes, and io.WriteString moves the hash itself there. A hash that
// does not leave its function is on the stack, and what it reads and writes can be there too.
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
// The profile of allocations has Sum and EncodeToString below the line, or the conversion in the line
// itself. The CPU profile has the runtime taking memory for them; what hashing itself costs stays.
//
// # Safety
//
// The hash is written the same bytes, in pieces, which makes the same sum. It is a variable of one
// function and used for nothing but its own methods, so nobody sees how much it was given at a time.
// The sum is used only by what keeps nothing of it: it is encoded, compared, copied, converted. Texts
// are appended to an array that holds them: were it too short, because somebody has put another
// encoding in the place of the standard one, AppendEncode would take memory. %x of bytes without
// methods is what package hex writes.
//
// What is evaluated before a write still is. Functions with goto, which may not jump over variables,
// are left as they are; so are sums that are returned or kept.
package hashsum
