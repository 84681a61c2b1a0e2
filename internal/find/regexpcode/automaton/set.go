package automaton

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// A Set is a set of runes: ascending ranges of first and last, with gaps between them. Invalid
// UTF-8 counts as U+FFFD, as in package regexp.
type Set []rune

// ASCII reports whether all runes of a set are a single byte, so that bytes can be compared.
func (s Set) ASCII() bool { return len(s) == 0 || s[len(s)-1] < utf8.RuneSelf }

// Complement returns the runes that are not in a set.
func (s Set) Complement() Set {
	var out Set
	next := rune(0)
	for i := 0; i < len(s); i += 2 {
		if next < s[i] {
			out = append(out, next, s[i]-1)
		}
		next = s[i+1] + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, next, unicode.MaxRune)
	}
	return out
}

// Disjoint reports whether two sets have no rune in common.
func (s Set) Disjoint(t Set) bool {
	for i := 0; i < len(s); i += 2 {
		for j := 0; j < len(t); j += 2 {
			if s[i] <= t[j+1] && t[j] <= s[i+1] {
				return false
			}
		}
	}
	return true
}

// Contains reports whether a rune is in a set.
func (s Set) Contains(r rune) bool {
	for i := 0; i < len(s); i += 2 {
		if s[i] <= r && r <= s[i+1] {
			return true
		}
	}
	return false
}

// add adds a range that follows those of the set.
func (s Set) add(lo, hi rune) Set {
	if n := len(s); n > 0 && s[n-1] == lo-1 {
		s[n-1] = hi
		return s
	}
	return append(s, lo, hi)
}

// Union returns the runes of both of two sets.
func (s Set) Union(t Set) Set {
	type span struct{ lo, hi rune }
	var spans []span
	for _, x := range []Set{s, t} {
		for i := 0; i < len(x); i += 2 {
			spans = append(spans, span{x[i], x[i+1]})
		}
	}
	slices.SortFunc(spans, func(x, y span) int { return int(x.lo - y.lo) })
	var out Set
	for _, x := range spans {
		if n := len(out); n > 0 && x.lo <= out[n-1]+1 {
			out[n-1] = max(out[n-1], x.hi)
			continue
		}
		out = append(out, x.lo, x.hi)
	}
	return out
}

// Size is the number of runes in a set.
func (s Set) Size() int {
	n := 0
	for i := 0; i < len(s); i += 2 {
		n += int(s[i+1]-s[i]) + 1
	}
	return n
}

// Sample returns a rune of a set, a letter or a digit if possible.
func (s Set) Sample() rune {
	for _, want := range []Set{{'a', 'z'}, {'0', '9'}, {'A', 'Z'}, {'!', '~'}} {
		for i := 0; i < len(s); i += 2 {
			if r := max(s[i], want[0]); r <= min(s[i+1], want[1]) {
				return r
			}
		}
	}
	r := s[len(s)-2]
	if !utf8.ValidRune(r) {
		return s[len(s)-1]
	}
	return r
}

// Simple reports whether the first byte of a rune shows whether it is in the set.
func (s Set) Simple() bool { return s.ASCII() || s.Complement().ASCII() }
