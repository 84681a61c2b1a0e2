package timeline_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"testing"

	"github.com/whet-go/whet/internal/golden"
)

// A filterMatch is what a filter matches.
type filterMatch struct {
	Pattern string `json:"pattern"`
	Valid   bool   `json:"valid"`
	Matches []bool `json:"matches"` // of each text
}

// TestFilters writes what filters match in a served timeline: ui/src/lib/re2.test.ts compares it
// with what they match in a saved page.
func TestFilters(t *testing.T) {
	texts := []string{
		"", "main.main", "net/http.(*conn).serve", "goroutine 17", "Goroutine 17",
		"GET /api/users/{id}", "a\nb", "a\r\nb",
		"x\u2028y", "Straße", "STRASSE", "ſ", "s", "K", "k", "\u212a", "Ωμέγα", "ωμέγα", "İ", "ı",
		"日本語", "é", "é", "a_b-c",
		" \t", "\v", "\u00a0", "a{2}", "aa", "aaa", "ab", "abb", "AB", "aB", "]", "^", "-", `\`,
		"$", "π = 3", "👍🏽", "\x07\x00", "Ab1",
	}
	patterns := []string{
		"", "main", `main\.`, "^main", "main$", "^$", "^a$", "(?m)^b", "(?m)a$", "(?m)^a$", "a.b",
		"(?s)a.b", "x.y", "a..b",
		"(?i)GOROUTINE", "(?i)straße", "(?i)strasse", "(?i)S", "(?i)k", "(?i)[k-s]", "(?i)[^k]",
		"(?i)ω", "(?i)İ", "(?i)ı",
		"(?i:ab)", "(?i)a(?-i)b", "a(?i)b", "(?i:1|2) ", "(?i)1", "(?-i)AB", "(?im)^B$",
		`\pL`, `\PL`, `^\pL+$`, `^\PL+$`, `\p{Greek}`, `\P{Greek}`, `\p{^Greek}`, `\p{Lu}`,
		`(?i)\p{Lu}`, `(?i)^\P{Lu}`,
		`[\p{Lu}\d]`, `[^\pL]`, `[\PL]`, `[^\PL]`, `\p{Han}+`, `\p{Nope}`, `\pX`, `\p{L`, `\p`, `\p{Any}`, `\p{So}`,
		"(?P<n>a)b", "(?<n>a)b", "(?P<n>a)(?P<n>b)", "(?P<>a)", "(?P<é>a)", "(?P<n", "(?P=n)",
		"(a)(b)", "(?:a|b)+$", "()", "(|a)",
		"(", ")", "a)", "(a", "[", "[]", "[]]", "[^]]", "[a", "[z-a]", "[a-]", "[-a]", "[a-c-e]",
		"[^^]", `[\]\\]`, "[[:alpha:]]",
		"[[:^alpha:]]", "[^[:space:]]", "[[:word:]]+", "[[:nope:]]", "[[:constructor:]]",
		"[[:alpha]", "[[:punct:]]", "[é-ü]",
		"*", "+a", "?", "a|*", "(*)", "^*", "$+", "a**", "a*+", "a*?", "a+?b", "a??", "a???", "{2}",
		"a{2}", "a{2}$", "^a{2}$",
		"a{2,}", "a{,2}", "a{2,1}", "a{1001}", "a{1000}", "(a{500}){2}", "(a{500}){3}", "a{",
		"a{x}", "a{02}", "a{2}{3}", "{", "}",
		`\d`, `\D`, `^\D+$`, `\w`, `\W`, `^\w+$`, `(?i)^\w$`, `(?i)^\W$`, `\s`, `\S`, `^\S$`,
		`^\s+$`, `[\d\s]`, `[\D]`, `[^\W]`,
		`[^\S]`, `(?i)[\W]`, `\bserve\b`, `\Bain`, `\bß`, `(?i)\bSERVE`, `\A`, `a\z`, `\Aa\z`, `\Z`,
		`\Qa{2}\E`, `\Qa.b`, `\Q\E*`, `^\Qab\E+$`,
		`(?i)\Qab\E`, `\.`, `\-`, `\_`, `\é`, `\a`, `\f`, `\v`, `\x41`, `\x{1F44D}`, `\x{110000}`,
		`\xZ`, `\101`, `\0`, `\1`, `(a)\1`,
		`\8`, `\c`, `\u0041`, `\C`, `\`, "(?=a)", "(?!a)", "(?<=a)b", "(?<!a)b", "(?>a)", "(?#c)",
		"(?)", "(?-)a", "(?U)a+", "(?x)a",
		"(?i-s:A.)", "(?i", "👍", "👍.", "^👍.$", "^.$", "日.語", "/api/users/{id}", "a|b|", "GET|POST",
		`\(\*conn\)`, "$a", "a^",
	}
	all := struct {
		Texts    []string      `json:"texts"`
		Patterns []filterMatch `json:"patterns"`
	}{Texts: texts}
	for _, pattern := range patterns {
		re, err := regexp.Compile(pattern)
		m := filterMatch{Pattern: pattern, Valid: err == nil, Matches: []bool{}}
		for _, text := range texts {
			if err == nil {
				m.Matches = append(m.Matches, re.MatchString(text))
			}
		}
		all.Patterns = append(all.Patterns, m)
	}
	var b bytes.Buffer
	w := json.NewEncoder(&b)
	w.SetEscapeHTML(false)
	if err := w.Encode(all); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/filters.json", b.Bytes())
}
