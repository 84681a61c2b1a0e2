// Package regexpsimple defines a rule: a constant regular expression does what a comparison or a loop does.
//
// A regular expression is run by an engine that goes through the text step by step, takes its state
// from a pool and, when it replaces, copies the text even if nothing matches. For a literal, a set of
// characters, or a short sequence of them, a comparison or a loop does the same ten to a hundred times
// as fast.
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
//		done := 0 // b has what becomes of s[:done]
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
// The CPU profile has methods of regexp.Regexp below the line (doExecute, backtrack, doOnePass), and
// where it is compiled on each call, regexp.MustCompile; the profile of allocations has what replaceAll
// makes.
//
// # Safety
//
// The code is written from the parsed pattern, so that it has all characters of it: \s is blank, tab,
// line feed, form feed and carriage return. Bytes that are no UTF-8 count as U+FFFD, one by one, and are
// copied as they are, as package regexp does. Patterns are rewritten if they are a literal, with anchors
// or without; a set of characters, or a run of them, that is replaced by a text in which $ is no group;
// or a sequence of those for MatchString, if no part can match in two ways and a match that may begin
// anywhere is short: the time stays linear. Case folding, alternatives, word boundaries, groups that
// are repeated, and methods that return places of matches are not rewritten. Nor is a variable
// that is exported, set again, passed on, or used in tests or files for other systems. The text
// is returned itself when nothing is replaced, instead of a copy.
package regexpsimple
