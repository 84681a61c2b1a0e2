package blocks

import (
	"errors"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	nethtml "golang.org/x/net/html"

	"github.com/whet-go/whet/internal/golden"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/terminal"
)

// everything has each block, with a name wherever one can be.
func everything(name string) *Document {
	// The lines of a diff depend on newlines in it.
	line := strings.Map(func(r rune) rune {
		if r == '\n' {
			return ' '
		}
		return r
	}, name)
	return &Document{
		Title: Text{Plain("Report of " + name), Dim(" in "), Name(name)},
		Blocks: []Block{
			Prose{Plain("Some "), Strong(name), Plain(" and "), Command(name), Dim(name)},
			Prose{Plain(name)},
			Section{
				ID: name, Title: Text{Plain(name)}, Badges: []string{name}, Kind: name,
				Blocks: []Block{
					Location{Where: name, Function: name},
					Location{Where: name},
					Bar{Share: 0.25, Label: name},
					List{{Plain(name)}, {Plain("is "), Name(name)}},
					Table{
						Table: layout.Table{
							Head: []string{name, "n"}, Rows: [][]string{{name, "1"}, {"b", name}}, Align: "lr", Least: 12,
						},
						Marks: []Mark{Good, Bad}, Bars: []float64{0.5, -1}, BarHead: name,
					},
					Table{
						Table: layout.Table{Head: []string{"c", "s", "±", ""}, Rows: [][]string{{name, "1", "2%", "[1]"}}, Align: "lrrr"},
						Over:  []Heading{{Text: name, Column: 1}}, Notes: []string{name},
					},
					Section{Title: Text{Plain("Nested")}, Blocks: []Block{Code("x := 1 // " + line), Output(line)}},
					Diff("--- a/" + line + "\n+++ b/" + line + "\n@@ -1 +1 @@\n-" + line + "\n+" + line + "\n"),
					Section{Fold: true, Title: Text{Plain(name)}, Blocks: []Block{Prose{Plain(name)}}},
				},
			},
			Section{Title: Text{Plain("Next to each other")}, Kind: name + "!", Blocks: []Block{
				Pair{First: []Block{Items(name)}, Second: []Block{
					Section{Fold: true, Open: true, Brief: true, Title: Text{Plain(name)}, Blocks: []Block{Note{Plain(name)}}},
				}},
			}},
			Section{Title: Text{Plain("Lines")}, Blocks: []Block{Entries{Most: 1, List: []Entry{
				{Share: "5.00%", Location: Location{Where: name, Function: name}, Code: line, Text: name},
				{Share: name, Location: Location{Where: name}},
			}}}},
			Note{Plain(name)},
			Group{Items(name), Note{Plain(name)}},
			Note{Plain(name)},
		},
	}
}

