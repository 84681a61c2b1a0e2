package fold

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"test/values"
)

func Equal(a, b string) bool {
	return strings.ToLower(a) == strings.ToLower(b) // want `Compare with EqualFold`
}

func IsGzip(a string) bool {
	return len(a) > 1 && "GZIP" == strings.ToUpper(a) // want `Compare with EqualFold`
}

func Other(a string) bool {
	return strings.ToLower(a) != "identity" // want `Compare with EqualFold`
}

func Mixed(a, b string) bool { return strings.ToLower(a) == strings.ToUpper(b) }

func Never(a string) bool { return strings.ToLower(a) == "Gzip" }

func Lower(a, b string) bool { return strings.ToLower(a) == b }

func Try(r *rand.Rand) string {
	words := []string{"gzip", "GZip", "identity", "Identity", "", "É", "é"}
	a, b := words[r.IntN(len(words))], words[r.IntN(len(words))]
	return fmt.Sprint(Equal(a, b), IsGzip(a), Other(b), Equal(values.String(r), strings.ToUpper(a)))
}
