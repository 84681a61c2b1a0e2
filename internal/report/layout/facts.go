package layout

import (
	"fmt"
	"strings"
)

// Facts is a list of phrases of which some do not always apply: the facts of a heading, or the parts of
// a sentence.
type Facts []string

// Add appends a phrase, formatted as fmt.Sprintf does.
func (f *Facts) Add(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

// If is Add if the phrase applies. The arguments are evaluated even if it does not.
func (f *Facts) If(applies bool, format string, args ...any) {
	if applies {
		f.Add(format, args...)
	}
}

// String returns the phrases as one text, without anything between them.
func (f Facts) String() string { return strings.Join(f, "") }
