package captured_test

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/capture/arguments"
	"github.com/whet-go/whet/internal/capture/support"
	"github.com/whet-go/whet/internal/prove/captured"
	"github.com/whet-go/whet/internal/prove/differ/makers"
	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/recording"
)

const source = `package p

import (
	"net/http"
	"reflect"
	"time"
)

type Kind int

type Item struct {
	Name string
	tags []string
	kind Kind
	next *Item
}

type Shop struct {
	items map[string]int
	name  string
	log   func(string)
	at    time.Time
}

func (s *Shop) Sell(item Item, n uint8, opts ...string) {}

func Send(w http.ResponseWriter, r *http.Request, data []byte, v any) {}

func Map[T any](list []T, n int) {}

type Pair[K comparable, V any] struct {
	key   K
	value *V
}

func (p *Pair[K, V]) Set(value V) {}

func Mean(list []float64, ids []int64, scale float32, sizes [2]int) {}

type word struct{ text string }

type Page struct {
	elems []any
	title string
}

func (p *Page) Render(n int, widths []int) {}

func (p *Page) Count(n int) int { return len(p.elems) }

func (p Page) Copy() {}

func Fill(e any, chain []any) { _ = reflect.ValueOf(e) }

func use() {
	Map([]string{"a"}, 1)
	Map([]*Pair[uint8, Item]{}, 1)
	(&Pair[string, Kind]{}).Set(1)
}
`

// load loads a package with the source.
func load(t *testing.T) *packages.Package {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.24\n", "p.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pkgs, err := packages.Load(&packages.Config{Dir: dir, Mode: packages.LoadSyntax | packages.NeedModule}, ".")
	if err != nil || len(pkgs) != 1 || len(pkgs[0].Errors) > 0 {
		t.Fatalf("load: %v %v", err, pkgs)
	}
	return pkgs[0]
}

func text(s string) support.Value {
	return support.Value{Kind: support.KindString, Text: s, Len: len(s)}
}

func number(s string) support.Value { return support.Value{Kind: support.KindInt, Text: s} }

func missing(why string) support.Value { return support.Value{Kind: support.KindOmitted, Why: why} }

func pointer(fields ...support.Field) support.Value {
	return support.Value{
		Kind: support.KindPointer, Items: []support.Value{{Kind: support.KindStruct, Fields: fields}},
	}
}

// sourceOf returns the code of one call.
func sourceOf(t *testing.T, function string, args ...support.Value) string {
	t.Helper()
	pkg := load(t)
	c := captured.Of(&arguments.Document{Functions: []support.Function{{
		Package: "example.com/p", Name: function, Calls: []support.Call{{Arguments: args}},
	}}})
	code := c.Source(pkg, makers.New(pkg, nil))
	if code == "" {
		return ""
	}
	if _, err := format.Source([]byte("package p\n\nvar calls = whetlib.Calls{\n" + code + "}\n")); err != nil {
		t.Fatalf("%v\n%s", err, code)
	}
	return code
}

