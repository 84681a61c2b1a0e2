// Package split defines a rule: a string is split into a slice that is not kept.
//
// strings.Split and strings.Fields allocate a slice for all parts. A range loop can take the
// parts one at a time (strings.SplitSeq), and code that needs what is before and after a
// separator can use strings.Cut; neither allocates.
//
// # Before
//
//	pair := strings.SplitN(line, "=", 2)
//	if len(pair) != 2 {
//		return errNoValue
//	}
//	set(pair[0], pair[1])
//
// # After
//
//	before, after, found := strings.Cut(line, "=")
//	if !found {
//		return errNoValue
//	}
//	set(before, after)
//
// # Evidence
//
// Both the CPU profile and the allocation profile show strings.Split, strings.SplitN or
// strings.Fields called from the line.
//
// # Safety
//
// Separators are non-empty constants. The parts are the same, in the same order. Strings do not
// change while they are split; bytes may, so package bytes gets no rewrite.
//
// A missing separator has a different effect: parts[1] panics where Cut returns an empty string. So
// parts[1] is rewritten only where the length was checked before. A length of two means at least
// one separator for SplitN(…, 2), but exactly one for Split, where code must still distinguish more
// parts: there is no rewrite for it.
package split
