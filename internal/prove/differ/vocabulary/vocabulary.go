package vocabulary

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/internal/prove/differ/support"
)

const (
	maxWords   = 200  // maximum number of a package's constants
	maxFiles   = 40   // of files in testdata
	maxEntries = 5000 // of entries of testdata that are looked at
	maxText    = 4096 // size of a text of tests
	maxGroup   = 32   // size of a word that stands for a group
	maxMatched = 12   // of texts that an expression matches, and that are changed
)

// A key is the JSON name of a struct field, and the kind of its value: string, integer, float,
// boolean, or "" for all else.
type key struct{ name, kind string }

// A Vocabulary is what a package's own code mentions.
type Vocabulary struct {
	keys      []key
	words     []string  // short constants and literals, what the regular expressions match, the words in tests
	numbers   []int64   // constants greater than 1
	fractions []float64 // constants that are not integers
	// The first changedWords and changedNumbers are of declarations that have changed.
	changedWords, changedNumbers int

	narrowing []string // functions that convert more integers to 16 bits in the last version than in the first
}

// Of returns the vocabulary of a package, or of several versions of it.
func Of(versions ...*packages.Package) *Vocabulary {
	v := &Vocabulary{}
	for _, changed := range []bool{true, false} {
		for i, pkg := range versions {
			v.add(pkg, declarations(versions[len(versions)-1-i]), changed)
		}
		if changed {
			v.changedWords, v.changedNumbers = len(v.words), len(v.numbers)
		}
	}
	before := narrowings(versions[0])
	for name, n := range narrowings(versions[len(versions)-1]) {
		if n > before[name] {
			v.narrowing = append(v.narrowing, name)
		}
	}
	slices.Sort(v.narrowing)
	own, patterns := v.words, patterns(v.words)
	for _, p := range patterns {
		v.addMatches(p.expr)
	}
	v.words = testWords(versions[0], v.words)
	for _, p := range patterns {
		v.addBorders(p, own)
	}
	return v
}

// Add adds texts that the package's functions were called with, besides those that are too long.
func (v *Vocabulary) Add(texts []string) {
	for _, text := range texts {
		v.words = appendWord(v.words, text, maxText)
	}
}

// declarations returns the texts of the declarations of a package.
func declarations(pkg *packages.Package) map[string]bool {
	all := map[string]bool{}
	eachDeclaration(pkg, func(_ ast.Decl, text string) { all[text] = true })
	return all
}

func eachDeclaration(pkg *packages.Package, do func(d ast.Decl, text string)) {
	for _, file := range pkg.Syntax {
		at := pkg.Fset.File(file.Pos())
		source, err := os.ReadFile(at.Name())
		for _, d := range file.Decls {
			text := ""
			if end := at.Offset(d.End()); err == nil && end <= len(source) {
				text = string(source[at.Offset(d.Pos()):end])
			}
			do(d, text)
		}
	}
}

// add collects from the declarations that have changed, which others lacks, or from the rest.
func (v *Vocabulary) add(pkg *packages.Package, others map[string]bool, changed bool) {
	eachDeclaration(pkg, func(d ast.Decl, text string) {
		if others[text] == changed {
			return
		}
		tags := map[ast.Expr]bool{}
		ast.Inspect(d, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.Field:
				if x.Tag != nil {
					tags[x.Tag] = true
					v.addKey(x.Tag.Value, pkg.TypesInfo.TypeOf(x.Type))
				}
			case ast.Expr:
				if value := pkg.TypesInfo.Types[x].Value; value != nil && !tags[x] {
					v.addConstant(value)
				}
			}
			return true
		})
	})
}

// Narrowing returns the names of the functions that convert more integers to 16 bits in the last version
// than in the first.
func (v *Vocabulary) Narrowing() []string { return v.narrowing }

