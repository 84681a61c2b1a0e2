package differ

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// maxWords bounds the vocabulary of a package.
const maxWords = 200

// A key is a name that a struct's field has in JSON, and what it takes: string, integer, float,
// boolean, or "" for all else.
type key struct{ name, kind string }

// vocabulary are the keys of a package's structs, and the short texts in its code: inputs made of
// them reach further than random bytes.
func vocabulary(pkg *packages.Package) (keys []key, words []string) {
	for _, file := range pkg.Syntax {
		tags := map[*ast.BasicLit]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.Field:
				if x.Tag == nil {
					break
				}
				tags[x.Tag] = true
				text, err := strconv.Unquote(x.Tag.Value)
				if err != nil {
					break
				}
				name, _, _ := strings.Cut(reflect.StructTag(text).Get("json"), ",")
				k := key{name, kindOf(pkg.TypesInfo.TypeOf(x.Type))}
				if name != "" && name != "-" && len(keys) < maxWords && !slices.Contains(keys, k) {
					keys = append(keys, k)
				}
			case *ast.BasicLit:
				if x.Kind != token.STRING || tags[x] || len(words) >= maxWords {
					break
				}
				if text, err := strconv.Unquote(x.Value); err == nil && text != "" && len(text) <= 64 && !slices.Contains(words, text) {
					words = append(words, text)
				}
			}
			return true
		})
	}
	return keys, words
}

func kindOf(t types.Type) string {
	if t == nil {
		return ""
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return ""
	}
	switch info := b.Info(); {
	case info&types.IsString != 0:
		return "string"
	case info&types.IsInteger != 0:
		return "integer"
	case info&types.IsFloat != 0:
		return "float"
	case info&types.IsBoolean != 0:
		return "boolean"
	}
	return ""
}
