package main

func pad(text string, width int, fill rune) string {
	for len(text) < width {
		text = string(fill) + text
	}
	return text
}