// narrowings returns the number of conversions of wider integers to integers of 16 bits, by function.
func narrowings(pkg *packages.Package) map[string]int {
	by := map[string]int{}
	eachDeclaration(pkg, func(d ast.Decl, _ string) {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			return
		}
		ast.Inspect(fn, func(x ast.Node) bool {
			call, ok := x.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 || !pkg.TypesInfo.Types[call.Fun].IsType() ||
				pkg.TypesInfo.Types[call.Args[0]].Value != nil {
				return true
			}
			if bits(pkg.TypesInfo.TypeOf(call.Fun)) == 16 && bits(pkg.TypesInfo.TypeOf(call.Args[0])) > 16 &&
				!drawnWide(pkg, fn, call.Args[0]) {
				by[fn.Name.Name]++
			}
			return true
		})
	})
	return by
}

// drawnWide reports whether an integer is a parameter or a field of a type with a size: inputs are often as large as
// such a type allows, while an int is mostly small, because it may be the size of something.
func drawnWide(pkg *packages.Package, fn *ast.FuncDecl, x ast.Expr) bool {
	switch pkg.TypesInfo.TypeOf(x).Underlying().(*types.Basic).Kind() { //nolint:forcetypeassert // it is an integer
	case types.Int32, types.Uint32, types.Int64, types.Uint64:
	default:
		return false
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		v, ok := pkg.TypesInfo.Uses[x].(*types.Var)
		return ok && v.Pos() >= fn.Type.Pos() && v.Pos() < fn.Type.End()
	case *ast.SelectorExpr:
		v, ok := pkg.TypesInfo.Uses[x.Sel].(*types.Var)
		return ok && v.IsField()
	}
	return false
}

// bits returns the size of an integer type; 0 for other types.
func bits(t types.Type) int {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return 0
	}
	switch b.Kind() {
	case types.Int8, types.Uint8:
		return 8
	case types.Int16, types.Uint16:
		return 16
	case types.Int32, types.Uint32:
		return 32
	case types.Int, types.Uint, types.Int64, types.Uint64, types.Uintptr:
		return 64
	default:
		return 0
	}
}

// addKey adds the JSON name of a struct field.
func (v *Vocabulary) addKey(tag string, t types.Type) {
	text, err := strconv.Unquote(tag)
	if err != nil {
		return
	}
	name, _, _ := strings.Cut(reflect.StructTag(text).Get("json"), ",")
	k := key{name, kindOf(t)}
	if name != "" && name != "-" && len(v.keys) < maxWords && !slices.Contains(v.keys, k) {
		v.keys = append(v.keys, k)
	}
}

func (v *Vocabulary) addConstant(value constant.Value) {
	switch value.Kind() {
	case constant.String:
		if len(v.words) < maxWords {
			v.words = appendWord(v.words, constant.StringVal(value), 64)
		}
	case constant.Int:
		n, ok := constant.Int64Val(value)
		if !ok { // an unsigned one
			u, exact := constant.Uint64Val(value)
			n, ok = int64(u), exact
		}
		if ok && n != 0 && n != 1 && len(v.numbers) < maxWords && !slices.Contains(v.numbers, n) {
			v.numbers = append(v.numbers, n)
		}
	case constant.Float:
		x, _ := constant.Float64Val(value)
		if len(v.fractions) < maxWords && !slices.Contains(v.fractions, x) {
			v.fractions = append(v.fractions, x)
		}
	default:
	}
}

// marks are the characters that regular expressions have.
const marks = `[\^$*+(`

// A pattern is a word that is a regular expression.
type pattern struct {
	expr *syntax.Regexp
	re   *regexp.Regexp
}

func patterns(words []string) (list []pattern) {
	for _, word := range words {
		if !strings.ContainsAny(word, marks) {
			continue
		}
		expr, err := syntax.Parse(word, syntax.Perl)
		if err != nil {
			continue
		}
		if re, err := regexp.Compile(word); err == nil {
			list = append(list, pattern{expr, re})
		}
	}
	return list
}

