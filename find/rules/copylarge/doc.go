// Package copylarge defines a rule: a loop copies each large element of a slice.
//
// for _, x := range s copies the whole element into x on each turn, though the body may read a field
// or two. Elements of more than 128 bytes are better read where they are. (That is twice as fast for
// 136 bytes of which two fields are read.)
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
// The CPU profile has the line of the for statement itself, or runtime.memmove below it: the copying is
// part of the loop's own machine code.
//
// # Safety
//
// The body does not change the copy, take its address or keep it in a function: then the copy is
// needed, and the rule is quiet. An element that is read later than it was copied must not have changed
// meanwhile: there is a rewrite only where the slice's variable is not set in the loop and the body
// sets nothing but variables, and calls nothing but conversions, builtin functions and some of package
// strings. After an append, which may write to the same memory, the element must not be read again.
package copylarge
