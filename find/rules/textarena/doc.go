// Package textarena defines a rule: a loop collects strings that a function makes one by one.
//
// Each string of its own takes memory of its own, and the collector looks at each. Strings that are
// collected in a loop and live as long as each other can lie side by side in blocks of memory, which a
// strings.Builder takes.
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
//	// sumIn is sum, with the text in room, beside others; nil: in memory of its own.
//	func sumIn(room *strings.Builder, text string) string {
//		sum := sha256.Sum256([]byte(text))
//		return keepIn(room, hex.AppendEncode(nil, sum[:])) // writes to room, or to a new block
//	}
//
//	var room strings.Builder
//	for _, text := range texts {
//		sums = append(sums, sumIn(&room, text))
//	}
//
// # Evidence
//
// The profile of allocations has string(b) where the function returns, and the CPU profile has
// runtime.slicebytetostring there.
//
// # Safety
//
// The strings are the same: a Builder writes behind what it has, and never again what it has written.
// One string keeps its block alive, of 4 kB at most, or of its own length. Where the list of strings goes nowhere but into
// json.Marshal or strings.Join of the same function, all end together. The rule is quiet about others: nobody
// knows how long each of them lives, and few of them gain nothing.
package textarena
