package regexpcode

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/whet-go/whet/internal/find/regexpcode/automaton"
)

// code is the declarations that replace a pattern.
type code struct {
	text    string // begins with a function's comment
	imports []string
}

// tables writes sets that have too many ranges for comparisons.
type tables struct {
	fresh func() string // returns the name of a new table
	made  map[string]string
	decls string

	widest int // number of ranges that are compared at one place
}

// maxCompared is the maximum number of byte ranges that are compared; more are looked up in a
// table.
const maxCompared = 4

// in returns the expression that reports whether c, a byte if the set is ASCII or else a rune, is
// in a set.
func (t *tables) in(s automaton.Set, c string) string { return t.test(s, c, false) }

// notIn returns the negation of in.
func (t *tables) notIn(s automaton.Set, c string) string { return t.test(s, c, true) }

func (t *tables) test(s automaton.Set, c string, not bool) string {
	inverse := s.Complement()
	if tabled(s) {
		expr := t.table(s) + "[" + c + "]"
		if not {
			expr = "!" + expr
		}
		return expr
	}
	if len(inverse) > 0 && len(inverse) < len(s) {
		s, not = inverse, !not
	}
	t.widest = max(t.widest, len(s)/2)
	var ranges []string
	for i := 0; i < len(s); i += 2 {
		ranges = append(ranges, within(c, s[i], s[i+1]))
	}
	expr := strings.Join(ranges, " || ")
	switch {
	case not && len(ranges) == 1 && s[0] == s[1]:
		return c + " != " + quoteRune(s[0])
	case not:
		return "!(" + expr + ")"
	}
	return expr
}

// tabled reports whether a set is looked up in a table.
func tabled(s automaton.Set) bool {
	return s.ASCII() && min(len(s), len(s.Complement()))/2 > maxCompared
}

func within(c string, first, last rune) string {
	switch {
	case first == last:
		return c + " == " + quoteRune(first)
	case first == 0 && last == unicode.MaxRune:
		return "true"
	case first == 0:
		return c + " <= " + quoteRune(last)
	case last == unicode.MaxRune:
		return c + " >= " + quoteRune(first)
	}
	return quoteRune(first) + " <= " + c + " && " + c + " <= " + quoteRune(last)
}

// quoteRune returns a rune's literal. Half a surrogate pair has none.
func quoteRune(r rune) string {
	if !utf8.ValidRune(r) {
		return fmt.Sprintf("%#x", r)
	}
	return strconv.QuoteRuneToASCII(r)
}

// table returns the name of a set's table.
func (t *tables) table(s automaton.Set) string {
	key := string(s)
	if t.made[key] == "" {
		if t.made == nil {
			t.made = map[string]string{}
		}
		t.made[key] = t.fresh()
		t.decls += fmt.Sprintf(
			"\n// %s contains the bytes that match.\n"+
				"var %s = %s\n",
			t.made[key], t.made[key], tableValue(s),
		)
	}
	return t.made[key]
}

// tableValue returns the value of a set's table.
func tableValue(s automaton.Set) string {
	text := "[256]bool{"
	n := 0
	for i := 0; i < len(s); i += 2 {
		for r := s[i]; r <= s[i+1]; r++ {
			if n%8 == 0 {
				text += "\n\t"
			} else {
				text += " "
			}
			text += strconv.QuoteRuneToASCII(r) + ": true,"
			n++
		}
	}
	return text + "\n}"
}

// Quote returns a pattern in the form used in comments.
func Quote(pattern string) string {
	if pattern != "" && strconv.CanBackquote(pattern) {
		return "`" + pattern + "`"
	}
	return strconv.Quote(pattern)
}

