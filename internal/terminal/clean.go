package terminal

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Clean makes a name from a foreign file safe to print on one line of a terminal: it replaces
// control characters (including escape sequences), zero-width characters, those that reorder text,
// and invalid UTF-8.
func Clean(s string) string { return cleaned(s, Unsafe) }

// CleanText is Clean for a text with newlines and tabs.
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
	case r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		// zero-width; separators; bidirectional
		return true
	}
	return r == 0xfeff || r == utf8.RuneError || r == 0x061c || r == 0x00ad
}

// JSON returns a writer that passes what is written through EscapeJSON to w.
func JSON(w io.Writer) io.Writer { return &jsonWriter{w: w} }

type jsonWriter struct {
	w    io.Writer
	part []byte // of a character that the next write completes
}

func (j *jsonWriter) Write(p []byte) (int, error) {
	n := len(p)
	if len(j.part) > 0 {
		p = append(j.part, p...)
	}
	end := len(p)
	for i := max(end-utf8.UTFMax+1, 0); i < len(p); i++ {
		if utf8.RuneStart(p[i]) && !utf8.FullRune(p[i:]) {
			end = i
			break
		}
	}
	if _, err := j.w.Write(EscapeJSON(p[:end])); err != nil {
		return 0, err
	}
	j.part = append([]byte(nil), p[end:]...)
	return n, nil
}

// EscapeJSON escapes, in JSON, the characters that Clean replaces, so that the meaning stays. JSON
// already escapes ASCII control characters except DEL. It returns p itself if there is nothing to
// do.
func EscapeJSON(p []byte) []byte {
	at := unsafeAt(p)
	if at < 0 {
		return p
	}
	out := make([]byte, 0, len(p)+64)
	for ; at >= 0; at = unsafeAt(p) {
		r, n := utf8.DecodeRune(p[at:])
		out = fmt.Appendf(append(out, p[:at]...), `\u%04x`, r) // all are in the basic plane
		p = p[at+n:]
	}
	return append(out, p...)
}

// unsafeAt returns the index of the first unsafe character that JSON allows unescaped, or -1.
func unsafeAt(p []byte) int {
	for i := 0; i < len(p); {
		if p[i] < 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(p[i:])
		if r != utf8.RuneError && Unsafe(r) {
			return i
		}
		i += n
	}
	return -1
}
