// Package manystrings defines a rule: a loop collects short strings, each in memory of its own.
//
// A string of a hash, a number or a time takes an allocation, and the garbage collector follows a
// pointer for each. If a loop makes many of them and all are kept in one slice, they can lie behind each
// other in the memory of one strings.Builder.
//
// # Before
//
//	for _, it := range items {
//		sums = append(sums, sum(it))
//	}
//
//	func sum(it item) string {
//		digest := sha256.Sum256(it.data)
//		var encoded [64]byte
//		return string(hex.AppendEncode(encoded[:0], digest[:]))
//	}
//
// # After
//
//	var texts strings.Builder
//	texts.Grow(64 * len(items))
//	var room [64]byte
//	for _, it := range items {
//		begin := texts.Len()
//		texts.Write(appendSum(room[:0], it))
//		sums = append(sums, texts.String()[begin:])
//	}
//
//	func sum(it item) string {
//		var encoded [64]byte
//		return string(appendSum(encoded[:0], it))
//	}
//
//	// appendSum appends what sum returns.
//	func appendSum(to []byte, it item) []byte {
//		digest := sha256.Sum256(it.data)
//		return hex.AppendEncode(to, digest[:])
//	}
//
// # Evidence
//
// The profile of allocations has the conversion to a string in the line that returns it, and the CPU
// profile has runtime.slicebytetostring below it.
//
// # Safety
//
// The strings are the same. What a Builder has returned never changes: it only appends, and takes other
// memory when its room ends. The function is divided at its end: it has one return statement, which
// converts what a function that appends has put into an array that is there for nothing else. In the
// loop nothing but the function's arguments is evaluated before, and these call nothing.
//
// It needs a review, for as long as one of the strings is kept so is the memory of all. That is what one
// wants for strings that live as long as their slice, as those of an answer do; it is not if a few of
// many are put into a cache.
package manystrings
