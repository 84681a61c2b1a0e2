package fuzzlog

import (
	"regexp"
	"strings"
)

// Ended returns the stack of the goroutine that ended a process, judging by its output: with a fatal error of the
// runtime, or a panic; "" if there is none.
func Ended(out string) string {
	at := ends.FindStringIndex(out)
	if at == nil {
		return ""
	}
	_, stack, ok := strings.Cut(out[at[0]:], "\ngoroutine ")
	if !ok {
		return ""
	}
	stack, _, _ = strings.Cut(stack, "\n\n")
	return stack
}

var ends = regexp.MustCompile(`(?m)^(fatal error|panic): `)
