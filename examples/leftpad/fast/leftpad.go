package fast

import (
	"strings"
	"unicode/utf8"
)

// Leftpad adds fill before text until it is width characters long. A text that is
// long enough is returned unchanged.
func Leftpad(text string, width int, fill rune) string {
	missing := width - utf8.RuneCountInString(text)
	if missing <= 0 {
		return text
	}
	// A piece of the padding is made here and written as often as necessary.
	var room [60]byte // holds whole characters of each length: 60 divides by 1, 2, 3 and 4
	size := copy(room[:], string(fill))
	rest := missing * size
	piece := room[:min(len(room), rest)]
	for n := size; n < len(piece); n *= 2 {
		copy(piece[n:], piece[:n])
	}

	var padded strings.Builder
	padded.Grow(rest + len(text))
	for ; rest > len(piece); rest -= len(piece) {
		padded.Write(piece)
	}
	padded.Write(piece[:rest])
	padded.WriteString(text)
	return padded.String()
}
