package joinedbytes

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"test/values"
)

func Key(prefix, name string) []byte {
	return []byte(prefix + "/" + name) // want `Append the texts to bytes of their length`
}

type key []byte

func Terminated(val string, lower bool) (bool, key, error) {
	if lower {
		val = strings.ToLower(val)
	}
	val += "\x00" // want `Append the texts`
	return true, key(val), nil
}

func All(list []string) (all [][]byte) {
	for _, val := range list {
		val += "\x00" // want `Append the texts`
		all = append(all, []byte(val))
	}
	return all
}

// The text is used again, belongs to all iterations, or is made by a call that must not be repeated.
func Others(val string, list []string, next func() string) string {
	val += "x"
	data := []byte(val)
	sum := ""
	for _, s := range list {
		sum += s
		data = append(data, []byte(sum)...)
	}
	data = append(data, []byte(next()+"y")...)
	return string(data) + val
}

func Try(r *rand.Rand) string {
	ok, terminated, err := Terminated(values.String(r), values.Bool(r))
	return fmt.Sprintf("%q %v %q %v %q %s", Key(values.String(r), values.String(r)), ok, terminated, err,
		All(values.Strings(r)), Others(values.String(r), values.Strings(r), func() string { return "z" }))
}
