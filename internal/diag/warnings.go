package diag

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// A Warning is something that the reader of a result must know, and that did not prevent the
// result. The zero value is not a warning: every warning has a Text.
type Warning struct {
	// Kind identifies the warning for programs, such as "generator_late". Most warnings are only
	// for people and have none.
	Kind string `json:"kind,omitempty"`
	// Where is what the warning is about, if Text does not contain it: a side of a comparison, such
	// as "A".
	Where string `json:"where,omitempty"`
	// Text is what was observed: a sentence without a full stop.
	Text string `json:"text"`
	// Hint is what to do about it; may be empty.
	Hint string `json:"hint,omitempty"`
}

// Warn returns err as a warning: its text and its [Hint].
func Warn(err error) Warning { return Warning{Text: err.Error(), Hint: Hint(err)} }

// UnmarshalJSON implements [json.Unmarshaler]. A string is the Text: early versions of documents have
// warnings without hints.
func (w *Warning) UnmarshalJSON(data []byte) error {
	*w = Warning{}
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &w.Text)
	}
	type fields Warning
	return json.Unmarshal(data, (*fields)(w))
}

// String returns the warning without its hint, as "where: text".
func (w Warning) String() string {
	if w.Where == "" {
		return w.Text
	}
	return w.Where + ": " + w.Text
}

// Err returns w as an error, for callers that fail because of it.
func (w Warning) Err() error { return &Error{Op: w.String(), Hint: w.Hint} }

// Warnings are the warnings of a result, in the order in which they are shown. All JSON documents
// have them as "warnings".
type Warnings []Warning

// Add appends errors as warnings; nil is left out.
func (ws *Warnings) Add(errs ...error) {
	for _, err := range errs {
		if err != nil {
			*ws = append(*ws, Warn(err))
		}
	}
}

// Addf appends a warning with a text and no hint.
func (ws *Warnings) Addf(format string, args ...any) {
	*ws = append(*ws, Warning{Text: fmt.Sprintf(format, args...)})
}

// AddNew appends the warnings that ws does not have yet.
func (ws *Warnings) AddNew(more ...Warning) {
	for _, w := range more {
		if !slices.Contains(*ws, w) {
			*ws = append(*ws, w)
		}
	}
}

// Has reports whether there is a warning of a kind.
func (ws Warnings) Has(kind string) bool {
	return slices.ContainsFunc(ws, func(w Warning) bool { return w.Kind == kind })
}

// Err returns all warnings as one error, for callers that fail because of them; nil if there are
// none.
func (ws Warnings) Err() error {
	var errs []error
	for _, w := range ws {
		errs = append(errs, w.Err())
	}
	return errors.Join(errs...)
}

// Texts returns the warnings without their hints.
func (ws Warnings) Texts() []string {
	var texts []string
	for _, w := range ws {
		texts = append(texts, w.String())
	}
	return texts
}
