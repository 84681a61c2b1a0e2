package split

import "strings"

func Kept(s string) []string { return strings.Split(s, ",") }

func Numbered(s string) (n int) {
	for i, part := range strings.Split(s, ",") {
		n += i * len(part)
	}
	for i := range strings.Fields(s) {
		n += i
	}
	return n
}

func Given(s, sep string) (n int) {
	for _, part := range strings.Split(s, sep) {
		n += len(part)
	}
	for _, part := range strings.Split(s, "") {
		n += len(part)
	}
	for _, part := range strings.SplitN(s, ",", 3) {
		n += len(part)
	}
	return n
}

func Any(s string, i int) string {
	parts := strings.Split(s, ",")
	return parts[i]
}

func All(s string) int {
	parts := strings.Split(s, ",")
	return len(parts[0]) + cap(parts)
}

func Taken(s string) *string {
	parts := strings.Split(s, ",")
	return &parts[0]
}

func Cut(s string) string {
	before, _, _ := strings.Cut(s, ",")
	for part := range strings.SplitSeq(s, ",") {
		before += part
	}
	return before
}

func Three(s string) int {
	parts := strings.Split(s, ",")
	if len(parts) == 3 {
		return len(parts[2])
	}
	return -1
}

func Word(s string) string {
	if words := strings.Fields(s); len(words) == 2 {
		return words[1] + strings.Fields(s)[0]
	}
	return s
}

func two() (string, string) { return "a,b", "," }

func Handed() (n int) {
	for _, part := range strings.Split(two()) {
		n += len(part)
	}
	return n
}