// TestSource checks literals, values of which parts are known, and what is repeated.
func TestSource(t *testing.T) {
	unread, redacted := missing(support.Unread), text("")
	redacted.Len, redacted.Why = 12, support.Redacted+"token"
	shop := pointer(
		support.Field{Name: "items", Value: support.Value{
			Kind: support.KindMap, Len: 1, Items: []support.Value{text("a"), number("1")},
		}},
		support.Field{Name: "name", Value: redacted}, support.Field{Name: "log", Value: missing("a function")},
		support.Field{Name: "at", Value: unread},
	)
	item := support.Value{Kind: support.KindStruct, Fields: []support.Field{
		{Name: "Name", Value: text("x\x00\"y")},
		{Name: "tags", Value: support.Value{
			Kind: support.KindSlice, Len: 1000, Items: []support.Value{text("t")}, Why: "limit reached",
		}},
		{Name: "kind", Value: number("-3")},
		{Name: "next", Value: support.Value{Kind: support.KindNil}},
	}}
	long := support.Value{Kind: support.KindBytes, Text: "abc", Len: 9000}
	code := sourceOf(t, "(*Shop).Sell", shop, item, support.Value{Kind: support.KindUint, Text: "7"},
		support.Value{Kind: support.KindNil})
	for _, want := range []string{
		`"(*Shop).Sell": {`,
		`x, ok := made().(*Shop); if !ok || x == nil { return nil }; ` +
			`x.items = map[string]int{string(s.Captured("a")): whetlib.NearNumber(s, int(1), true)}; ` +
			`x.name = string(whetlib.Repeated("x", 12)); return x`,
		`return Item{Name: string(s.Captured("x\x00\"y")), ` +
			`tags: whetlib.Extended([]string{string(s.Captured("t"))}, 1000), kind: whetlib.NearNumber(s, Kind(-3), true), ` +
			`next: (*Item)(nil)}`,
		`return whetlib.NearNumber(s, uint8(7), false)`, `return []string(nil)`,
	} {
		if !strings.Contains(code, want) {
			t.Errorf("the code has no\n%s\nbut\n%s", want, code)
		}
	}
	request := pointer(support.Field{Name: "Method", Value: text("GET")}, support.Field{Name: "ctx", Value: unread},
		support.Field{Name: "URL", Value: pointer(support.Field{Name: "Path", Value: text("/a")})})
	boxed := item
	boxed.Type = "p.Item"
	writer := support.Value{Kind: support.KindPointer, Type: "*http.response", Why: support.Unread}
	code = sourceOf(t, "Send", writer, request, long, boxed)
	for _, want := range []string{
		`{nil, func(s *whetlib.Source, made func() any) any`,
		`x.Method = string(s.Captured("GET")); if x.URL != nil { x.URL.Path = string(s.Captured("/a")); }; return x`,
		`return []byte(s.Captured(whetlib.Repeated("abc", 9000)))`, `return Item{Name:`,
	} {
		if !strings.Contains(code, want) {
			t.Errorf("the code has no\n%s\nbut\n%s", want, code)
		}
	}
}

// TestPartly checks that of a list of which only the length and the dynamic types are known, these are kept, and that
// methods which were not recorded are called on what others of the type were.
func TestPartly(t *testing.T) {
	held := func(typ string) support.Value {
		return support.Value{
			Kind: support.KindInterface, Type: typ,
			Items: []support.Value{{Kind: support.KindPointer, Why: support.Unread}},
		}
	}
	page := pointer(
		support.Field{Name: "elems", Value: support.Value{
			Kind: support.KindSlice, Len: 40, Items: []support.Value{held("*p.word"), held("*p.Item"), held("*q.Unknown")},
		}},
		support.Field{Name: "title", Value: missing(support.Unread)},
	)
	widths := support.Value{Kind: support.KindSlice, Len: 7, Why: support.Unread}
	code := sourceOf(t, "(*Page).Render", page, number("3"), widths)
	elems := regexp.MustCompile(`x\.elems = whetlib\.Extended\(\[\]any\{(whetMake\d+)\(s\), (whetMake\d+)\(s\), `+
		`(whetMake\d+)\(s\)\}, 40\); return x`).FindAllStringSubmatch(code, -1)
	if len(elems) != 2 || elems[0][0] != elems[1][0] || elems[0][1] == elems[0][2] || elems[0][2] == elems[0][3] {
		t.Errorf("the elements %q in\n%s", elems, code)
	}
	if !strings.Contains(code, "x := make([]int, 7); for i := range x { x[i] = whetMake") {
		t.Errorf("the list of which only the length is known:\n%s", code)
	}
	for name, want := range map[string]bool{
		"(*Page).Render": true, "(*Page).Count": true, "Page.Copy": false, "(*Shop).Sell": false,
	} {
		if got := strings.Contains(code, strconv.Quote(name)+": {"); got != want {
			t.Errorf("%s: %v, want %v\n%s", name, got, want, code)
		}
	}
}