// replaceCode returns a function that replaces what matches a set, or runs of it.
//
// It does what regexp's ReplaceAllString does: the text is decoded from the left, with invalid
// UTF-8 as U+FFFD of width one, and what does not match is copied byte for byte. A set of ASCII
// needs no decoding, because no other rune contains such a byte.
func replaceCode(name string, s Shape, one automaton.Set, run bool, t *tables) code {
	what := "each match of " + Quote(s.pattern)
	var b strings.Builder
	fmt.Fprintf(&b, "// %s returns s with %s replaced.\nfunc %s(s, with string) string {\n", name, what, name)
	b.WriteString("\tvar b strings.Builder\n\tdone := 0 // b holds the result for s[:done]\n")
	imports := []string{"strings"}
	if one.ASCII() {
		fmt.Fprintf(&b, "\tfor i := 0; i < len(s); i++ {\n\t\tif c := s[i]; %s {\n\t\t\tcontinue\n\t\t}\n", t.notIn(one, "c"))
		b.WriteString("\t\tif done == 0 {\n\t\t\tb.Grow(len(s))\n\t\t}\n" +
			"\t\tb.WriteString(s[done:i])\n\t\tb.WriteString(with)\n")
		b.WriteString("\t\tdone = i + 1\n")
		if run {
			fmt.Fprintf(&b,
				"\t\tfor done < len(s) {\n"+
					"\t\t\tif c := s[done]; %s {\n\t\t\t\tbreak\n\t\t\t}\n\t\t\tdone++\n\t\t}\n"+
					"\t\ti = done\n",
				t.notIn(one, "c"))
		}
	} else {
		imports = append(imports, "unicode/utf8")
		b.WriteString("\tfor i := 0; i < len(s); {\n\t\tc, size := utf8.DecodeRuneInString(s[i:])\n")
		fmt.Fprintf(&b, "\t\tif %s {\n\t\t\ti += size\n\t\t\tcontinue\n\t\t}\n", t.notIn(one, "c"))
		b.WriteString("\t\tif done == 0 {\n\t\t\tb.Grow(len(s))\n\t\t}\n" +
			"\t\tb.WriteString(s[done:i])\n\t\tb.WriteString(with)\n\t\ti += size\n")
		if run {
			fmt.Fprintf(&b,
				"\t\tfor i < len(s) {\n"+
					"\t\t\tif c, size = utf8.DecodeRuneInString(s[i:]); %s {\n\t\t\t\tbreak\n\t\t\t}\n\t\t\ti += size\n\t\t}\n",
				t.notIn(one, "c"))
		}
		b.WriteString("\t\tdone = i\n")
	}
	b.WriteString("\t}\n\tif done == 0 {\n\t\treturn s\n\t}\n\tb.WriteString(s[done:])\n\treturn b.String()\n}\n")
	return code{b.String() + t.decls, imports}
}

// matchCode returns a function that reports whether a text has a match; s is a matcher. tail
// returns the name of a second function, which is needed if a match may begin anywhere.
func matchCode(name string, tail func() string, s Shape, t *tables) code {
	pattern := Quote(s.pattern)
	if s.Begin {
		c := sequence(s.items, s.End, t)
		text := fmt.Sprintf(
			"// %s reports whether s matches %s.\n"+
				"func %s(s string) bool {\n%s}\n",
			name, pattern, name, c.text,
		)
		return code{text + t.decls, c.imports}
	}
	head := fmt.Sprintf("// %s reports whether s contains a match of %s.\nfunc %s(s string) bool {\n", name, pattern, name)
	if one := s.items[0]; len(s.items) == 1 && one.max == 1 && !s.End {
		runes := "s"
		if one.set.ASCII() {
			runes = "[]byte(s)"
		}
		text := fmt.Sprintf(
			"\tfor _, c := range %s {\n\t\tif %s {\n\t\t\treturn true\n\t\t}\n\t}\n"+
				"\treturn false\n}\n",
			runes, t.in(one.set, "c"),
		)
		return code{head + text + t.decls, nil}
	}
	rest := tail()
	var b strings.Builder
	b.WriteString(head)
	text, after := prefix(s.items)
	var imports []string
	if text != "" {
		// A match begins where its text does; the next one is searched one byte further, since they
		// may overlap.
		lit := strconv.Quote(text)
		fmt.Fprintf(&b, "\tfor {\n\t\ti := strings.Index(s, %s)\n\t\tif i < 0 {\n\t\t\treturn false\n\t\t}\n", lit)
		fmt.Fprintf(&b, "\t\tif %s(s[i+len(%s):]) {\n\t\t\treturn true\n\t\t}\n\t\ts = s[i+1:]\n\t}\n}\n\n", rest, lit)
		imports = append(imports, "strings")
	} else {
		fmt.Fprintf(&b,
			"\tfor i := range s {\n\t\tif %s(s[i:]) {\n\t\t\treturn true\n\t\t}\n\t}\n"+
				"\treturn false\n}\n\n",
			rest)
		after = s.items
	}
	c := sequence(after, s.End, t)
	fmt.Fprintf(&b,
		"// %s reports whether s begins with the rest of a match.\n"+
			"func %s(s string) bool {\n%s}\n",
		rest, rest, c.text)
	return code{b.String() + t.decls, append(imports, c.imports...)}
}

