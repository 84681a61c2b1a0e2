package differ_test

import (
	"fmt"
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
