package regexpsimple

import (
	"regexp"
)

var folded = regexp.MustCompile(`(?i)abc`)

var either = regexp.MustCompile(`abc|d`)

var boundary = regexp.MustCompile(`\bab\b`)

var changed = regexp.MustCompile(`[a-z]`)

func init() {
	changed = regexp.MustCompile(`[0-9]`)
	if regexp.MustCompile(`^a`).MatchString("b") {
		panic("b")
	}
}

var _ = regexp.MustCompile(`_`)

func Given(re *regexp.Regexp, s string) string { return re.FindString(s) }

func Folded(s string) bool {
	return folded.MatchString(s) || either.MatchString(s) || boundary.MatchString(s) // want `step by step` `step by step` `step by step`
}

func Changed(s string) bool { return changed.MatchString(s) }

func Submatch(s string) []string { return regexp.MustCompile(`a(b)`).FindStringSubmatch(s) } // want `step by step`

// Slow could be tried at each place, which takes long.
func Slow(s string) bool {
	return regexp.MustCompile(`a[a-z]+z$`).MatchString(s) || regexp.MustCompile(`[0-9]{65}`).MatchString(s) // want `step by step` `step by step`
}

// Ways can match in several ways.
func Ways(s string) bool { return regexp.MustCompile(`^[a-z]+b?c$`).MatchString(s) } // want `step by step`

func Error(s string) (bool, error) { return regexp.MatchString("a", s) }