// addMatches adds texts that a regular expression matches.
func (v *Vocabulary) addMatches(expr *syntax.Regexp) {
	for variant := range 3 {
		if text := matching(expr, sampler{variant: variant}); len(v.words) < 2*maxWords {
			v.words = appendWord(v.words, text, 256)
		}
	}
}

// addBorders adds texts that a regular expression just matches, or just does not: with one of the own words in a group,
// since code looks up what a group matches; with characters next to a class; and, if the expression treats line breaks
// otherwise than other characters, with some after what it matches.
func (v *Vocabulary) addBorders(p pattern, own []string) {
	var found []string
	if p.re.NumSubexp() > 0 {
		for _, word := range own {
			if strings.ContainsAny(word, marks) {
				continue
			}
			text := matching(p.expr, sampler{group: word})
			if len(word) <= maxGroup && slices.Contains(p.re.FindStringSubmatch(text), word) {
				found = appendWord(found, text, 256)
			}
		}
	}
	texts := spread(found, maxMatched)
	for miss := 1; miss <= maxMatched/2; miss++ {
		for _, below := range []bool{false, true} {
			text := matching(p.expr, sampler{miss: miss, below: below})
			if !p.re.MatchString(text) {
				texts = append(texts, text)
			}
		}
	}
	found = nil
	for _, word := range v.words {
		if len(word) <= 256 && p.re.MatchString(word) {
			found = append(found, word)
		}
	}
	if matched := spread(found, maxMatched); aboutLines(p.expr) {
		for _, text := range slices.Concat(texts, matched) {
			texts = append(texts, text+"\n", text+"\n"+text)
		}
	}
	for _, text := range texts {
		if len(v.words) < 4*maxWords {
			v.words = appendWord(v.words, text, maxText)
		}
	}
}

// aboutLines reports whether a regular expression treats line breaks otherwise than other characters.
func aboutLines(expr *syntax.Regexp) bool {
	switch expr.Op {
	case syntax.OpAnyCharNotNL, syntax.OpBeginLine, syntax.OpEndLine:
		return true
	case syntax.OpEndText:
		return expr.Flags&syntax.WasDollar != 0 // that of other languages matches before a line break
	default:
	}
	return slices.ContainsFunc(expr.Sub, aboutLines)
}

// A sampler makes texts that a regular expression matches, except for its assertions.
type sampler struct {
	variant int    // chooses among alternatives, characters and repetitions
	group   string // if not "", it stands for each group, as if that matched it
	// The miss-th character of a class, from 1, is the one after its range, or before it if it is below.
	miss  int
	below bool

	classes int // that were met
}

// matching returns a text that a regular expression matches.
func matching(expr *syntax.Regexp, s sampler) string { return s.text(expr) }

