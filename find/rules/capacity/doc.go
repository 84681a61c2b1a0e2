// Package capacity defines a rule: a slice or map grows one element at a time although its size
// is known.
//
// When a slice is full, append copies it into a larger allocation: a slice of a thousand
// elements is allocated a dozen times, and each element is copied twice on average. A map that
// grows hashes its keys again. When the number of elements or an upper bound is known in
// advance, one allocation is enough.
//
// # Before
//
//	var lengths []int
//	for _, word := range words {
//		lengths = append(lengths, len(word))
//	}
//
// # After
//
//	var lengths []int
//	if len(words) > 0 {
//		lengths = make([]int, 0, len(words))
//	}
//	for _, word := range words {
//		lengths = append(lengths, len(word))
//	}
//
// # Evidence
//
// The CPU profile shows runtime.growslice called from the line of the append, or map growth
// (internal/runtime/maps) from that of the assignment. The allocation profile, which omits
// runtime frames, charges the line itself; for maps it is not used, because it cannot tell
// growth from the initial allocation.
//
// # Safety
//
// A slice that stays nil when nothing is appended still stays nil (null in JSON, not []): memory
// is allocated only when there is something to append, or when the difference is unobservable
// because all uses are len, range, indexing and the like. The bound is the len of an existing
// value, evaluated where the loop would evaluate it, or at the declaration if nothing changes it
// in between.
//
// There is no rewrite when the slice, part of it or the address of an element escapes while it
// grows, because then its memory is observable, nor when its cap is read. Where fewer elements
// than the bound may come (a condition around the append, a break), or where the bound is a
// number that input could inflate, results are the same but memory may be wasted: those rewrites
// need review.
package capacity
