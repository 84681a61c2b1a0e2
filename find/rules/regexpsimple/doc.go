// Package regexpsimple defines a rule: a constant regular expression does the work of a
// comparison or a loop.
//
// The regexp engine goes through the input step by step, takes its state from a pool and, when
// replacing, copies the input even if nothing matches. For a literal, a character class or a
// short sequence of those, a comparison or a loop is ten to a hundred times as fast.
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
// Patterns are rewritten if they are a literal, anchored or not; a character class, or a run of
// one, that is replaced by a string in which $ refers to no group; or, for MatchString, a
// sequence of those, if no part can match in two ways and a match that may begin anywhere is
// short, so that time stays linear. Case folding, alternation, word boundaries, repeated groups,
// and methods that return the positions of matches are not rewritten. Neither are variables that
// are exported, set again, passed on, or used in tests or in files for other systems. If nothing
// is replaced, the string itself is returned instead of a copy.
package regexpsimple
