// Package slow has the functions as written before any measurement.
package slow

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"unicode/utf8"
)

// HasWord reports whether text contains the word "auctor".
func HasWord(text string) bool {
	found, _ := regexp.MatchString("auctor", text) // the pattern is right: there is no error
	return found
}

// HasOrder reports whether text contains an order number, as in "order 1234".
func HasOrder(text string) bool {
	return regexp.MustCompile(`order [0-9]{4}`).MatchString(text)
}

// Label writes a name into buf, with a text before it.
func Label(buf *bytes.Buffer, name string) {
	fmt.Fprintf(buf, "name is: %s", name)
}

// Recent writes words and knows the one that it wrote last. It is for one
// goroutine.
type Recent struct {
	last string
}

// Write writes word into buf and remembers it. The caller may change word
// afterwards.
func (r *Recent) Write(buf *bytes.Buffer, word []byte) {
	r.last = string(word)
	buf.WriteString(r.last)
}

// Last returns the last word written, or "".
func (r *Recent) Last() string { return r.last }

// Send writes text to w.
func Send(w io.Writer, text string) error {
	_, err := w.Write([]byte(text))
	return err
}

// Counts counts words. The zero value is empty. It is not safe for concurrent use.
type Counts struct {
	seen map[string]int
}

// Add counts word. The caller may change it afterwards.
func (c *Counts) Add(word []byte) {
	if c.seen == nil {
		c.seen = map[string]int{}
	}
	c.seen[string(word)]++
}

// Of returns how often word was added.
func (c *Counts) Of(word string) int { return c.seen[word] }

// Join returns the elements with separator between them.
func Join(elements []string, separator string) string {
	joined := ""
	for i, element := range elements {
		if i > 0 {
			joined += separator
		}
		joined += element
	}
	return joined
}

// Pad adds fill before text until it has at least length bytes.
func Pad(text string, length int, fill rune) string {
	for len(text) < length {
		text = string(fill) + text
	}
	return text
}

// Number writes v into buf, without an exponent, with as many digits as it needs.
func Number(buf *bytes.Buffer, v float64) {
	buf.WriteString(strconv.FormatFloat(v, 'f', -1, 64))
}

// Lengths returns how many characters each word has; nil for no words.
func Lengths(words []string) []int {
	var lengths []int
	for _, word := range words {
		lengths = append(lengths, utf8.RuneCountInString(word))
	}
	return lengths
}
