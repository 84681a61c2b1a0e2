package fmtappendf

import (
	"fmt"
	"math/rand/v2"

	"test/values"
)

func Line(name string) []byte {
	return []byte(fmt.Sprintf("%s\n", name)) // want `Appendf`
}

func Text(name string) string { return fmt.Sprintf("%s\n", name) }

func Try(r *rand.Rand) string { return string(Line(values.String(r))) }