// outputs are the forms of a document.
func outputs(t *testing.T, d *Document, width int) (text, markdown, page string) {
	t.Helper()
	render := func(write func(io.Writer) error) string {
		var b strings.Builder
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	return render(func(w io.Writer) error { return d.Write(w, layout.Style{Width: width, Color: width == 0}) }),
		render(d.WriteMarkdown), render(d.WritePage)
}

func TestWrite(t *testing.T) {
	text, markdown, page := outputs(t, everything("a_name|of<b>"), 60)
	golden.Check(t, "testdata/everything.txt", []byte(text))
	golden.Check(t, "testdata/everything.md", []byte(markdown))
	head, rest, _ := strings.Cut(page, "<style>")
	_, body, ok := strings.Cut(rest, "</style>")
	if !ok {
		t.Error("the page has no style")
	}
	golden.Check(t, "testdata/everything.html", []byte(head+body)) // the style is package ui's and page.css
}

// TestEmpty has blocks without content, and a document without a title, write nothing.
func TestEmpty(t *testing.T) {
	d := &Document{Blocks: []Block{List{}, Entries{}, Table{}, Bar{}}}
	text, markdown, page := outputs(t, d, 80)
	if text != "" || markdown != "" {
		t.Errorf("%q, %q", text, markdown)
	}
	for _, never := range []string{"<ul", "<table"} {
		if strings.Contains(page, never) {
			t.Errorf("%s is in\n%s", never, page)
		}
	}
}

// TestWritePageLoadsNothing holds that pages have no scripts and make no requests: they consist of elements
// and attributes that can do neither, and lead only to parts of themselves and, if asked for, to an editor.
func TestWritePageLoadsNothing(t *testing.T) {
	editor, err := NewEditor(DefaultEditor, "/src")
	if err != nil {
		t.Fatal(err)
	}
	d := everything("a/name.go:7")
	d.Editor = editor
	for name, d := range map[string]*Document{"without editor": everything("a/name.go:7"), "with editor": d} {
		_, _, page := outputs(t, d, 80)
		for _, never := range []string{"http://", "https://", "<script", "src=", "url(", "@import", "javascript:"} {
			if strings.Contains(page, never) {
				t.Errorf("%s: %q is in the page", name, never)
			}
		}
		policy := `content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"`
		if !strings.Contains(page, policy) {
			t.Errorf("%s: no content security policy", name)
		}
		links := harmless(t, page)
		want := []string{"#content", "#a%2Fname.go:7", "#part-4", "#part-5"}
		if name == "with editor" {
			place := "vscode://file/src/a/name.go:7"
			// The name of the file in the diff has no such suffix: its hunk begins at line 1.
			want = append(want, place, place, "vscode://file/src/a/name.go%3A7:1", place, place)
		}
		if !slices.Equal(links, want) {
			t.Errorf("%s: the page has the links\n%q, want\n%q", name, links, want)
		}
	}
}

// harmless fails if a page has an element or an attribute that could run a script or make a request, and
// returns where its links lead.
func harmless(t *testing.T, page string) (links []string) {
	t.Helper()
	elements := strings.Fields("html head meta title style body header fieldset legend label input span nav ol li a " +
		"main h1 h2 h3 h4 section p b code div i ul table tr th td pre br details summary")
	attributes := strings.Fields("lang charset http-equiv content name class href type id checked aria-label role " +
		"style tabindex open")
	z := nethtml.NewTokenizer(strings.NewReader(page))
	for z.Next() != nethtml.ErrorToken {
		token := z.Token()
		if token.Type != nethtml.StartTagToken && token.Type != nethtml.SelfClosingTagToken {
			continue
		}
		if !slices.Contains(elements, token.Data) {
			t.Errorf("the page has the element %s", token.Data)
		}
		for _, a := range token.Attr {
			switch {
			case !slices.Contains(attributes, a.Key):
				t.Errorf("%s has the attribute %s", token.Data, a.Key)
			case a.Key == "href":
				links = append(links, a.Val)
			case a.Key == "style" && !regexp.MustCompile(`^width:\d+\.\d\d%$`).MatchString(a.Val):
				t.Errorf("%s has the style %s", token.Data, a.Val)
			}
		}
	}
	return links
}

// TestEditor has addresses of places in source, and refuses those that could do harm.
func TestEditor(t *testing.T) {
	for _, c := range []struct{ url, place, want string }{
		{"vscode", "a/b c.go:7", "vscode://file/src/a/b%20c.go:7"},
		{"zed", "x.go:1", "zed://file/src/x.go:1"},
		{"idea", "a&b.go:2", "idea://open?file=/src/a%26b.go&line=2"},
		{"vscode", "/abs/x.go:3", "vscode://file/abs/x.go:3"},
		{"https://example.com/{file}#L{line}", "./a/../x#.go:4", "https://example.com/x%23.go#L4"},
		{"vscode", `"><script>:5`, "vscode://file/src/%22%3E%3Cscript%3E:5"},
		{"none", "x.go:1", ""},
		{"vscode", "x.go", ""},
		{"vscode", "x.go:", ""},
		{"vscode", "x.go:-1", ""},
		{"vscode", ":7", ""},
		{"vscode", "../../etc/passwd:1", ""},
		{"vscode", "new\nline.go:1", ""},
	} {
		e, err := NewEditor(c.url, "/src")
		if err != nil {
			t.Fatal(err)
		}
		if got := e.link(c.place); got != c.want {
			t.Errorf("%s of %q is %q, want %q", c.url, c.place, got, c.want)
		}
	}
	for _, bad := range []string{
		"", "emacs", "javascript:alert('{path}')", "JavaScript:{path}", "data:{path}", "https://x/",
	} {
		if e, err := NewEditor(bad, "."); err == nil {
			t.Errorf("%q is %+v", bad, e)
		}
	}
}

// FuzzWrite holds that no name steers a terminal, changes the structure of a page or of Markdown, or
// is missing.
func FuzzWrite(f *testing.F) {
	for _, seed := range []string{
		"name", `"><script>alert(1)</script>`, "'onload='x", "new\nline", "esc\x1b[31mred", "\u202etxt", "back\\slash",
		"a|b`c``d", "***", "</pre></details>", "&amp;", "&#60;", "# head", "- item", "12. item", "[a](javascript:b)",
		"![a](b)", "```", "\x00\xff", " ", "", "_x_ ~y~ *z*", "    code", "---", "\t\ttabs", "=", "+-#", "++",
	} {
		f.Add(seed)
	}
	plainText, plainMarkdown, plainPage := "", "", ""
	f.Fuzz(func(t *testing.T, name string) {
		if len(name) > 1000 {
			return
		}
		if plainPage == "" {
			plainText, plainMarkdown, plainPage = outputs(t, everything("name"), 0)
		}
		text, markdown, page := outputs(t, everything(name), 0)
		unsafe := func(r rune) bool { return r != '\n' && r != '\t' && r != utf8.RuneError && terminal.Unsafe(r) }
		for kind, s := range map[string]string{
			"text": layout.StripColor(text), "Markdown": markdown, "page": page,
		} {
			if i := strings.IndexFunc(s, unsafe); i >= 0 {
				t.Errorf("%q: the %s has %q", name, kind, s[i:min(len(s), i+8)])
			}
		}
		if strings.TrimSpace(name) == "" {
			return // spans of code and lines without text are left out
		}
		if got, want := strings.Count(text, "\n"), strings.Count(plainText, "\n"); got != want {
			t.Errorf("%q: %d lines of text, want %d:\n%s", name, got, want, text)
		}
		if got, want := markers(markdown), markers(plainMarkdown); !slices.Equal(got, want) {
			t.Errorf("%q: the Markdown has the blocks\n%q, want\n%q:\n%s", name, got, want, markdown)
		}
		if got, want := elements(t, page), elements(t, plainPage); !slices.Equal(got, want) {
			t.Errorf("%q: the page has the elements\n%q, want\n%q", name, got, want)
		}
		shown := strings.Map(func(r rune) rune {
			if unsafe(r) {
				return utf8.RuneError
			}
			return r
		}, name)
		if !strings.Contains(html.UnescapeString(page), shown) {
			t.Errorf("%q is not on the page", name)
		}
		if got := unescaped(escaped(name)); got != layout.Clean(name) {
			t.Errorf("%q is %q in Markdown", name, got)
		}
	})
}

// marker matches what gives a line of Markdown a meaning.
var marker = regexp.MustCompile(`^(#+|[>=<]+|[-+*]( |$)|--+|[+][+]+|[*][*]+|\d+[.)]( |$)|\|-.*|\|| {4})`)

// markers returns what begins each line of Markdown outside of fences.
func markers(markdown string) []string {
	var list []string
	fence := ""
	for line := range strings.Lines(markdown) {
		line = strings.TrimSuffix(line, "\n")
		mark := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence != "" && line == fence:
			fence = ""
		case fence != "":
			line, mark = "", ""
		case len(mark) >= 3 && !strings.Contains(line[len(mark):], "`"):
			fence = mark
		}
		if mark != "" {
			list = append(list, "`") // a span of code or a fence, of any length
			continue
		}
		list = append(list, marker.FindString(line))
	}
	return list
}

