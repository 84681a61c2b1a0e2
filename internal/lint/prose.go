package lint

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A phrase is an expression that the project avoids, and what to write instead.
type phrase struct {
	key     string // is part of each match
	pattern *regexp.Regexp
	cure    string
}

// gap matches the separator of two words in a phrase: white space and, where a comment or a
// concatenated string continues on the next line, its markers.
const gap = `[\s/*"+]+`

// phrases returns the banned phrases. A space in a pattern matches [gap], so that line breaks do
// not hide a phrase.
func phrases() []phrase {
	var list []phrase
	add := func(key, pattern, cure string) {
		pattern = strings.ReplaceAll(strings.Replace(pattern, "KEY", key, 1), " ", gap)
		list = append(list, phrase{key, regexp.MustCompile(pattern), cure})
	}
	active := "use an active verb: prints, reports, runs, considers"
	actor := "name the actor (the user, the caller, a goroutine), or use the passive"
	add("whether", `\btell(s|ing)? KEY\b`, "reports whether")
	add("said", `\b(is|are|was|were) KEY\b`, active)
	add("told", `\b(is|are|was|were) KEY\b`, active)
	add("asked", `\b(is|are|was|were) KEY\b`, active)
	add("body", `\b([Nn]o|[Ss]ome)KEY\b`, actor)
	add("kin", `\b(its|their) KEY\b`, "name the things, or write: and the like")
	add("such", `\b[Tt]here (is|are) no KEY (ones?|way)\b`, "unknown X %q (want a, b or c)")
	add("own", `\bof (its|their) KEY\b`, "separate, own, or leave it out")
	add("said", `\bwhat is not KEY\b`, "name what is left out")
	add("nothing", `\bsays KEY of\b`, "does not cover, does not mention")
	add("eside", `\b[Bb]KEY\b`, "next to, and, compared with")
	add("processor", `\bKEY time\b`, "CPU time")
	add("doubt", "(^|[^\"`])\\bKEYs?\\b", "warning; in a sentence: reason to distrust") // quoted: a field of JSON
	add("wants", `\bKEY (a|an|no|the)( [a-z]+)? (tree|file|value)\b`, "requires")
	add("good", `\bKEY for\b`, "name the use: use it for, suits, valid for")
	add("most", `\bso (long|often|much) at KEY\b`, "at most")
	add("long", `\bfor so KEY\b`, "for this long, or name the duration")
	add("%", `[0-9] KEY( (of|to|and|or|in|is|when)\b|[)|])`, "5%, as package unit writes it")
	return list
}

// find returns the phrase's matches in text. It runs the expression only around the key, because
// expressions are slow.
func (p phrase) find(text []byte) [][]int {
	const around = 80
	key := []byte(p.key)
	var found [][]int
	for at := 0; ; at += len(key) {
		i := bytes.Index(text[at:], key)
		if i < 0 {
			return found
		}
		at += i
		from, to := max(at-around, 0), min(at+around, len(text))
		for _, m := range p.pattern.FindAllIndex(text[from:to], -1) {
			if m[0]+from <= at && at < m[1]+from {
				found = append(found, []int{m[0] + from, m[1] + from})
			}
		}
	}
}

// Line widths, in characters. A tab counts as one.
const (
	maxCodeColumns     = 120
	maxMarkdownColumns = 100
)

// licenseTexts is a file with texts of others.
const licenseTexts = "THIRD_PARTY.md"

// Prose walks a repository and checks what people read: banned phrases in Go, TypeScript and
// Markdown; the forms of errors, flags and doc comments in Go; the width of lines.
func Prose(repo fs.FS) ([]Problem, error) {
	var problems []Problem
	banned := phrases()
	err := fs.WalkDir(repo, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if skipFolder(name) {
				return fs.SkipDir
			}
			return nil
		}
		ext := path.Ext(name)
		if !slices.Contains([]string{".go", ".ts", ".tsx", ".md"}, ext) || name == licenseTexts {
			return nil
		}
		text, err := fs.ReadFile(repo, name)
		if err != nil {
			return err
		}
		add := func(line int, text, cure string) {
			problems = append(problems, Problem{fmt.Sprintf("%s:%d", name, line), text, cure})
		}
		for _, p := range banned {
			for _, m := range p.find(text) {
				found := strings.Join(strings.FieldsFunc(string(text[m[0]:m[1]]), isGap), " ")
				add(1+bytes.Count(text[:m[0]], []byte("\n")), fmt.Sprintf("says %q", found), p.cure)
			}
		}
		switch ext {
		case ".md":
			wideMarkdown(string(text), add)
		case ".go":
			return goForms(name, text, add)
		default:
			wideCode(string(text), nil, add)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("walk repository: %w", err)
	}
	return problems, nil
}

func isGap(r rune) bool { return strings.ContainsRune(" \t\n\r/*\"+", r) }

// wideCode finds lines of code that are too wide. It skips lines within raw strings, which are
// data.
func wideCode(text string, raw map[int]bool, add func(line int, text, cure string)) {
	at := 0
	for line := range strings.Lines(text) {
		at++
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\r\n")); n > maxCodeColumns && !raw[at] {
			add(at, fmt.Sprintf("has %d columns, the limit is %d", n, maxCodeColumns), "break the line")
		}
	}
}

var (
	fence       = regexp.MustCompile("^ *(```|~~~)")
	indented    = regexp.MustCompile(`^(    |\t)`)
	linkTarget  = regexp.MustCompile(`^ *\[[^\]]+\]: `)
	listOrQuote = regexp.MustCompile(`^\s*([-*+>]|\d+\.|#+)? *`)
)

// wideMarkdown finds lines of prose that are too wide. It skips tables, code, and lines without a
// space to break at.
func wideMarkdown(text string, add func(line int, text, cure string)) {
	at, fenced, blank, list := 0, false, true, false
	for line := range strings.Lines(text) {
		at++
		line = strings.TrimRight(line, "\r\n")
		if fence.MatchString(line) {
			fenced = !fenced
			continue
		}
		words := strings.TrimSpace(line)
		code := fenced || blank && !list && indented.MatchString(line)
		if !code && words != "" {
			item := listOrQuote.FindString(line)
			list = strings.ContainsAny(item, "-*+.") || list && strings.HasPrefix(line, " ")
		}
		blank = words == "" || code
		n := utf8.RuneCountInString(line)
		if code || n <= maxMarkdownColumns || strings.HasPrefix(words, "|") {
			continue
		}
		if rest := line[len(listOrQuote.FindString(line)):]; !strings.Contains(rest, " ") || linkTarget.MatchString(line) {
			continue
		}
		add(at, fmt.Sprintf("has %d columns, the limit is %d", n, maxMarkdownColumns), "wrap the paragraph")
	}
}
