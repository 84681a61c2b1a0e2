//go:build fast

package micro

import (
	"bytes"
	"io"

	"github.com/whet-go/whet/examples/micro/fast"
)

// The functions of this build: package fast has their contracts.
type (
	Recent = fast.Recent
	Counts = fast.Counts
)

func HasWord(text string) bool                      { return fast.HasWord(text) }
func HasOrder(text string) bool                     { return fast.HasOrder(text) }
func Label(buf *bytes.Buffer, name string)          { fast.Label(buf, name) }
func Send(w io.Writer, text string) error           { return fast.Send(w, text) }
func Join(elements []string, sep string) string     { return fast.Join(elements, sep) }
func Pad(text string, length int, fill rune) string { return fast.Pad(text, length, fill) }
func Number(buf *bytes.Buffer, v float64)           { fast.Number(buf, v) }
func Lengths(words []string) []int                  { return fast.Lengths(words) }
