package concat

import "unicode/utf8"

func Leftpad(text string, width int, fill rune) string {
	for n := utf8.RuneCountInString(text); n < width; n++ { // padded
		text = string(fill) + text // want `prepended`
	}
	return text
}

func Pad(text string, length int, fill rune) string {
	for len(text) < length {
		text = string(fill) + text // want `prepended`
	}
	return text
}

func PadByte(text string, length int, fill byte) string {
	for len(text) < length-1 {
		text = string(fill) + text // want `prepended`
	}
	return text
}

func Spaces(text string, length int) string {
	for len(text) < length {
		text = " " + text // want `prepended`
	}
	return text
}

func Arrows(text string, length int) string {
	for len(text) < length+2 {
		text = "→" + text // want `prepended`
	}
	return text
}

func Right(text string, width int, fill string) string {
	for i := len(text); i < width; i++ {
		text += fill // want `appended to`
	}
	return text
}

func Times(text string, n int, elements []string) string {
	for i := 0; i < n; i++ {
		text = " " + text // want `prepended`
	}
	for i := 0; i < n-len(elements); i++ {
		text = text + "x" // want `appended to`
	}
	return text
}

func Indent(text string, n int) string {
	for range n {
		text = "\t" + text // want `prepended`
	}
	return text
}

func From(text string, n int) string {
	for i := 3; i < n; i++ {
		text = "ab" + text // want `prepended`
	}
	return text
}

// Line is written at once, though a Builder would do.
func Line(text string, n int) string {
	line := text
	for len(line) < n {
		line += "-" // want `appended to`
	}
	return line
}

func Sum(text string, a, b int) string {
	for n := len(text); n < a+b; n++ {
		text = "0" + text // want `prepended`
	}
	return text
}

func Local(n int) string {
	s := ""
	for range n {
		s = "<" + s + ">" // here it is not one text that is put to another
	}
	return s
}

func Prefix(elements []string) string {
	path := ""
	for _, e := range elements {
		path = e + "/" + path // want `prepended`
	}
	return path
}

// Changes: the bound moves.
func Changes(text string, n int) string {
	for i := 0; i < n-len(text); i++ {
		text = "x" + text // want `prepended`
	}
	return text
}

// Empty would not end.
func Empty(text, fill string) string {
	for len(text) < 10 {
		text = fill + text // want `prepended`
	}
	return text
}

func Counter(text string, n int) string {
	for i := 0; i < n; i++ {
		text = string(rune(i)) + text // want `prepended`
	}
	return text
}

func Below(text string, n int) string {
	for i := -2; i < n; i++ {
		text = "x" + text // want `prepended`
	}
	return text
}
