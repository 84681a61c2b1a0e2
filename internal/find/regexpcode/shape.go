package regexpcode

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/whet-go/whet/internal/find/regexpcode/automaton"
)

// An item is a run of runes from a set.
type item struct {
	set      automaton.Set
	min, max int // max is -1 without a limit
}

// A Shape is a pattern that plain code can match: a sequence of items. The zero value matches
// everything.
type Shape struct {
	pattern    string
	Begin, End bool // it matches only at the text's beginning, or its end
	lazy       bool // some item is non-greedy
	items      []item
}

// Limits of what is written as code: longer patterns are more readable as patterns.
const (
	maxSteps  = 10 // literals and repeated sets
	maxRunes  = 64 // of a match that may begin anywhere: each start costs as much
	maxRanges = 8  // of a set that is compared
)

// Parse returns the shape of a pattern, if it has one.
func Parse(pattern string) (Shape, bool) {
	if _, err := regexp.Compile(pattern); err != nil {
		return Shape{}, false
	}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return Shape{}, false
	}
	s := Shape{pattern: pattern}
	return s, s.add(re)
}

// add adds what follows, and reports whether it can. Case folding, alternation, word boundaries and
// repeated groups have no shape.
func (s *Shape) add(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return true
	case syntax.OpBeginText:
		s.Begin = true
		return len(s.items) == 0 && !s.End
	case syntax.OpEndText:
		s.End = true
		return true
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			if !s.add(sub) {
				return false
			}
		}
		return true
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 || s.End {
			return false
		}
		for _, r := range re.Rune {
			s.items = append(s.items, item{automaton.Set{r, r}, 1, 1})
		}
		return true
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		s.lazy = s.lazy || re.Flags&syntax.NonGreedy != 0
		return s.repeat(re)
	default:
		one, ok := setOf(re)
		s.items = append(s.items, item{one, 1, 1})
		return ok && !s.End
	}
}

// repeat adds a repeated set, and reports whether it can.
func (s *Shape) repeat(re *syntax.Regexp) bool {
	one, ok := setOf(re.Sub[0])
	x := item{set: one}
	switch re.Op {
	case syntax.OpStar:
		x.min, x.max = 0, -1
	case syntax.OpPlus:
		x.min, x.max = 1, -1
	case syntax.OpQuest:
		x.min, x.max = 0, 1
	default:
		x.min, x.max = re.Min, re.Max
	}
	if x.max != 0 {
		s.items = append(s.items, x)
	}
	return ok && !s.End
}

// setOf returns the set of a pattern that matches one rune.
func setOf(re *syntax.Regexp) (automaton.Set, bool) {
	switch re.Op {
	case syntax.OpCapture:
		return setOf(re.Sub[0])
	case syntax.OpCharClass:
		return slices.Clone(re.Rune), len(re.Rune) > 0
	case syntax.OpLiteral:
		if len(re.Rune) == 1 && re.Flags&syntax.FoldCase == 0 {
			return automaton.Set{re.Rune[0], re.Rune[0]}, true
		}
	case syntax.OpAnyChar:
		return automaton.Set{0, unicode.MaxRune}, true
	case syntax.OpAnyCharNotNL:
		return automaton.Set{0, '\n' - 1, '\n' + 1, unicode.MaxRune}, true
	default:
	}
	return nil, false
}

// plain reports whether an item is a single rune that can be searched as a string: its bytes occur
// only where it does, because UTF-8 is self-synchronizing. U+FFFD also matches invalid bytes.
func (x item) plain() bool {
	return len(x.set) == 2 && x.set[0] == x.set[1] && x.min == 1 && x.max == 1 &&
		x.set[0] != utf8.RuneError && utf8.ValidRune(x.set[0])
}

// Literal returns the text of a shape that is a literal, without its anchors.
func (s Shape) Literal() (string, bool) {
	text, rest := prefix(s.items)
	return text, len(rest) == 0
}

// prefix returns the text that items begin with, and the items after it.
func prefix(items []item) (string, []item) {
	text := ""
	for i, x := range items {
		if !x.plain() {
			return text, items[i:]
		}
		text += string(x.set[0])
	}
	return text, nil
}

// Matcher returns the shape for reporting whether a text matches, without the position. It returns
// false if the code would have to backtrack, or to try long matches at each position.
func (s Shape) Matcher() (Shape, bool) {
	s.items = slices.Clone(s.items)
	// What is optional at an unanchored end can be dropped.
	for n := len(s.items); !s.End && n > 0; n = len(s.items) {
		last := &s.items[n-1]
		if last.max = last.min; last.min > 0 {
			break
		}
		s.items = s.items[:n-1]
	}
	for !s.Begin && len(s.items) > 0 {
		first := &s.items[0]
		if first.max = first.min; first.min > 0 {
			break
		}
		s.items = s.items[1:]
	}
	steps, runes := 0, 0
	for rest := s.items; len(rest) > 0; steps++ {
		text, after := prefix(rest)
		if text != "" {
			runes += utf8.RuneCountInString(text)
			rest = after
			continue
		}
		x := rest[0]
		rest = rest[1:]
		runes += x.min
		if x.min != x.max && (!s.Begin || !forced(x, rest)) || !writable(x.set) {
			return Shape{}, false
		}
	}
	return s, (len(s.items) > 0 || s.Begin && s.End) && steps <= maxSteps && (s.Begin || runes <= maxRunes)
}

// forced reports whether an item must take all it can for the rest to match: what follows it cannot
// begin with the same runes.
func forced(x item, rest []item) bool {
	for _, next := range rest {
		if !x.set.Disjoint(next.set) {
			return false
		}
		if next.min > 0 {
			break
		}
	}
	return true
}

// writable reports whether code compares with a set in one line. It need not list all runes.
func writable(s automaton.Set) bool {
	out := s.Complement()
	return len(out) > 0 && (s.ASCII() || min(len(s), len(out))/2 <= maxRanges)
}

// IsClass reports whether a match is a character of a class, or all that follow one another, so
// that a loop finds them.
func (s Shape) IsClass() bool {
	_, _, ok := s.replaced()
	return ok
}

// replaced returns the single set of a shape whose matches are replaced, and whether a match is a
// maximal run of it, or one rune.
func (s Shape) replaced() (one automaton.Set, run, ok bool) {
	if len(s.items) != 1 || s.Begin || s.End || s.lazy {
		return nil, false, false
	}
	x := s.items[0]
	return x.set, x.max < 0, x.min == 1 && (x.max == 1 || x.max < 0) && writable(x.set)
}
