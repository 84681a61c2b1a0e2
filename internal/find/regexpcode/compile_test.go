package regexpcode

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A program is a Go program that compares functions with the methods in whose place they are.
type program struct {
	names    map[string]int
	files    []*strings.Builder
	imports  []map[string]bool
	cases    []testCase
	forms    map[Strategy]int
	refused  map[string]int
	compiled int
	last     Strategy
}

// A testCase is a method of a pattern and the texts for it.
type testCase struct {
	Pattern, Method string
	Args            []string // after the text; integers begin with #
	Texts           []string
	call            string
}

// fresh returns an unused name.
func (p *program) fresh(base string) string {
	if p.names == nil {
		p.names = map[string]int{}
	}
	p.names[base]++
	if n := p.names[base]; n > 1 {
		return p.fresh(fmt.Sprintf("%s%d", base, n))
	}
	return base
}

// A testUse is a use, and the arguments after the text.
type testUse struct {
	method string
	args   []string
}

// add adds what Compile makes of the uses of a pattern.
func (p *program) add(t *testing.T, s stanza, uses ...testUse) {
	t.Helper()
	var list []Use
	for _, u := range uses {
		x := Use{Method: u.method}
		if strings.HasPrefix(u.method, "ReplaceAll") && !strings.Contains(u.method, "Literal") && len(u.args) == 1 {
			x.Template = &u.args[0]
		}
		x.Limit = len(u.args) == 1 && strings.HasPrefix(u.args[0], "#") && u.args[0] != "#-1"
		list = append(list, x)
	}
	code, err := Compile(s.pattern, list, Options{Name: fmt.Sprintf("p%d", p.compiled), Fresh: p.fresh})
	p.compiled++
	if err != nil {
		p.refused[err.Error()]++
		return
	}
	p.forms[code.Strategy]++
	p.last = code.Strategy
	if len(p.files) == 0 || p.files[len(p.files)-1].Len() > 1<<18 {
		p.files = append(p.files, &strings.Builder{})
		p.imports = append(p.imports, map[string]bool{})
	}
	file := p.files[len(p.files)-1]
	file.WriteString(code.Text + "\n")
	for _, path := range code.Imports {
		p.imports[len(p.imports)-1][path] = true
	}
	for i, u := range uses {
		text := "s"
		if methodOf(u.method).bytes {
			text = "[]byte(s)"
		}
		args := []string{text}
		for _, a := range u.args {
			switch {
			case strings.HasPrefix(a, "#"):
				a = a[1:]
			case a == "func" && methodOf(u.method).bytes:
				a = "quoteBytes"
			case a == "func":
				a = "strconv.Quote"
			case methodOf(u.method).bytes:
				a = fmt.Sprintf("[]byte(%q)", a)
			default:
				a = fmt.Sprintf("%q", a)
			}
			args = append(args, a)
		}
		call := code.Calls[i]
		p.cases = append(p.cases, testCase{
			s.pattern, u.method, u.args, s.texts,
			fmt.Sprintf("func(s string) any { return %s(%s) }", call.Func, strings.Join(args[:call.Args], ", ")),
		})
	}
}

// run builds and runs the program.
func (p *program) run(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	if keep := os.Getenv("WHET_REGEXPCODE"); keep != "" {
		dir = filepath.Join(keep, t.Name())
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.write(t, dir, runner)
	cmd := exec.CommandContext(t.Context(), "go", "build", "-gcflags=-N -l", "-o", "test", ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%.3000s\n%s", err, out, dir)
	}
	cmd = exec.CommandContext(t.Context(), "./test")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%.5000s", err, out)
	}
	t.Logf("%d functions in %d files, forms %v, refused %v; %s", len(p.cases), len(p.files), p.forms, p.refused, out)
}

