package slow

import "unicode/utf8"

// Leftpad adds fill before text until it is width characters long. A text that is
// long enough is returned unchanged.
func Leftpad(text string, width int, fill rune) string {
	for n := utf8.RuneCountInString(text); n < width; n++ {
		text = string(fill) + text
	}
	return text
}
