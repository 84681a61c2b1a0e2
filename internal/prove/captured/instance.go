package captured

import (
	"go/types"
	"regexp"
	"strings"

	"github.com/whet-go/whet/internal/capture/support"
)

// isOf reports whether a call was one of the instance of a generic function whose parameters have the types params.
// They are declared with type parameters. A parameter that is an interface in the instance takes all values.
func isOf(args []support.Value, params, declared []types.Type) bool {
	for i, t := range params {
		if !types.Identical(t, declared[i]) && !types.IsInterface(t) && reflected(args[i].Type) != reflected(named(t)) {
			return false
		}
	}
	return true
}

// named returns the name of a type with the names of packages.
func named(t types.Type) string { return types.TypeString(t, (*types.Package).Name) }

// Differences between how reflection and go/types write types. Within type arguments, reflection writes the paths of
// packages.
var (
	paths   = regexp.MustCompile(`[^][*,(){} ]*/`)
	spelled = regexp.MustCompile(`\b(byte|rune|interface ?\{\})`)
)

// reflected returns the name of a type, of reflection or of [named], in one spelling.
func reflected(name string) string {
	name = strings.ReplaceAll(paths.ReplaceAllString(name, ""), " ", "")
	return spelled.ReplaceAllStringFunc(name, func(word string) string {
		switch word {
		case "byte":
			return "uint8"
		case "rune":
			return "int32"
		}
		return "any"
	})
}
