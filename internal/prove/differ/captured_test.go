package differ_test

import (
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/whet-go/whet/internal/capture/arguments"
	"github.com/whet-go/whet/internal/capture/support"
	"github.com/whet-go/whet/internal/prove/captured"
)

// sumModule has a function whose new version is wrong for texts that no generator makes: the code only has a sum of
// them.
const sumModule = `
-- old/go.mod --
module example.com/m

go 1.24
-- old/p/p.go --
package p

import "hash/crc32"

type Checker struct{ seen []string }

func (c *Checker) Check(text string, weight int) int {
	n := int(crc32.ChecksumIEEE([]byte(text)))
	for range c.seen {
		n++
	}
	return n * weight
}
-- new/p/p.go --
package p

import "hash/crc32"

type Checker struct{ seen []string }

func (c *Checker) Check(text string, weight int) int {
	n := int(crc32.ChecksumIEEE([]byte(text)))
	if n == %d {
		return 0
	}
	for range c.seen {
		n++
	}
	return n * weight
}
`

// TestCaptured checks that arguments that a program had are inputs: they show a difference that generated ones do not.
func TestCaptured(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	archive := txtar.Parse([]byte(fmt.Sprintf(sumModule, uint32(0xD5A20BD0))))
	if got, _, err := compareModule(t, archive, "p"); err != nil || got != "same" {
		t.Fatalf("without captured arguments: %s, %v, want same", got, err)
	}
	text := func(s string) support.Value { return support.Value{Kind: support.KindString, Text: s, Len: len(s)} }
	unread := support.Value{Kind: support.KindPointer, Why: support.Unread}
	calls := captured.Of(&arguments.Document{Functions: []support.Function{{
		Package: "example.com/m/p", Name: "(*Checker).Check", Receiver: true, Parameters: []string{"text", "weight"},
		Calls: []support.Call{
			{Arguments: []support.Value{unread, text("another"), {Kind: support.KindInt, Text: "2"}}},
			{Arguments: []support.Value{unread, text("production order 4711"), {Kind: support.KindInt, Text: "3"}}},
		},
	}}})
	got, r, err := compareCaptured(t, archive, "p", calls)
	if err != nil || got != "differs" {
		t.Fatalf("with captured arguments: %s, %v, want differs", got, err)
	}
	if !strings.Contains(r.Separate, "production order 4711") {
		t.Errorf("the difference does not show the input: %s", r.Separate)
	}
}

// TestNearlyCaptured checks that nearly the arguments that a program had are inputs, too, also of a generic function:
// neither these arguments nor generated ones show the difference. The new versions are wrong for one text that ends
// otherwise, next to a captured number.
func TestNearlyCaptured(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	text := func(s string) support.Value {
		return support.Value{Kind: support.KindString, Type: "string", Text: s, Len: len(s)}
	}
	document := &arguments.Document{Functions: []support.Function{{
		Package: "example.com/m/p", Name: "Check", Parameters: []string{"text", "weight"},
		Calls: []support.Call{
			{Arguments: []support.Value{text("another"), {Kind: support.KindInt, Type: "int", Text: "2"}}},
			{Arguments: []support.Value{
				text("production order 4711"), {Kind: support.KindInt, Type: "int", Text: "981276"},
			}},
		},
	}}}
	for name, head := range map[string]string{
		"plain": "func Check(text string, weight int) int {\n", "generic": "func Check[T ~string](text T, weight int) int {\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const before = "package p\n\nimport \"hash/crc32\"\n\n%s" +
				"\tn := int(crc32.ChecksumIEEE([]byte(text)))\n%s\treturn n * weight\n}\n"
			module := func(ends string) *txtar.Archive {
				wrong := fmt.Sprintf("\tif weight%%1000 == 276 && n == %d {\n\t\treturn 0\n\t}\n",
					crc32.ChecksumIEEE([]byte("production order "+ends)))
				return &txtar.Archive{Files: []txtar.File{
					{Name: "old/go.mod", Data: []byte("module example.com/m\n\ngo 1.24\n")},
					{Name: "old/p/p.go", Data: fmt.Appendf(nil, before, head, "")},
					{Name: "new/p/p.go", Data: fmt.Appendf(nil, before, head, wrong)},
				}}
			}
			if got, _, err := compareCaptured(t, module("4712"), "p", nil); err != nil || got != "same" {
				t.Errorf("without captured arguments: %s, %v, want same", got, err)
			}
			got, r, err := compareCaptured(t, module("4712"), "p", captured.Of(document))
			if err != nil || got != "differs" || !strings.Contains(r.Separate, "production order 4712") {
				t.Errorf("with captured arguments: %s, %+v, %v, want a difference for 4712", got, r, err)
			}
			if got, _, err := compareCaptured(t, module("999"), "p", captured.Of(document)); err != nil || got != "same" {
				t.Errorf("another text: %s, %v, want same", got, err)
			}
		})
	}
}
