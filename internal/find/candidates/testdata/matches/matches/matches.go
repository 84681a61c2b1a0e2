package matches

import (
	"fmt"
	"math/rand/v2"
	"regexp"

	"test/values"
)

var number = regexp.MustCompile(`^([a-z]+)[0-9]*$`)

var word *regexp.Regexp

func init() {
	word = regexp.MustCompile(`[a-z]+`)
}

func Word(s string) string {
	return word.FindString(s) // want `Keep what word finds in a table`
}

var changing = regexp.MustCompile("a")

func Change() { changing = regexp.MustCompile("b") }

func Changing(s string) bool { return changing.MatchString(s) }

func Parse(s string) (string, error) {
	m := number.FindStringSubmatch(s) // want `Keep what number finds in a table`
	if m == nil {
		return "", fmt.Errorf("%q is none", s)
	}
	return m[1], nil
}

func Is(s string) bool {
	return number.MatchString(s) // want `Keep what number finds in a table`
}

// The expression is an argument, the text is constant, or bytes.
func Others(re *regexp.Regexp, data []byte) string {
	return fmt.Sprint(re.FindStringSubmatch("x"), number.MatchString("abc"), number.Match(data))
}

func Try(r *rand.Rand) string {
	s := []string{values.String(r), "abc12", "abc", "12"}[r.IntN(4)]
	a, err := Parse(s)
	b, err2 := Parse(s)
	return fmt.Sprint(Word(s), Changing(s), a, err, b, err2, Is(s), Others(number, []byte(s)))
}
