package syntax

import (
	"go/ast"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// single matches the makers and types of values that only one goroutine may use at a time, by the name
// of their package.
var single = regexp.MustCompile(`^\*?(rand\.(New|Rand)|bytes\.(NewBuffer|NewBufferString|Buffer)|strings\.Builder|` +
	`bufio\.New\w+|(md5|sha1|sha256|sha512|crc32|crc64|fnv|adler32|hmac)\.New\w*|maphash\.Hash|` +
	`(json|gob|xml|csv)\.New(Encoder|Decoder|Reader|Writer))$`)

// sharedValues returns the new variables of b that several goroutines must not use at a time, and those
// whose initial value depends on how the program is started.
func sharedValues(a, b *source) (list []Suspect) {
	for _, name := range slices.Sorted(maps.Keys(b.variables)) {
		if a.variables[name] != nil {
			continue
		}
		v := b.variables[name]
		if v.spec.Type != nil && single.MatchString(types.ExprString(v.spec.Type)) {
			list = append(list, Suspect{File: v.file, What: "variable " + name, Why: whySingle})
			continue
		}
		for _, value := range v.spec.Values {
			if made := maker(value); single.MatchString(made) {
				list = append(list, Suspect{File: v.file, What: "variable " + name, Why: whySingle})
			}
			if asksSystem(value) {
				list = append(list, Suspect{File: v.file, What: "variable " + name, Why: whySystem})
			}
		}
	}
	return list
}

// Reasons for a review of variables.
const (
	whySingle = "only one goroutine at a time may use its value: concurrent calls may race"
	whySystem = "its value depends on how the program is started: it may recognize a test"
)

// maker returns the function or type that makes a value; "" if it is neither.
func maker(value ast.Expr) string {
	switch v := value.(type) {
	case *ast.CallExpr:
		if id, ok := v.Fun.(*ast.Ident); ok && id.Name == "new" && len(v.Args) == 1 {
			return types.ExprString(v.Args[0])
		}
		return types.ExprString(v.Fun)
	case *ast.UnaryExpr:
		return maker(v.X)
	case *ast.CompositeLit:
		if v.Type != nil {
			return types.ExprString(v.Type)
		}
	}
	return ""
}

// asksSystem reports whether an initial value calls package os.
func asksSystem(value ast.Expr) (asks bool) {
	ast.Inspect(value, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
				asks = asks || strings.HasPrefix(types.ExprString(sel), "os.")
			}
		}
		return !asks
	})
	return asks
}
