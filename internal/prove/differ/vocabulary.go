package differ

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// maxWords is the maximum size of a package's vocabulary.
const maxWords = 200

// A key is the JSON name of a struct field, and the kind of its value: string, integer, float,
// boolean, or "" for all else.
type key struct{ name, kind string }

// vocabulary returns the keys of a package's structs, and the short strings in its code and tests:
// inputs made from them get further than random bytes.
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
				if !tags[x] && len(words) < maxWords {
					words = appendWord(words, x, 64)
				}
			}
			return true
		})
	}
	return keys, testWords(pkg, words)
}

func appendWord(words []string, x *ast.BasicLit, most int) []string {
	if x.Kind != token.STRING {
		return words
	}
	if text, err := strconv.Unquote(x.Value); err == nil && text != "" && len(text) <= most &&
		!slices.Contains(words, text) {
		return append(words, text)
	}
	return words
}

// testWords adds the strings in the package's tests, which show what its functions are for.
func testWords(pkg *packages.Package, words []string) []string {
	if len(pkg.GoFiles) == 0 {
		return words
	}
	names, _ := filepath.Glob(filepath.Join(filepath.Dir(pkg.GoFiles[0]), "*_test.go")) // the pattern is valid
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			continue // the go command reports more about it
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if _, ok := n.(*ast.ImportSpec); ok {
				return false
			}
			if x, ok := n.(*ast.BasicLit); ok && len(words) < 2*maxWords {
				words = appendWord(words, x, 1024)
			}
			return true
		})
	}
	return words
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
