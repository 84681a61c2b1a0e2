package regexpsimple

import (
	"fmt"
	"math/rand/v2"
	"regexp"

	"test/values"
)

// reserved are the characters that mean something.
var reserved = regexp.MustCompile(`[{}/\\:|@#\s.]`)

// Clean has a comment.
func Clean(value string) string {
	return reserved.ReplaceAllString(value, "-") // want `at each character`
}

// spaces are what words are apart by.
var spaces = regexp.MustCompile(`\s+`)

type page struct{ text string }

func (p page) Words() string {
	return spaces.ReplaceAllLiteralString(p.text, "$1") // want `at each character`
}

func (p *page) Squeeze() string {
	return spaces.ReplaceAllString(p.text, " ") // want `at each character`
}

var (
	// name is what is no part of a name.
	// It has two lines.
	name = regexp.MustCompile(`[^a-zA-Z0-9_]`)

	lines = regexp.MustCompile("[^\n]+")

	accents = regexp.MustCompile(`[à-ýÀ-Ý\x{fffd}]+`)

	comma = regexp.MustCompile(`, `)

	valid = regexp.MustCompile(`^[a-z][a-z0-9_]{2,15}$`)
)

func Names(s string) string { return name.ReplaceAllString(s, "_") } // want `at each character`

func Lines(s string) string { return lines.ReplaceAllString(s, "") } // want `at each character`

func Accents(s string) string { return accents.ReplaceAllString(s, "") } // want `at each character`

func Commas(s string) []string { return comma.Split(s, -1) } // want `a loop or a function`

func Joined(s string) string {
	return comma.ReplaceAllString(s+s, "é,") + // want `at each character`
		comma.ReplaceAllLiteralString(s, "$0") // want `at each character`
}

func HasComma(b []byte) bool { return comma.Match(b) } // want `one comparison`

func Valid(s string) bool { return !valid.MatchString(s) } // want `step by step`

// word is looked for.
var word = regexp.MustCompile("test")

func HasWord(text string) bool { return word.MatchString(text) } // want `one comparison`

var scheme = regexp.MustCompile(`^a`)

func Scheme(text string, raw []byte) bool {
	return scheme.MatchString(text) && scheme.Match(raw) // want `one comparison` `one comparison`
}

var suffix = regexp.MustCompile(`b$`)

func Suffix(text string) (found bool) {
	defer suffix.MatchString(text) // want `one comparison`
	return suffix.MatchString(     // want `one comparison`
		text,
	)
}

func Whole(text string) bool {
	if !regexp.MustCompile(`^test$`).MatchString(text) { // want `one comparison`
		return regexp.MustCompile(`^$`).MatchString(page{text}.text) // want `one comparison`
	}
	return true
}

func Found(text string) bool {
	found, _ := regexp.MatchString("héllo", text) // want `one comparison`
	return found
}

func FoundSet(text string) (found bool) {
	found, _ = regexp.MatchString("[%$]", text) // want `step by step`
	return found
}

func HasOrder(text string) bool {
	return regexp.MustCompile(`te[ -~]{2}`).MatchString(text) // want `step by step`
}

func Odd(text string) bool {
	return regexp.MustCompile(`[^a]é.$`).MatchString(text) || regexp.MustCompile(`a[b-z]+`).MatchString(text) // want `step by step` `step by step`
}

func Number(text string) bool {
	return regexp.MustCompile(`^-?[0-9]+(\.[0-9]*)?$`).MatchString(text) || // want `step by step`
		regexp.MustCompile(`^[+-]?[0-9]+$`).MatchString(text) // want `step by step`
}

func Vowels(text string) bool {
	return regexp.MustCompile(`[aeiouy013579]`).MatchString(text) // want `step by step`
}

// digits are found.
var digits = regexp.MustCompile(`[0-9]+`)

func Digits(s string) string {
	return digits.FindString(s) + digits.ReplaceAllString(s, "") // want `a loop or a function` `at each character`
}

// Exported may be used elsewhere.
var Exported = regexp.MustCompile(`[0-9]`)

func UsesExported(s string) string { return Exported.ReplaceAllString(s, "") } // want `at each character.*is exported`

// passed goes elsewhere.
var passed = regexp.MustCompile(`[0-9]`)

func UsesPassed(s string) string {
	return Given(passed, s) + passed.ReplaceAllString(s, "") // want `at each character.*not only used to call`
}

func Group(s string) string {
	return regexp.MustCompile(`[0-9]`).ReplaceAllString(s, "<$0>") // want `at each character`
}

func Comment(s string) bool {
	return regexp.MustCompile( /* why */ `^x`).MatchString(s) // want `one comparison`
}

func Try(r *rand.Rand) string {
	s, b := values.String(r), values.Bytes(r)
	p := page{s}
	return fmt.Sprintf("%q", []any{
		Clean(s), p.Words(), p.Squeeze(), Names(s), Lines(s), Accents(s), Commas(s), Joined(s), HasComma(b), Valid(s),
		HasWord(s), Scheme(s, b), Suffix(s), Whole(s), Found(s), FoundSet(s), HasOrder(s), Odd(s), Number(s), Vowels(s),
		Digits(s), UsesExported(s), UsesPassed(s), Group(s), Comment(s),
	})
}
