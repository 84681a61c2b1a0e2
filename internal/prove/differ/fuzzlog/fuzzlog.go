package fuzzlog

import (
	"regexp"
	"strings"

	"github.com/whet-go/whet/internal/prove/scratch"
)

// LastLine returns the line of a panic, or else the last line of some output.
func LastLine(out string) string {
	lines := strings.Split(strings.TrimSpace(scratch.LastLines(out)), "\n")
	for _, line := range lines {
		if strings.HasPrefix(line, "panic: ") {
			return line
		}
	}
	return lines[len(lines)-1]
}

// TimeWasUp reports whether, judging by its output, a fuzz target failed without an input: the fuzzer
// reports a failure if the time is up while a worker is busy (go.dev/issue/75804).
func TimeWasUp(out string) bool {
	return lateFuzz.MatchString(out) && !strings.Contains(out, "Failing input")
}

var lateFuzz = regexp.MustCompile(`(?m)^ *context deadline exceeded$`)

// Difference returns the two results in the output of a fuzz target that fails; if there are none, the end of the
// output. What it says about the input is for a directory that is removed.
func Difference(out string) string {
	_, found, ok := strings.Cut(out, "the results differ\n")
	if !ok {
		return scratch.LastLines(out)
	}
	var lines []string
	for line := range strings.Lines(found) {
		line = strings.TrimRight(line, "\n")
		text := strings.TrimSpace(line)
		if strings.HasPrefix(text, "--- ") || strings.HasPrefix(text, "Failing input written to ") || text == "FAIL" ||
			strings.HasPrefix(text, "exit status ") {
			break
		}
		lines = append(lines, line)
	}
	return strings.TrimRight(strings.Join(lines, "\n"), " \n")
}

// BesideError reports whether a difference, as Difference returns it, is only in results next to an error that is the
// same: callers of a function hardly look at these.
func BesideError(difference string) bool {
	was, is, _ := strings.Cut(unindented(difference), "\n\n")
	was, isBefore := strings.CutPrefix(was, "before:\n")
	is, isAfter := strings.CutPrefix(is, "after:\n")
	before, after := strings.Split(was, "\n"), strings.Split(is, "\n")
	if !isBefore || !isAfter || len(before) != len(after) {
		return false
	}
	for i, line := range before {
		if line == after[i] {
			continue
		}
		result, failed, isError := strings.Cut(line, "error *")
		other, failedToo, isErrorToo := strings.Cut(after[i], "error *")
		if !isError || !isErrorToo || failed != failedToo || strings.HasSuffix(line, "…") ||
			!strings.HasPrefix(result, "returned ") || !strings.HasPrefix(other, "returned ") {
			return false
		}
	}
	return true
}

func unindented(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(lines, "\n")
}

// FailedInput returns the name of the input on which a fuzz target fails; "" if there is none.
func FailedInput(out string) string {
	if m := failedInput.FindStringSubmatch(out); m != nil {
		return m[1]
	}
	return ""
}

var failedInput = regexp.MustCompile(`(?m)^\s*--- FAIL: Fuzz\w+/(\S+)`)