// TestReflected checks that a reflect.Value is made of the map that it holds, of which a value is only partly known.
func TestReflected(t *testing.T) {
	boxed := func(typ string, v support.Value) support.Value {
		return support.Value{Kind: support.KindInterface, Type: typ, Items: []support.Value{v}}
	}
	data := support.Value{Kind: support.KindMap, Len: 2, Items: []support.Value{
		text("title"), boxed("string", text("a title")),
		text("orders"), boxed("[]interface {}", support.Value{Kind: support.KindSlice, Len: 3, Why: support.Unread}),
	}}
	chain := support.Value{Kind: support.KindSlice, Type: "[]interface {}", Len: 2, Items: []support.Value{
		boxed("reflect.Value", support.Value{
			Kind: support.KindReflected, Type: "map[string]interface {}", Items: []support.Value{data},
		}),
		boxed("reflect.Value", support.Value{Kind: support.KindReflected, Items: []support.Value{{Kind: support.KindNil}}}),
	}}
	element := pointer(support.Field{Name: "text", Value: text("title")})
	element.Type = "*p.word"
	code := sourceOf(t, "Fill", element, chain)
	for _, want := range []string{
		`return whetlib.Pointer(word{text: string(s.Captured("title"))})`,
		`[]any{reflect.ValueOf(map[string]any{string(s.Captured("title")): string(s.Captured("a title")), ` +
			`string(s.Captured("orders")): func() []any { x := make([]any, 3); for i := range x { x[i] = whetMake`,
		`reflect.Value{}}`,
	} {
		if !strings.Contains(code, want) {
			t.Errorf("the code has no\n%s\nbut\n%s", want, code)
		}
	}
	chain.Items[0].Items[0].Type = "map[q.Unknown]chan int"
	if code := sourceOf(t, "Fill", element, chain); !strings.Contains(code, "word{") || strings.Contains(code, "ValueOf") {
		t.Errorf("a type that is not known:\n%s", code)
	}
}

// TestNumbers checks that numbers, and lists of them, pass through functions that may change them, and which numbers
// may be sizes.
func TestNumbers(t *testing.T) {
	list := func(kind, a, b string) support.Value {
		items := []support.Value{{Kind: kind, Text: a}, {Kind: kind, Text: b}}
		return support.Value{Kind: support.KindSlice, Len: 2, Items: items}
	}
	array := list(support.KindInt, "5", "6")
	array.Kind = support.KindArray
	code := sourceOf(t, "Mean", list(support.KindFloat, "1.5", "-2"), list(support.KindInt, "3", "-4"),
		support.Value{Kind: support.KindFloat, Text: "0.5"}, array)
	for _, want := range []string{
		`return whetlib.NearFloats(s, []float64{float64(1.5), float64(-2)})`,
		`return whetlib.NearNumbers(s, []int64{int64(3), int64(-4)}, false)`,
		`return whetlib.NearFloat(s, float32(0.5))`, `return [2]int{int(5), int(6)}`,
	} {
		if !strings.Contains(code, want) {
			t.Errorf("the code has no\n%s\nbut\n%s", want, code)
		}
	}
}

// TestNoSource checks what no code is written for.
func TestNoSource(t *testing.T) {
	unread := missing(support.Unread)
	list := support.Value{Kind: support.KindSlice, Len: 1, Items: []support.Value{number("1")}}
	for what, code := range map[string]string{
		"another instance": sourceOf(t, "Map", typed("[]complex64", list), typed("int", number("1"))),
		"another version":  sourceOf(t, "(*Shop).Sell", text("a")),
		"nothing known":    sourceOf(t, "(*Shop).Sell", unread, unread, unread, unread),
		"an unknown name":  sourceOf(t, "Sold", text("a")),
	} {
		if code != "" {
			t.Errorf("%s: %s", what, code)
		}
	}
	hostile := number("1); panic(2")
	if code := sourceOf(t, "(*Shop).Sell", unread, unread, hostile, unread); strings.Contains(code, "panic") {
		t.Errorf("a number becomes code: %s", code)
	}
	field := pointer(support.Field{Name: "name; panic(1); x.name", Value: text("a")},
		support.Field{Name: "name", Value: text("b")})
	if code := sourceOf(t, "(*Shop).Sell", field, unread, unread, unread); strings.Contains(code, "panic") {
		t.Errorf("a field's name becomes code: %s", code)
	}
	if (*captured.Calls)(nil).Source(nil, nil) != "" || captured.Of(nil).Has("p", "f") {
		t.Error("nil has calls")
	}
}

func typed(name string, v support.Value) support.Value {
	v.Type = name
	return v
}

