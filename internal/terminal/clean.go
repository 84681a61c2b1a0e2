package terminal

import (
	"strings"
	"unicode/utf8"
)

// Clean makes a name from a foreign file safe to print on one line of a terminal:
// control characters (escape sequences among them), characters without width, those
// that reorder text, and invalid UTF-8 become replacement characters.
func Clean(s string) string { return cleaned(s, Unsafe) }

// CleanText is Clean of a text with lines and tabs.
func CleanText(s string) string {
	return cleaned(s, func(r rune) bool { return Unsafe(r) && r != '\n' && r != '\t' })
}

func cleaned(s string, unsafe func(rune) bool) string {
	if plain(s) || !strings.ContainsFunc(s, unsafe) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unsafe(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// plain reports whether s is printable ASCII, as nearly all names are.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// Unsafe reports whether Clean replaces a character.
func Unsafe(r rune) bool {
	switch {
	case r < 0x7f:
		return r < ' '
	case r < 0xa0: // DEL, and C1
		return true
	case r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f: // without width; separators; bidirectional
		return true
	}
	return r == 0xfeff || r == utf8.RuneError || r == 0x061c || r == 0x00ad
}
