//go:build !fast

package micro

import (
	"bytes"
	"io"

	"github.com/whet-go/whet/examples/micro/slow"
)

// The functions of this build: package slow has their contracts.
type (
	Recent = slow.Recent
	Counts = slow.Counts
)

func HasWord(text string) bool                      { return slow.HasWord(text) }
func HasOrder(text string) bool                     { return slow.HasOrder(text) }
func Label(buf *bytes.Buffer, name string)          { slow.Label(buf, name) }
func Send(w io.Writer, text string) error           { return slow.Send(w, text) }
func Join(elements []string, sep string) string     { return slow.Join(elements, sep) }
func Pad(text string, length int, fill rune) string { return slow.Pad(text, length, fill) }
func Number(buf *bytes.Buffer, v float64)           { slow.Number(buf, v) }
func Lengths(words []string) []int                  { return slow.Lengths(words) }
