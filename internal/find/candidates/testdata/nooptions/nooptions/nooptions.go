package nooptions

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

type options struct {
	name string
	n    int
}

type Option func(*options)

func WithN(n int) Option { return func(o *options) { o.n = n } }

func defaults(name string) options { return options{name: name, n: 1} }

func collect(name string, opts ...Option) options { // want `Return early without opts`
	o := defaults(name)
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// There are other uses, and nothing is returned.
func Others(list ...int) (n int) {
	for _, x := range list {
		n += x
	}
	n += len(list)
	return n
}

func Try(r *rand.Rand) string {
	name := values.String(r)
	return fmt.Sprint(collect(name), collect(name, WithN(r.IntN(9))), Others(1, 2))
}