// TestGeneric checks that instances of generic functions have the calls with their type arguments, and no others.
func TestGeneric(t *testing.T) {
	list := func(of support.Value) support.Value {
		return support.Value{Kind: support.KindSlice, Len: 1, Items: []support.Value{of}}
	}
	code := sourceOf(t, "Map", typed("[]string", list(text("a"))), typed("int", number("5")))
	if want := `"Map[string]": {`; !strings.Contains(code, want) ||
		!strings.Contains(code, `return []string{string(s.Captured("a"))}`) || strings.Count(code, "\": {") != 1 {
		t.Errorf("not only %s:\n%s", want, code)
	}
	none := support.Value{Kind: support.KindNil}
	code = sourceOf(t, "Map", typed("[]*p.Pair[uint8,example.com/p.Item]", list(none)), typed("int", number("5")))
	if want := `"Map[*Pair[uint8, Item]]": {`; !strings.Contains(code, want) ||
		!strings.Contains(code, `return []*Pair[uint8, Item]{(*Pair[uint8, Item])(nil)}`) {
		t.Errorf("no %s:\n%s", want, code)
	}
	pair := pointer(support.Field{Name: "key", Value: text("k")}, support.Field{Name: "value", Value: none})
	code = sourceOf(t, "(*Pair).Set", typed("*p.Pair[string,example.com/p.Kind]", pair), typed("p.Kind", number("3")))
	if want := `"(*Pair[string, Kind]).Set": {`; !strings.Contains(code, want) ||
		!strings.Contains(code, `Pair[string, Kind]{key: string(s.Captured("k")), value: (*Kind)(nil)}`) ||
		!strings.Contains(code, "return whetlib.NearNumber(s, Kind(3), true)") {
		t.Errorf("no %s:\n%s", want, code)
	}
}

// TestTexts checks which texts are words for inputs, and in which order.
func TestTexts(t *testing.T) {
	cut, redacted := text("beginning"), text("")
	cut.Len, redacted.Len, redacted.Why = 5000, 12, support.Redacted+"token"
	of := func(pkg string, args ...support.Value) support.Function {
		return support.Function{Package: pkg, Name: "F", Calls: []support.Call{{Arguments: args}}}
	}
	nested := pointer(support.Field{Name: "tags", Value: support.Value{
		Kind: support.KindSlice, Items: []support.Value{text("in a list"), text("other")},
	}})
	c := captured.Of(&arguments.Document{Functions: []support.Function{
		of("example.com/a", text("other"), number("7")), of("example.com/p", cut, redacted, text(""), nested),
	}})
	if got := c.Texts("example.com/p"); !slices.Equal(got, []string{"in a list", "other"}) {
		t.Errorf("%q", got)
	}
	if got := c.Texts("example.com/a"); !slices.Equal(got, []string{"other", "in a list"}) {
		t.Errorf("%q", got)
	}
	if got := (*captured.Calls)(nil).Texts("p"); got != nil {
		t.Errorf("nil has %q", got)
	}
}

// TestMerged checks that calls of a function in several documents are all there, those of each in turn, and that one
// of another version does not hide the others.
func TestMerged(t *testing.T) {
	of := func(calls ...[]support.Value) *arguments.Document {
		f := support.Function{Package: "example.com/p", Name: "(*Shop).Sell"}
		for _, args := range calls {
			f.Calls = append(f.Calls, support.Call{Arguments: args})
		}
		return &arguments.Document{Functions: []support.Function{f}}
	}
	sell := func(n string) []support.Value {
		return []support.Value{
			missing("a"), missing("b"), {Kind: support.KindUint, Text: n}, {Kind: support.KindNil},
		}
	}
	var many [][]support.Value
	for range 64 { // as many as are used of a function
		many = append(many, sell("1"))
	}
	pkg := load(t)
	code := captured.Of(of(many...), nil, of(sell("2"), sell("3")), of([]support.Value{text("other")})).
		Source(pkg, makers.New(pkg, nil))
	first := strings.Index(code, "uint8(2)")
	if first < 0 || first > strings.Index(code, "uint8(3)") || strings.Count(code, "uint8(1)") != 61 ||
		strings.Count(code[:first], "uint8(1)") != 1 {
		t.Errorf("not the calls of all documents in turn:\n%s", code)
	}
	if captured.Of(nil, nil) != nil {
		t.Error("documents that are nil have calls")
	}
}

// TestIn reads the calls of several recordings, also of the same function, and ignores other files.
func TestIn(t *testing.T) {
	opened := []*input.Opened{{Name: "cpu.pprof"}}
	for i, codes := range [][]string{{"first", "second"}, {"third"}} {
		file := filepath.Join(t.TempDir(), fmt.Sprint(i, ".whet"))
		provetest.CouponCalls(t, file, codes...)
		r, err := recording.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Close() }) // was only read
		opened = append(opened, &input.Opened{Recording: r})
	}
	c, err := captured.In(opened)
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Texts("p"); !slices.Equal(got, []string{"first", "third", "second"}) {
		t.Errorf("%q", got)
	}
	if c, err := captured.In(opened[:1]); c != nil || err != nil {
		t.Errorf("without a recording: %v, %v", c, err)
	}
}