// sequence returns the statements that report whether s begins with items, and ends with them.
func sequence(items []item, end bool, t *tables) code {
	var b strings.Builder
	var imports []string
	for len(items) > 0 {
		text, after := prefix(items)
		if text != "" {
			lit := strconv.Quote(text)
			if after == nil {
				imports = appendLast(&b, lit, end, imports)
				return code{b.String(), imports}
			}
			fmt.Fprintf(&b, "\tif !strings.HasPrefix(s, %s) {\n\t\treturn false\n\t}\n\ts = s[len(%s):]\n", lit, lit)
			imports = append(imports, "strings")
			items = after
			continue
		}
		x := items[0]
		items = items[1:]
		last := len(items) == 0 && !end
		if x.set.ASCII() {
			bytesItem(&b, x, last, t)
		} else {
			imports = append(imports, "unicode/utf8")
			runesItem(&b, x, last, t)
		}
		if last {
			return code{b.String() + "\treturn true\n", imports}
		}
	}
	if end {
		b.WriteString("\treturn s == \"\"\n")
	} else {
		b.WriteString("\treturn true\n")
	}
	return code{b.String(), imports}
}

// appendLast ends a sequence with a text.
func appendLast(b *strings.Builder, lit string, end bool, imports []string) []string {
	if end {
		fmt.Fprintf(b, "\treturn s == %s\n", lit)
		return imports
	}
	fmt.Fprintf(b, "\treturn strings.HasPrefix(s, %s)\n", lit)
	return append(imports, "strings")
}

// bytesItem removes bytes of a set from the start of s; last means that s is not used after it.
func bytesItem(b *strings.Builder, x item, last bool, t *tables) {
	switch {
	case x.min == 1 && x.max == 1:
		fmt.Fprintf(b,
			"\tif s == \"\" {\n\t\treturn false\n\t}\n"+
				"\tif c := s[0]; %s {\n\t\treturn false\n\t}\n",
			t.notIn(x.set, "c"))
		if !last {
			b.WriteString("\ts = s[1:]\n")
		}
	case x.min == x.max:
		fmt.Fprintf(b,
			"\tif len(s) < %d {\n\t\treturn false\n\t}\n"+
				"\tfor _, c := range []byte(s[:%d]) {\n\t\tif %s {\n\t\t\treturn false\n\t\t}\n\t}\n",
			x.min, x.min, t.notIn(x.set, "c"))
		if !last {
			fmt.Fprintf(b, "\ts = s[%d:]\n", x.min)
		}
	default:
		b.WriteString("\tfor n := 0; ; n++ {\n")
		stop := "n == len(s)"
		if x.max > 0 {
			stop += fmt.Sprintf(" || n == %d", x.max)
		}
		fmt.Fprintf(b, "\t\tif %s || %s {\n", stop, t.notIn(x.set, "s[n]"))
		if x.min > 0 {
			fmt.Fprintf(b, "\t\t\tif n < %d {\n\t\t\t\treturn false\n\t\t\t}\n", x.min)
		}
		b.WriteString("\t\t\ts = s[n:]\n\t\t\tbreak\n\t\t}\n\t}\n")
	}
}

// runesItem removes runes of a set from the start of s.
func runesItem(b *strings.Builder, x item, last bool, t *tables) {
	if x.min == x.max {
		head := "{"
		if x.min > 1 {
			head = fmt.Sprintf("for i := 0; i < %d; i++ {", x.min)
			last = false
		}
		fmt.Fprintf(b,
			"\t%s\n\t\tc, size := utf8.DecodeRuneInString(s)\n"+
				"\t\tif size == 0 || %s {\n\t\t\treturn false\n\t\t}\n",
			head, t.notIn(x.set, "c"))
		if !last {
			b.WriteString("\t\ts = s[size:]\n")
		}
		b.WriteString("\t}\n")
		return
	}
	stop := "size == 0"
	if x.max > 0 {
		stop += fmt.Sprintf(" || n == %d", x.max)
	}
	head := "for {"
	if x.min > 0 || x.max > 0 {
		head = "for n := 0; ; n++ {"
	}
	fmt.Fprintf(b, "\t%s\n\t\tc, size := utf8.DecodeRuneInString(s)\n\t\tif %s || %s {\n", head, stop, t.notIn(x.set, "c"))
	if x.min > 0 {
		fmt.Fprintf(b, "\t\t\tif n < %d {\n\t\t\t\treturn false\n\t\t\t}\n", x.min)
	}
	b.WriteString("\t\t\tbreak\n\t\t}\n\t\ts = s[size:]\n\t}\n")
}
