package percall

import (
	"regexp"
	"strings"
)

var global = regexp.MustCompile(`x+`)

var both = strings.NewReplacer("a", "b")

func init() {
	if !regexp.MustCompile(`y`).MatchString("y") {
		panic("y")
	}
}

func Global(s string) bool { return global.MatchString(both.Replace(s)) }

func Given(pattern, s string) bool { return regexp.MustCompile(pattern).MatchString(s) }

func Broken(s string) bool {
	return regexp.MustCompile(`(`).MatchString(s) // the panic stays where it is
}

func Odd(s string) string {
	return strings.NewReplacer("a").Replace(s) // panics, here
}

func Pairs(s string, pairs []string) string { return strings.NewReplacer(pairs...).Replace(s) }
