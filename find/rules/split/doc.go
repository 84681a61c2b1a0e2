// Package split defines a rule: a text is split into a slice that nobody keeps.
//
// strings.Split and strings.Fields allocate a slice for all parts. Who ranges over the parts can have
// them one after the other (strings.SplitSeq), and who wants what stands before and after a separator
// can have just that (strings.Cut), without any allocation.
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
// Both the CPU profile and that of allocations have strings.Split, strings.SplitN or strings.Fields
// below the line.
//
// # Safety
//
// Separators are constants that are not empty. The parts are the same, in the same order, and a string
// does not change while they are taken; bytes may, so that for package bytes there is no rewrite. What
// is not found shows differently: parts[1] panics, where Cut has an empty text. So parts[1] is rewritten
// only where the length was asked for before. A length of two means one separator for SplitN(…, 2), and
// exactly one for Split: there more parts would have to stay more, and there is no rewrite.
package split
