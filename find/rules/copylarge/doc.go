// Package copylarge defines a rule: a loop copies each large element of a slice.
//
// for _, x := range s copies the whole element into x in every iteration, even if the body reads
// only a field or two. Elements larger than 128 bytes are better read in place: with 136-byte
// elements of which two fields are read, that is twice as fast.
//
// # Before
//
//	for _, g := range goods {
//		if g.Group == group {
//			selected = append(selected, g)
//		}
//	}
//
// # After
//
//	for i := range goods {
//		if goods[i].Group == group {
//			selected = append(selected, goods[i])
//		}
//	}
//
// # Evidence
//
// The CPU profile charges the line of the for statement itself, or runtime.memmove called from
// it: the copying is part of the loop's own machine code.
//
// # Safety
//
// The rule is silent where the copy is needed: the body modifies it, takes its address or
// captures it in a closure.
//
// An element that is read later than it was copied must not have changed in between. So there is
// a rewrite only if the loop does not set the slice variable, and the body assigns only to
// variables and calls only conversions, builtins and some functions of package strings. After an
// append, which may write to the same memory, the element must not be read again.
package copylarge
