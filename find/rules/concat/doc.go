// Package concat defines a rule: a string grows in a loop, and every iteration copies all of it.
//
// Strings are immutable: s += x allocates a new string and copies both into it. In a loop the
// bytes copied grow with the square of the length, and every iteration leaves garbage. A
// strings.Builder has spare capacity to grow into; padding is a single call of strings.Repeat.
//
// # Before
//
//	joined := ""
//	for i, element := range elements {
//		if i > 0 {
//			joined += separator
//		}
//		joined += element
//	}
//	return joined
//
// # After
//
//	var joined strings.Builder
//	for i, element := range elements {
//		if i > 0 {
//			joined.WriteString(separator)
//		}
//		joined.WriteString(element)
//	}
//	return joined.String()
//
// # Evidence
//
// The CPU profile shows runtime.concatstring called from the line; the allocation profile
// charges the line itself.
//
// # Safety
//
// A string becomes a Builder if it is a local variable that no closure captures, its address is
// not taken, and it is set only by its initial value and +=. Reading it in between still works
// and costs nothing. The appended expression must not mention the string itself, and is split
// into several writes only if no call in it can change what was read before the call.
//
// A loop that pads becomes strings.Repeat when it does nothing else. The count is in the loop's
// own unit: iterations for n < width, bytes for len(s) < width, where a fill of several bytes
// may exceed the width and the count is rounded up. The if prevents a negative count, which
// panics, when the width is already reached. Invalid runes become U+FFFD either way. A width too
// large for memory ends the program at once instead of after a long time.
//
// Anything else is reported without a rewrite.
package concat
