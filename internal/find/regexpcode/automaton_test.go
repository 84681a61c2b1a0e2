package regexpcode

import (
	"bufio"
	"compress/bzip2"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/find/regexpcode/automaton"
)

// A stanza is a pattern of Go's test data, and the texts that it is tried on.
type stanza struct {
	pattern string
	texts   []string
}

// goTestdata calls f for the patterns of the exhaustive tests of RE2 or another file of package regexp.
func goTestdata(t testing.TB, file string, f func(stanza)) {
	t.Helper()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(strings.TrimSpace(string(root)), "src/regexp/testdata", file)
	in, err := os.Open(name)
	if err != nil {
		t.Skip("the Go source tree is not installed: " + err.Error())
	}
	defer func() { _ = in.Close() }()
	var r io.Reader = in
	if strings.HasSuffix(file, ".bz2") {
		r = bzip2.NewReader(in)
	}
	lines := bufio.NewScanner(r)
	var texts []string
	inTexts := false
	for lines.Scan() {
		switch line := lines.Text(); {
		case line == "strings":
			texts, inTexts = nil, true
		case line == "regexps":
			inTexts = false
		case strings.HasPrefix(line, `"`):
			q, err := strconv.Unquote(line)
			if err != nil {
				t.Fatal(err)
			}
			if inTexts {
				texts = append(texts, q)
				continue
			}
			f(stanza{q, texts})
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// compiled is a pattern's automata.
type compiled struct {
	re            *regexp.Regexp
	match, groups *automaton.Automaton
}

func compile(pattern string) (*compiled, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	c := &compiled{re: re}
	if c.match, err = automaton.Build(prog, nil); err != nil {
		return nil, err
	}
	slots := []int{0}
	for i := 2; i < 2*re.NumSubexp()+2; i++ {
		slots = append(slots, i)
	}
	if c.groups, err = automaton.Build(prog, slots); err != nil {
		return nil, err
	}
	c.match.Reduce()
	c.groups.Reduce()
	return c, nil
}

// at returns what FindStringSubmatchIndex returns for the text from a position, with what is before it.
func (c *compiled) at(s string, at int) []int {
	slots, end, ok := c.groups.Find(s, at)
	if !ok {
		return nil
	}
	return slices.Insert(slots, 1, end)
}

// all returns what FindAllStringSubmatchIndex does.
func (c *compiled) all(s string) [][]int {
	var all [][]int
	for at, last := 0, -1; at <= len(s); {
		m := c.at(s, at)
		if m == nil {
			break
		}
		keep := true
		if m[1] == at {
			keep = m[0] != last
			_, size := (&automaton.Automaton{Classes: []automaton.Set{{0, 0x10ffff}}}).Class(s[at:])
			at += max(size, 1)
		} else {
			at = m[1]
		}
		last = m[1]
		if keep {
			all = append(all, m)
		}
	}
	return all
}

func (c *compiled) check(t *testing.T, s string) bool {
	t.Helper()
	if want, got := c.re.FindStringSubmatchIndex(s), c.at(s, 0); !slices.Equal(want, got) {
		t.Errorf("%q on %q: %v, want %v", c.re, s, got, want)
		return false
	}
	if _, _, got := c.match.Find(s, 0); got != c.re.MatchString(s) {
		t.Errorf("%q on %q: match is %v", c.re, s, got)
		return false
	}
	if want, got := c.re.FindAllStringSubmatchIndex(s, -1), c.all(s); !slices.EqualFunc(want, got, slices.Equal) {
		t.Errorf("%q on %q: %v, want %v", c.re, s, got, want)
		return false
	}
	return true
}

func TestSearch(t *testing.T) { agree(t, "re2-search.txt", 1) }

func TestExhaustive(t *testing.T) {
	every := 97
	if os.Getenv("WHET_EXHAUSTIVE") != "" {
		every = 1
	}
	agree(t, "re2-exhaustive.txt.bz2", every)
}

// FuzzAutomaton compares what an automaton finds with what package regexp finds.
func FuzzAutomaton(f *testing.F) {
	for _, p := range hardPatterns() {
		for _, s := range hardTexts() {
			f.Add(p, s)
		}
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 60 || len(text) > 60 {
			return
		}
		if c, err := compile(pattern); err == nil {
			c.check(t, text)
		}
	})
}

// TestHard compares on patterns and texts that are easy to get wrong.
func TestHard(t *testing.T) {
	for _, p := range hardPatterns() {
		c, err := compile(p)
		if err != nil {
			t.Errorf("%q: %v", p, err)
			continue
		}
		for _, s := range hardTexts() {
			c.check(t, s)
		}
	}
}

// hardPatterns are patterns in which package regexp's rules show.
func hardPatterns() []string {
	return []string{
		``, `a`, `é`, `^`, `$`, `^$`, `(?m)^`, `(?m)$`, `(?m)^$`, `(?m)^a*$`, `\b`, `\B`, `\ba`,
		`a\b`, `\bé`, `\b\w+\b`,
		`\A\z`, `a|ab`, `ab|a`, `a*?`, `a+?b?`, `(a|ab)(c|bcd)(d*)`, `(a*)*`, `(a*)+`, `(a|b*)*`,
		`(a??)*`, `(|a)*`, `(|a)+`,
		`(a)|b`, `((a)|b)*`, `(?:(a)|(b))*`, `(a)?b`, `(a*)(b?)(b+)`, `x*`, `(?i)k`, `(?i)straße`,
		`(?i)[ks]+`, `.`, `(?s).`, `.*`,
		`(?s).*`, `[^a]`, `[^a]+`, `^[^a]{2}$`, `\x{fffd}`, `[\x{fffd}a]+`, `[\x80-\x{10ffff}]`,
		`[^\x00-\x7f]+a`, `.a`, `a.b`,
		`(.)(.)`, `^.{3}$`, `\pL+`, `[[:^alpha:]]`, `a{2,3}?`, `(a{1,2}){2}`, `(?:a{0,2}){2,3}b`,
		`a$|b`, `(^|,)([^,]*)`,
		`([^,]*)(,|$)`, `^(\d+)\.(\d+)(?:\.(\d+))?(-[a-z]+)?$`, `id=(\d+)`, `iid=(\d+)x`, `aab`,
		`aabaa`, `(\w+)@(\w+)\.com`,
		`\s+$`, `^\s+|\s+$`, `//.*`, `/\*.*?\*/`, `"(?:[^"\\]|\\.)*"`, `foo(bar|baz)?$`,
		`[ab]*c[ab]*c`, `a.*b|c`, `(?U)a+`,
		`a\B`, `\B.\B`, `$^`, `a^`, `^*`, `$*`, `(?:^a)+`, `\z.`, `[^\s\S]`, `[^\s\S]|a`, `(?i:İ)|i`,
		`a??$`,
		`((((a))))`, `(a+|b)*c|(a+)`, `(?m)^(\w+):\s*(.*?)\s*$`, `-?[0-9]+`, `^-?[0-9]+$`,
		`^[+-]?(\d+)(\.\d+)?$`,
	}
}

// hardTexts are texts for them.
func hardTexts() []string {
	return []string{
		"", "a", "b", "c", "ab", "ba", "abc", "abcd", "aab", "aaab", "aabaabaa", "é", "aé", "éa",
		"日本", "日", "k", "K", "\u212a", "ſS",
		"\n", "a\n", "\na", "a\nb", "\n\n", "a\n\nb\n", "\r\n", "\xff", "\xffa", "a\xff", "\xe6",
		"\xe6\x97", "\xe6\x97\xa5\xe6",
		"\xe6a\x97", "\ufffd", "\ufffda\xff\xfe", "\x80\x80", "\xed\xa0\x80", "\U0010ffff", "a b",
		" a ", "  ", "a,b,,c,", ",", ",,",
		"1.2.3-rc", "1.2", "-12", "+1.5", "id=42", "iiid=42x", "iid=4iid=5x", "x@y.com z",
		"x@y@z.com", "/* a */ b */", "// c\n// d",
		`"a\"b" "c`, "foobar", "foobaz foo", "foobarbaz", "acbc", "aaac", "aaad", "straße STRASSE",
		"İi", "key:  value \nk2:v", "a1b22c333",
		"word word_ wörd", "aaaaaa", "bbb", "abababc", "cab", "xaabaaby", "a.b", "\t\v\f", "\x00a",
	}
}

func agree(t *testing.T, file string, every int) {
	n, refused, wrong, states := 0, map[string]int{}, 0, 0
	goTestdata(t, file, func(s stanza) {
		n++
		if n%every != 0 || wrong > 10 {
			return
		}
		c, err := compile(s.pattern)
		if err != nil {
			refused[err.Error()]++
			return
		}
		states = max(states, len(c.groups.States))
		for _, text := range s.texts {
			if !c.check(t, text) {
				wrong++
				return
			}
		}
	})
	t.Log(n, refused, states)
}