// write writes the program to a directory; main is its main function.
func (p *program) write(t *testing.T, dir, main string) {
	t.Helper()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module test\n\ngo 1.22\n")
	for i, f := range p.files {
		head := "package main\n\nimport (\n"
		for _, path := range slices.Sorted(maps.Keys(p.imports[i])) {
			head += fmt.Sprintf("\t%q\n", path)
		}
		write(fmt.Sprintf("code%d.go", i), head+")\n\n"+f.String())
	}
	calls := "package main\n\nimport \"strconv\"\n\nvar _ = strconv.Quote\n\nvar calls = []func(string) any{\n"
	for _, c := range p.cases {
		calls += "\t" + c.call + ",\n"
	}
	write("calls.go", calls+"}\n")
	data, err := json.Marshal(p.quoted())
	if err != nil {
		t.Fatal(err)
	}
	write("cases.json", string(data))
	write("main.go", main)
}

// quoted returns the cases with texts as Go literals, because JSON has no invalid UTF-8.
func (p *program) quoted() []testCase {
	list := slices.Clone(p.cases)
	for i := range list {
		list[i].Pattern = fmt.Sprintf("%q", list[i].Pattern)
		list[i].Texts = slices.Clone(list[i].Texts)
		for j, s := range list[i].Texts {
			list[i].Texts[j] = fmt.Sprintf("%q", s)
		}
	}
	return list
}

const runner = `package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

//go:embed cases.json
var data []byte

func quoteBytes(b []byte) []byte { return []byte(strconv.Quote(string(b))) }

func unquote(s string) string {
	s, err := strconv.Unquote(s)
	if err != nil {
		panic(err)
	}
	return s
}

func main() {
	var cases []struct {
		Pattern, Method string
		Args, Texts     []string
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		panic(err)
	}
	wrong, n := 0, 0
	outcomes := map[string]bool{}
	for i, c := range cases {
		re := regexp.MustCompile(unquote(c.Pattern))
		isBytes := !strings.Contains(c.Method, "String") && c.Method != "Split"
		for _, quoted := range c.Texts {
			text := unquote(quoted)
			var arg any = text
			if isBytes {
				arg = []byte(text)
			}
			args := []reflect.Value{reflect.ValueOf(arg)}
			for _, a := range c.Args {
				var v any = a
				switch {
				case strings.HasPrefix(a, "#"):
					v, _ = strconv.Atoi(a[1:])
				case a == "func" && isBytes:
					v = quoteBytes
				case a == "func":
					v = strconv.Quote
				case isBytes:
					v = []byte(a)
				}
				args = append(args, reflect.ValueOf(v))
			}
			want := reflect.ValueOf(re).MethodByName(c.Method).Call(args)[0].Interface()
			got := func() (got any) {
				defer func() {
					if err := recover(); err != nil {
						got = err
					}
				}()
				return calls[i](text)
			}()
			n++
			outcomes[fmt.Sprint(c.Method, want)] = true
			if !reflect.DeepEqual(want, got) {
				fmt.Printf("%s.%s(%q, %q) = %#v, want %#v\n", c.Pattern, c.Method, text, c.Args, got, want)
				if wrong++; wrong > 10 {
					os.Exit(1)
				}
			}
		}
	}
	if wrong > 0 {
		os.Exit(1)
	}
	fmt.Printf("%d calls, %d outcomes", n, len(outcomes))
}
`

func newProgram() *program { return &program{forms: map[Strategy]int{}, refused: map[string]int{}} }

// testUses are groups of methods that are used together.
func testUses() [][]testUse {
	return [][]testUse{
		{{"FindStringSubmatchIndex", nil}},
		{{"FindAllStringSubmatchIndex", []string{"#-1"}}},
		{{"FindString", nil}, {"MatchString", nil}, {"FindStringIndex", nil}},
		{{"FindStringSubmatch", nil}, {"FindAllString", []string{"#2"}}},
		{{"ReplaceAllString", []string{"<$1$0>"}}},
		{{"ReplaceAllString", []string{"-"}}, {"ReplaceAllLiteralString", []string{"$1"}}},
		{{"Split", []string{"#-1"}}, {"FindAllStringIndex", []string{"#-1"}}},
		{{"ReplaceAllStringFunc", []string{"func"}}, {"ReplaceAllString", []string{"${1}x$$$"}}},
		{{"FindSubmatch", nil}, {"Find", nil}, {"FindIndex", nil}, {"FindSubmatchIndex", nil}},
		{{"FindAllSubmatch", []string{"#-1"}}, {"FindAll", []string{"#3"}}, {"FindAllIndex", []string{"#-1"}}},
		{{"ReplaceAll", []string{"[$0]"}}, {"ReplaceAllLiteral", []string{"xy"}}, {"ReplaceAllFunc", []string{"func"}}},
		{{"FindAllStringSubmatch", []string{"#-1"}}, {"Match", nil}, {"FindAllSubmatchIndex", []string{"#1"}}},
	}
}

