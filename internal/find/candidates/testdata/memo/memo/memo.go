package memo

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"time"
)

func Match(pattern, s string) (bool, error) {
	re, err := regexp.Compile(pattern) // want `Keep the results of regexp.Compile`
	if err != nil {
		return false, err
	}
	return re.MatchString(s), nil
}

func Must(pattern, s string) bool {
	return regexp.MustCompile(pattern).MatchString(s) // want `Keep the results of regexp.MustCompile`
}

func In(zone string, t time.Time) (time.Time, error) {
	l, err := time.LoadLocation(zone) // want `Keep the results of time.LoadLocation`
	if err != nil {
		return t, err
	}
	return t.In(l), nil
}

func Constant(s string) bool { return regexp.MustCompile("a+").MatchString(s) }

func Try(r *rand.Rand) string {
	pattern := []string{"a+", "b", "(", "c|"}[r.IntN(4)]
	m, err := Match(pattern, "abc")
	t, zerr := In([]string{"UTC", "", "Nowhere"}[r.IntN(3)], time.Unix(int64(r.IntN(9)), 0).UTC())
	return fmt.Sprint(m, err, t, zerr, Must(pattern, "cab"))
}
