// Package textarena defines a rule: a loop collects strings that are allocated one by one.
//
// Each string is a separate allocation, which the garbage collector must track. Strings that are
// collected in a loop and have the same lifetime can share larger blocks, which a
// strings.Builder allocates.
//
// # Before
//
//	func sum(text string) string {
//		sum := sha256.Sum256([]byte(text))
//		return string(hex.AppendEncode(nil, sum[:]))
//	}
//
//	for _, text := range texts {
//		sums = append(sums, sum(text))
//	}
//
// # After
//
//	func sum(text string) string {
//		return sumIn(nil, text)
//	}
//
//	// sumIn is sum, with the result stored in room unless that is nil.
//	func sumIn(room *strings.Builder, text string) string {
//		sum := sha256.Sum256([]byte(text))
//		return storeIn(room, hex.AppendEncode(nil, sum[:])) // writes to room, or to a new block
//	}
//
//	var room strings.Builder
//	for _, text := range texts {
//		sums = append(sums, sumIn(&room, text))
//	}
//
// # Evidence
//
// The allocation profile charges string(b) where the function returns, and the CPU profile shows
// runtime.slicebytetostring there.
//
// # Safety
//
// The strings are the same: a Builder only appends, and never overwrites what it has written.
// One string keeps its whole block alive, which is at most 4 KiB or the string's own length.
// Where the list of strings goes only into json.Marshal or strings.Join in the same function,
// all of them die together. The rule is silent about others, because their lifetimes are unknown
// and small numbers of them gain nothing.
package textarena
