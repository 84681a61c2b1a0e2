// Package regexpsimple defines a rule: a constant regular expression does the work of a
// comparison or a loop.
//
// The regexp engine goes through the input step by step, takes its state from a pool and, when
// replacing, copies the input even if nothing matches. A function that is written for the pattern
// is ten times as fast for most patterns: a comparison, a loop over the characters of a class, loops
// that consume the text from left to right, or a switch of the state in one loop.
//
// # Before
//
//	var reserved = regexp.MustCompile(`[:|@]`)
//
//	func clean(name string) string {
//		return reserved.ReplaceAllString(name, "-")
//	}
//
// # After
//
//	// reserved returns s with each match of `[:|@]` replaced.
//	func reserved(s, with string) string {
//		var b strings.Builder
//		done := 0 // b holds the result for s[:done]
//		for i := 0; i < len(s); i++ {
//			if c := s[i]; !(c == ':' || c == '@' || c == '|') {
//				continue
//			}
//			if done == 0 {
//				b.Grow(len(s))
//			}
//			b.WriteString(s[done:i])
//			b.WriteString(with)
//			done = i + 1
//		}
//		if done == 0 {
//			return s
//		}
//		b.WriteString(s[done:])
//		return b.String()
//	}
//
//	func clean(name string) string {
//		return reserved(name, "-")
//	}
//
// # Evidence
//
// The CPU profile shows methods of regexp.Regexp called from the line (doExecute, backtrack,
// doOnePass), and regexp.MustCompile where the expression is compiled on every call; the
// allocation profile shows what replaceAll allocates.
//
// # Safety
//
// The code is generated from the parsed pattern, so it covers every character: \s is space, tab,
// newline, form feed and carriage return. Invalid UTF-8 is matched as U+FFFD, byte by byte, and
// copied unchanged, as package regexp does.
//
// Other patterns become the deterministic automaton that finds what the engine's simulation finds:
// the leftmost match, the alternative that comes first, the same positions of groups, and the same
// treatment of empty matches, of missing groups, and of nil. The time for a search is linear, as with
// package regexp, and templates such as $1 are expanded when the code is written.
//
// A pattern stays if its code would have more than 160 lines or 28 states (64 in a table, if it only
// has to match), or compares with more than 8 ranges of characters, such as \pL; if a replacement is
// not constant, as $ may refer to a group; and if Longest, MatchReader or another method without a
// counterpart is called. So do variables that are exported, set again, passed on, or used in tests
// or in files for other systems. The report says which it is. If nothing is replaced, the string
// itself is returned instead of a copy.
package regexpsimple