// TestCompiledHard compares the functions of all methods on patterns that are easy to get wrong.
func TestCompiledHard(t *testing.T) {
	t.Parallel()
	p := newProgram()
	for i, pattern := range hardPatterns() {
		s := stanza{pattern, hardTexts()}
		p.add(t, s, testUse{"MatchString", nil})
		p.add(t, s, testUse{"Match", nil})
		uses := testUses()
		for j := range 4 {
			p.add(t, s, uses[(i+3*j)%len(uses)]...)
		}
		if regexp.MustCompile(pattern).MatchString("") {
			continue
		}
		p.add(t, s, testUse{"Split", []string{"#2"}})
	}
	p.run(t)
}

// TestCompiledSearch and TestCompiledExhaustive compare on package regexp's own tests.
func TestCompiledSearch(t *testing.T) {
	t.Parallel()
	compiledAgree(t, "re2-search.txt", 1)
}

func TestCompiledExhaustive(t *testing.T) {
	t.Parallel()
	every := 211
	if testing.Short() {
		every = 997
	}
	if os.Getenv("WHET_EXHAUSTIVE") != "" {
		every = 7
	}
	compiledAgree(t, "re2-exhaustive.txt.bz2", every)
}

func compiledAgree(t *testing.T, file string, every int) {
	p := newProgram()
	n := 0
	seen := map[string]bool{}
	uses := testUses()
	goTestdata(t, file, func(s stanza) {
		n++
		if n%every != 0 || seen[s.pattern] {
			return
		}
		if _, err := regexp.Compile(s.pattern); err != nil {
			return
		}
		seen[s.pattern] = true
		p.add(t, s, testUse{"MatchString", nil})
		p.add(t, s, uses[len(seen)%len(uses)]...)
	})
	p.run(t)
}

// TestCompiledTables covers classes and automata that are looked up in tables.
func TestCompiledTables(t *testing.T) {
	t.Parallel()
	p := newProgram()
	odd := "[acegikmoqsuwy]"
	for i, pattern := range []string{
		`(?:^|é)` + odd + `+$`, odd + `é*` + odd, `^[^acegikmoqsuwy]é` + odd + `{2}`,
		`^(\w|é)+` + odd,
		`^(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$`,
		`(?:[0-9a-f]{2}:){5}[0-9a-f]{2}`, `\b(?:\d{1,3}\.){3}\d{1,3}\b`, `^[a-z]([-a-z]{0,30}[a-z])?$`,
	} {
		s := stanza{pattern, append(hardTexts(),
			"ace", "éace", "zéa", "aéc", "bdéac", "bé", "éé", "1.2.3.4", "255.255.255.255", "256.1.1.1",
			"x 10.0.0.1 y", "1234.1.1.1",
			"00:1a:2b:3c:4d:5e", "0:00:1a:2b:3c:4d:5e", "00:1a:2b:3c:4d", "a-b", "a-",
			"-a", strings.Repeat("a", 32), strings.Repeat("a", 33))}
		p.add(t, s, testUse{"MatchString", nil})
		p.add(t, s, testUse{"Match", nil})
		p.add(t, s, testUses()[i%len(testUses())]...)
	}
	p.run(t)
	if p.forms[Table] == 0 {
		t.Errorf("forms %v: no table", p.forms)
	}
}
