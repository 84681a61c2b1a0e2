package rewrite

import (
	"go/types"
	"testing"
)

func TestTypeText(t *testing.T) {
	const source = `package p

import (
	"io"
	. "net/url"
	text "strings"
)

type own struct{ x int }

type list[T any] []T

type alias = own

func f[E any](
	p0 int, p1 *own, p2 []string, p3 [3]byte, p4 map[string]*io.LimitedReader, p5 text.Builder, p6 list[own], p7 E, p8 list[list[E]],
	p9 struct{ x int }, p10 func(), p11 chan int, p12 io.Writer, p13 any, p14 error, p15 alias, p16 uint8, p17 rune,
	p20 map[string]interface{}, p21 func(int, ...string) (own, error), p22 chan (<-chan int), p23 <-chan struct{},
	p24 interface{ m() }, p25 func(own) chan<- any, p26 []Userinfo,
) {
	type local int
	var p18 local
	var p19 []local
	{
		own, string := 1, 2
		/*here*/ _, _, _, _ = own, string, p18, p19
	}
}
`
	pass, at := passOf(t, source)
	// Within the block, own and string mean something else than before it.
	want := map[string][2]string{
		"p0": {"int", "int"}, "p1": {"*own", ""}, "p2": {"[]string", ""},
		"p3": {"[3]byte", "[3]byte"}, "p4": {"map[string]*io.LimitedReader", ""},
		"p5": {"text.Builder", "text.Builder"}, "p6": {"list[own]", ""},
		"p7": {"E", "E"}, "p8": {"list[list[E]]", "list[list[E]]"},
		"p9": {"", ""}, "p10": {"func()", "func()"}, "p11": {"chan int", "chan int"},
		"p12": {"io.Writer", "io.Writer"}, "p13": {"any", "any"}, "p14": {"error", "error"},
		"p15": {"alias", "alias"}, "p16": {"uint8", "uint8"}, "p17": {"rune", "rune"},
		"p18": {"local", "local"}, "p19": {"[]local", "[]local"},
		"p20": {"map[string]interface{}", ""}, "p21": {"func(int, ...string) (own, error)", ""},
		"p22": {"chan (<-chan int)", "chan (<-chan int)"}, "p23": {"<-chan struct{}", "<-chan struct{}"},
		"p24": {"", ""}, "p26": {"[]Userinfo", "[]Userinfo"}, "p25": {"func(own) chan<- any", ""},
	}
	var before types.Object
	for id, obj := range pass.TypesInfo.Defs {
		if id.Name == "p19" {
			before = obj
		}
	}
	seen := 0
	for id, obj := range pass.TypesInfo.Defs {
		texts, ok := want[id.Name]
		if !ok {
			continue
		}
		seen++
		got, ok := TypeText(pass, before.Pos()+1, obj.Type())
		if ok != (texts[0] != "") || ok && got != texts[0] {
			t.Errorf("%s before the block: %q, %v, want %q", id.Name, got, ok, texts[0])
		}
		got, ok = TypeText(pass, at+10, obj.Type())
		if ok != (texts[1] != "") || ok && got != texts[1] {
			t.Errorf("%s in the block: %q, %v, want %q", id.Name, got, ok, texts[1])
		}
	}
	if seen != len(want) {
		t.Errorf("%d parameters, want %d", seen, len(want))
	}
}
