// Package fast has the functions of package slow, with the same results at less cost.
package fast

import (
	"bytes"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// HasWord reports whether text contains the word "auctor".
//
// A pattern without special characters matches where its bytes are, in text
// that is not valid UTF-8 too.
func HasWord(text string) bool {
	return strings.Contains(text, "auctor")
}

// order is compiled once. A Regexp is safe for concurrent use.
var order = regexp.MustCompile(`order [0-9]{4}`)

// HasOrder reports whether text contains an order number, as in "order 1234".
func HasOrder(text string) bool {
	return order.MatchString(text)
}

// Label writes a name into buf, with a text before it.
//
// The verb %s of a string writes its bytes as they are; so does WriteString,
// which takes no interface that the string's header would have to be put on the
// heap for.
func Label(buf *bytes.Buffer, name string) {
	buf.WriteString("name is: ")
	buf.WriteString(name)
}

// maxKept is the room in bytes that Recent keeps from one word to the next.
const maxKept = 4 << 10

// Recent writes words and knows the one that it wrote last. It is for one
// goroutine.
type Recent struct {
	last []byte // its own: the caller's slice may change
}

// Write writes word into buf and remembers it. The caller may change word
// afterwards.
//
// The copy replaces the previous one. Only a caller that needs a string makes one.
func (r *Recent) Write(buf *bytes.Buffer, word []byte) {
	if cap(r.last) > maxKept {
		r.last = nil
	}
	r.last = append(r.last[:0], word...)
	buf.Write(r.last)
}

// Last returns the last word written, or "".
func (r *Recent) Last() string { return string(r.last) }

// Send writes text to w.
//
// A writer with a WriteString, as those of bytes, bufio, os and net/http have
// one, takes the string as it is.
func Send(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}

// Counts counts words. The zero value is empty. It is not safe for concurrent use.
type Counts struct {
	seen map[string]*int
}

// Add counts word. The caller may change it afterwards.
//
// Looking up m[string(b)] needs no string; only a key that stays in the map does.
func (c *Counts) Add(word []byte) {
	if n, ok := c.seen[string(word)]; ok {
		*n++
		return
	}
	if c.seen == nil {
		c.seen = map[string]*int{}
	}
	n := 1
	c.seen[string(word)] = &n
}

// Of returns how often word was added.
func (c *Counts) Of(word string) int {
	if n, ok := c.seen[word]; ok {
		return *n
	}
	return 0
}

// Join returns the elements with separator between them.
func Join(elements []string, separator string) string {
	return strings.Join(elements, separator)
}

// Pad adds fill before text until it has at least length bytes.
//
// The last fill may go past length when it has more bytes than one, so the number
// of them is rounded up. It is not the number of bytes that are missing.
func Pad(text string, length int, fill rune) string {
	if len(text) >= length { // before subtracting, which may overflow
		return text
	}
	one := string(fill)
	count := (length - len(text) + len(one) - 1) / len(one)
	var padded strings.Builder
	padded.Grow(count*len(one) + len(text))
	for range count {
		padded.WriteString(one)
	}
	padded.WriteString(text)
	return padded.String()
}

// Number writes v into buf, without an exponent, with as many digits as it needs.
func Number(buf *bytes.Buffer, v float64) {
	buf.Write(strconv.AppendFloat(buf.AvailableBuffer(), v, 'f', -1, 64))
}

// Lengths returns how many characters each word has; nil for no words.
func Lengths(words []string) []int {
	if len(words) == 0 {
		return nil // an empty slice is [] in JSON where nil is null
	}
	lengths := make([]int, 0, len(words))
	for _, word := range words {
		lengths = append(lengths, utf8.RuneCountInString(word))
	}
	return lengths
}
