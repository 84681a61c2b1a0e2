package regexpsimple

import "regexp"

// guarded is used in a test, too.
var guarded = regexp.MustCompile(`[0-9]`)

func Guarded(s string) string { return guarded.ReplaceAllString(s, "") } // want `at each character`