// unescaped returns the text of escaped Markdown.
func unescaped(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return strings.NewReplacer("&amp;", "&", "&lt;", "<").Replace(b.String())
}

// elements returns the elements of a page with the names of their attributes.
func elements(t *testing.T, page string) []string {
	t.Helper()
	var list []string
	z := nethtml.NewTokenizer(strings.NewReader(page))
	for {
		switch z.Next() {
		case nethtml.ErrorToken:
			if !errors.Is(z.Err(), io.EOF) {
				t.Fatal(z.Err())
			}
			return list
		case nethtml.StartTagToken, nethtml.EndTagToken, nethtml.SelfClosingTagToken, nethtml.CommentToken:
			token := z.Token()
			text := token.Type.String() + token.Data
			for _, a := range token.Attr {
				text += " " + a.Key
			}
			list = append(list, text)
		case nethtml.TextToken, nethtml.DoctypeToken:
		}
	}
}

// TestBreak checks that what was printed keeps its lines in a list, in all three formats.
func TestBreak(t *testing.T) {
	d := &Document{Title: Text{Plain("t")}, Blocks: []Block{PrintedItems("first\n\tsecond <b>\n\n", "third")}}
	text, markdown, page := outputs(t, d, 80)
	for _, want := range []struct{ name, in, text string }{
		{"text", text, "first\n  second <b>\nthird\n"},
		{"Markdown", markdown, "- first<br>second &lt;b>\n- third\n"},
		{"page", page, "<li>first<br>second &lt;b&gt;</li><li>third</li>"},
	} {
		if !strings.Contains(want.in, want.text) {
			t.Errorf("%s: no %q in\n%s", want.name, want.text, want.in)
		}
	}
}