func (s *sampler) text(expr *syntax.Regexp) string {
	repeated := func(least int) string {
		var b strings.Builder
		for range min(least+s.variant, 8) {
			b.WriteString(s.text(expr.Sub[0]))
		}
		return b.String()
	}
	switch expr.Op {
	case syntax.OpLiteral:
		return string(expr.Rune)
	case syntax.OpCharClass:
		if n := len(expr.Rune) / 2; n > 0 {
			return string(s.of(expr.Rune[2*(s.variant%n)], expr.Rune[2*(s.variant%n)+1]))
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return []string{"a", " ", "é"}[s.variant%3]
	case syntax.OpCapture:
		if s.group != "" {
			return s.group
		}
		return s.text(expr.Sub[0])
	case syntax.OpStar, syntax.OpQuest:
		if s.variant == 0 {
			return ""
		}
		return s.text(expr.Sub[0])
	case syntax.OpPlus:
		return repeated(1)
	case syntax.OpRepeat:
		return repeated(expr.Min)
	case syntax.OpAlternate:
		return s.text(expr.Sub[s.variant%len(expr.Sub)])
	case syntax.OpConcat:
		var b strings.Builder
		for _, sub := range expr.Sub {
			b.WriteString(s.text(sub))
		}
		return b.String()
	default:
	}
	return ""
}

// of returns a character of a range, or one next to it.
func (s *sampler) of(from, to rune) rune {
	s.classes++
	switch {
	case s.classes == s.miss && s.below:
		return max(from-1, 0)
	case s.classes == s.miss:
		return min(to+1, unicode.MaxRune)
	case from == 0 && to >= 'a': // a negated class
		return 'a'
	case s.variant == 1:
		return to
	}
	return from
}

// Source writes a file that tells the vocabulary to the package support, which has an import path. own is false in the
// copy of the package. hidden are the fields that only one version of a struct has, or that have another type in the
// other one, by the full name of the struct.
func (v *Vocabulary) Source(pkg, library string, own bool, hidden map[string]string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\nimport %s %q\n\n", pkg, support.Name, library)
	if own {
		b.WriteString("type whetOwn struct{}\n\n")
	}
	fmt.Fprintf(&b, "// Names, words and numbers in the package's own code.\nfunc init() {\n"+
		"\t%[1]s.Know(%[1]s.Vocabulary{\n", support.Name)
	if own {
		b.WriteString("\t\tOwn: whetOwn{},\n")
	}
	fmt.Fprintf(&b, "\t\tKeys: []%s.Key{", support.Name)
	for _, k := range v.keys {
		fmt.Fprintf(&b, "{Name: %q, Kind: %q}, ", k.name, k.kind)
	}
	fmt.Fprintf(&b, "},\n\t\tWords: %#v,\n\t\tNumbers: %#v,\n\t\tFractions: []float64{", v.words, v.numbers)
	for _, x := range v.fractions {
		if !math.IsInf(x, 0) {
			fmt.Fprintf(&b, "%g, ", x)
		}
	}
	fmt.Fprintf(&b, "},\n\t\tChangedWords: %d, ChangedNumbers: %d, Hidden: %#v, Narrow: %v,\n\t})\n}\n",
		v.changedWords, v.changedNumbers, hidden, len(v.narrowing) > 0)
	return b.Bytes()
}

func appendWord(words []string, text string, most int) []string {
	if text != "" && len(text) <= most && !slices.Contains(words, text) {
		return append(words, text)
	}
	return words
}

// testWords adds the strings in the package's tests, which show what its functions are for, and the
// small files in its testdata.
func testWords(pkg *packages.Package, words []string) []string {
	if len(pkg.GoFiles) == 0 {
		return words
	}
	dir := filepath.Dir(pkg.GoFiles[0])
	names, _ := filepath.Glob(filepath.Join(dir, "*_test.go")) // the pattern is valid
	var found []string
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			continue // the go command reports more about it
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.ImportSpec:
				return false
			case ast.Expr:
				if text, ok := literal(x); ok {
					found = append(found, text)
					return false
				}
			}
			return true
		})
	}
	files := documents(filepath.Join(dir, "testdata"))
	for _, text := range slices.Concat(spread(found, 2*maxWords), spread(files, maxFiles)) {
		words = appendWord(words, text, maxText)
	}
	return words
}

// literal returns the text of a string literal, or of several with + in between.
func literal(x ast.Expr) (text string, ok bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		if x.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(x.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		left, ok := literal(x.X)
		if !ok || x.Op != token.ADD {
			return "", false
		}
		right, ok := literal(x.Y)
		return left + right, ok
	}
	return "", false
}

// documents returns the contents of small files below a directory, in the order of their names.
func documents(dir string) (texts []string) {
	seen := 0
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if seen++; err != nil || seen > maxEntries {
			return fs.SkipAll
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() && info.Size() <= maxText {
			if text, err := os.ReadFile(name); err == nil {
				texts = append(texts, string(text))
			}
		}
		return nil
	})
	return texts
}

// spread returns at most n of the texts, from all parts of the list.
func spread(all []string, n int) []string {
	if len(all) <= n {
		return all
	}
	some := make([]string, n)
	for i := range some {
		some[i] = all[i*len(all)/n]
	}
	return some
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
