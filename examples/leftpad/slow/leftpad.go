package slow

import "unicode/utf8"

// Leftpad puts fill in front of text until it is width characters long. A text
// that is as long already comes back as it is.
func Leftpad(text string, width int, fill rune) string {
	for n := utf8.RuneCountInString(text); n < width; n++ {
		text = string(fill) + text
	}
	return text
}
