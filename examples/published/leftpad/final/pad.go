package main

import "strings"

func pad(text string, width int, fill rune) string {
	if len(text) < width {
		return strings.Repeat(string(fill), width-len(text)) + text
	}
	return text
}
