// Package textbuild defines a rule: a string is built in several steps, each a new string, and
// then used once.
//
// Each += copies everything so far into a new string, each fmt.Sprintf and strconv.Format
// allocates a string that is copied at once, and a final []byte(text) copies all of it again.
// Appending everything to one buffer avoids that. The same goes for strings collected in a slice
// for strings.Join: the slice is not needed. And a function that builds a string in such a
// buffer can append to its caller's buffer where its result becomes part of a longer string.
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
// The CPU profile shows runtime.concatstring, fmt.Sprintf, strconv.Format and
// runtime.stringtoslicebyte called from the lines, and runtime.growslice where strings are
// collected; the allocation profile charges the lines themselves.
//
// # Safety
//
// The string is a local variable that no closure captures and whose address is not taken. It is
// only appended to, outside loops, and read once after that or where the function returns;
// the reader gets bytes that no other code refers to, as from the conversion. Statements keep
// their order; an expression is split only if no call in it can change what was read before the
// call. strconv and append replace fmt only for operands of basic types without methods and
// verbs without flags; fmt.Appendf formats the rest. A verb that does not fit its operand, such
// as %s for a number, keeps its output, %!s(int=7): the rewrite shows the mistake. The buffer is
// never nil. Its size is a guess: a longer text needs another allocation.
//
// The slice is also a local variable. It begins empty or with listed elements, is appended to,
// and is joined by a constant once each time it is collected. Where it may have no elements, a
// separator is written after each, and the last one is cut off, because an empty first element
// looks like no element.
//
// A function can borrow its caller's buffer if it has its own buffer, which it only appends
// to and returns as a string in all its returns, and if it has no defer, which could continue
// after a panic. For other callers it stays as it is. The longer string is built in statements
// before the one that uses it, and only if nothing else in that statement could observe the
// difference.
package textbuild
