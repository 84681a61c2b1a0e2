// Package textbuild defines a rule: a text is put together in steps, each a new string, and then used once.
//
// Each += copies what is there already into a new string, each fmt.Sprintf and strconv.Format makes a
// string of its own that is copied at once, and []byte(text) in the end copies all again. One
// buffer that everything is appended to does without. So it does where strings are collected in a
// slice for strings.Join: the slice is not needed. And a function that makes a string in such a buffer
// can append to that of its caller, where the string is put into a longer one.
//
// # Before
//
//	line := fmt.Sprintf("%s:", name)
//	line += strconv.FormatFloat(value, 'f', -1, 64)
//	if rate < 1 {
//		line += fmt.Sprintf("|@%d", rate)
//	}
//	w.Write([]byte(line))
//
//	parts := []string{name}
//	for _, key := range keys {
//		parts = append(parts, tags[key])
//	}
//	return strings.Join(parts, ".")
//
// # After
//
//	line := make([]byte, 0, 64)
//	line = append(line, name...)
//	line = append(line, ':')
//	line = strconv.AppendFloat(line, value, 'f', -1, 64)
//	if rate < 1 {
//		line = append(line, "|@"...)
//		line = strconv.AppendInt(line, int64(rate), 10)
//	}
//	w.Write(line)
//
//	joined := make([]byte, 0, 96)
//	joined = append(joined, name...)
//	for _, key := range keys {
//		joined = append(joined, '.')
//		joined = append(joined, tags[key]...)
//	}
//	return string(joined)
//
// # Evidence
//
// The CPU profile has runtime.concatstring, fmt.Sprintf, strconv.Format and runtime.stringtoslicebyte
// below the lines, and runtime.growslice where strings are collected; the profile of allocations has
// the lines themselves.
//
// # Safety
//
// The string is a local variable that no closure names and whose address is not taken. It is only
// appended to, outside of loops, and read once after that, or where the function returns: who gets it gets
// bytes that nobody else has, as from the conversion. Statements stay where they are; an
// expression is taken apart only if no call in it can change what was read before the call.
// What fmt writes is written by strconv and append only for operands of basic types without
// methods and verbs without flags; fmt.Appendf writes the rest. The buffer is never nil. Its
// size is a guess: a longer text takes another allocation.
//
// The slice is a local variable, too, that begins without elements or with some that are told, is appended to, and joined
// by a constant once each time that it is collected. Where it may have no element, a separator is
// written behind each, and the last one is cut off: an empty first element looks like none.
//
// A function that a caller can lend its buffer to has one of its own that it only appends to, and returns as a
// string in all its returns; it has no defer, which could go on after a panic. It stays as it is for others. The
// longer text is made in statements before the one that it is in only if nothing else in that one could tell.
package textbuild
