// Package capacity defines a rule: a slice or map grows element by element though its size is known.
//
// append copies what is there into a larger piece of memory each time the room ends: a slice of a
// thousand elements is allocated a dozen times, and its elements are moved twice on average. A map
// that grows hashes its keys again. When the number of elements, or a bound of it, is known before,
// the memory can be taken at once.
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
// The CPU profile has runtime.growslice below the line of the append, or the growing of a map
// (internal/runtime/maps) below that of the assignment. The profile of allocations, which has no
// runtime functions, has the line itself; of a map it cannot tell growing from the first keys' room,
// and is not asked.
//
// # Safety
//
// A slice that stays nil when nothing is appended stays nil (null in JSON, not []): the memory is taken
// only when there is something to append, or nobody can tell the difference: all uses are len, range,
// an index and their like. The bound is a len of something that is there, evaluated where the loop
// would evaluate it, or at the declaration if nothing changes it between. There is no rewrite when the
// slice, the address of an element or a part of it goes elsewhere while it grows, because then it shows
// where the memory is; nor when its cap is asked for. Where fewer elements than the bound may come (a
// condition around the append, a break) or the bound is a number that could be made up, results are the
// same but memory may be wasted: such a rewrite needs a review.
package capacity
