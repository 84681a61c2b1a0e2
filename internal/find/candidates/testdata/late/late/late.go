package late

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

type options struct {
	name string
	size int
}

var last *options

func keep(o *options) int {
	last = o
	return o.size
}

func Apply(text string, o options) int { // want `Take the address of a copy of o`
	if text == "" {
		return o.size
	}
	return keep(&o) + len(o.name)
}

func Sometimes(o options) int { // want `Take the address of a copy of o`
	if o.size > 3 {
		n := keep(&o)
		return n
	}
	return o.size
}

func Made(text string) int {
	o := options{text, len(text)} // want `Take the address of a copy of o`
	if o.size > 3 {
		return keep(&o)
	}
	return o.size
}

// It is set, and its address is always taken.
func Set(o options) int {
	if o.size > 3 {
		o.size++
		return keep(&o)
	}
	return o.size
}

func Always(o options) int { return keep(&o) }

func Try(r *rand.Rand) string {
	o := options{values.String(r), r.IntN(6)}
	return fmt.Sprint(Apply(values.String(r), o), Sometimes(o), Made(o.name), Set(o), Always(o), *last)
}
