package compiled

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"

	"test/values"
)

// version is a version's number.
var version = regexp.MustCompile(`^v?(\d+)\.(\d+)(?:\.(\d+))?(-[a-z]+)?$`)

func Version(s string) (major string, err error) {
	m := version.FindStringSubmatch(s) // want `step by step`
	if m == nil {
		return "", fmt.Errorf("%q is no version", s)
	}
	return m[1] + m[2] + m[3] + m[4], nil
}

var (
	// pair is what a query has.
	pair = regexp.MustCompile(`([a-z]+)=([^&]*)`)

	label = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)

	word = regexp.MustCompile(`\b[[:alpha:]]\w*`)
)

func Swap(s string) string { return pair.ReplaceAllString(s, "$2=${1}") } // want `step by step`

func Pairs(s string) (list [][]string, at [][]int) {
	return pair.FindAllStringSubmatch(s, -1), // want `step by step`
		pair.FindAllStringSubmatchIndex(s, 2) // want `step by step`
}

func Label(s string) bool { return !label.MatchString(s) } // want `step by step`

func LabelBytes(b []byte) bool {
	return label.Match(b) // want `step by step`
}

func Words(s string, b []byte) (string, []int, [][]byte, []byte) {
	return word.FindString(s), word.FindStringIndex(s), // want `step by step` `step by step`
		word.FindAll(b, -1), // want `step by step`
		word.ReplaceAll(b, []byte("<$0>")) // want `step by step`
}

func Quoted(s string) string {
	return word.ReplaceAllStringFunc(s, strconv.Quote) // want `step by step`
}

// Fields compiles its pattern on each call.
func Fields(s string, n int) []string {
	comma := regexp.MustCompile(`\s*[,;]\s*`)
	if strings.Contains(s, "\n") {
		return comma.Split(s, -1) // want `step by step`
	}
	return comma.Split(s, n) // want `step by step`
}

func Nothing(b []byte) []byte {
	return regexp.MustCompile(`x*`).ReplaceAll(b, []byte("-")) // want `step by step`
}

func Address(s string) bool {
	return regexp.MustCompile(`^(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$`).MatchString(s) // want `step by step`
}

// Known replacements may refer to groups.
func Known(s, with string) string {
	return regexp.MustCompile(`a(b)?c`).ReplaceAllString(s, with) // want `no rewrite: the replacement is not constant`
}

func Large(s string) string {
	return regexp.MustCompile(`\b(?:\d{1,3}\.){3}\d{1,3}\b`).FindString(s) // want `no rewrite: the pattern needs`
}

func Names() []string {
	re := regexp.MustCompile(`(?P<a>b)|c`)
	return append(re.SubexpNames(), re.FindString("b")) // want `no rewrite: the method SubexpNames`
}

func Longest(s string) string {
	re := regexp.MustCompile(`a|ab`)
	re.Longest()
	return re.FindString(s) // want `no rewrite: the method Longest`
}

func Passed(s string) string {
	re := regexp.MustCompile(`a|ab`)
	return use(re, s) + re.FindString(s)
}

func use(re *regexp.Regexp, s string) string { return re.FindString(s) }

func Try(r *rand.Rand) string {
	s, b := values.String(r), values.Bytes(r)
	number := fmt.Sprintf("v%d.%d-%s", r.IntN(20), r.IntN(20), s)
	query := "a=" + s + "&bc=" + s + "&d"
	v, err := Version(number)
	list, at := Pairs(query)
	w, i, all, out := Words(s, b)
	return fmt.Sprintf("%q", []any{
		v, err, Swap(query), list, at, Label(s), LabelBytes(b), w, i, all, out, Quoted(s), Fields(s+" , "+s, r.IntN(5)-1), Nothing(b),
		Address(number[1:]), Known(s, s), Large(s), Names(), Longest(s), Passed(s),
	})
}
