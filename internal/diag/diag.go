package diag

import (
	"errors"
	"strings"
)

// Kind classifies an error by who can act on it.
type Kind uint8

const (
	// Failure is anything that went wrong in the operation itself.
	Failure Kind = iota
	// Usage is invalid input: an unknown flag, a bad value, a missing argument.
	Usage
	// Gate is a result for which the user requested a failure: a regression, a finding, a missed
	// objective.
	Gate
)

// ExitCode returns the process exit code for k.
func (k Kind) ExitCode() int {
	switch k {
	case Usage:
		return 2
	case Gate:
		return 3
	default:
		return 1
	}
}

// An Error is a failed operation on a subject, with a hint on what to do next.
type Error struct {
	Op      string // the operation: "read profile", "--focus"
	Subject string // a path, a URL; may be empty
	Err     error  // the cause; may be nil if Op is enough
	Hint    string // what to do, a sentence without a full stop; may be empty
	Kind    Kind   // Failure unless set
}

// Error returns "op subject: err"; empty parts are left out.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.Subject != "" {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(e.Subject)
	}
	if e.Err != nil {
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(e.Err.Error())
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Usagef returns an Error of kind Usage for op with the given message and hint.
func Usagef(op, message, hint string) *Error {
	return &Error{Op: op, Err: errors.New(message), Hint: hint, Kind: Usage}
}

// Hint returns the innermost hint in err's tree, or "": the cause knows best. An error carries a
// hint if it is an [*Error] or has a method Hint() string.
func Hint(err error) string {
	switch e := err.(type) { //nolint:errorlint // it walks the tree itself
	case interface{ Unwrap() error }:
		if hint := Hint(e.Unwrap()); hint != "" {
			return hint
		}
	case interface{ Unwrap() []error }:
		for _, cause := range e.Unwrap() {
			if hint := Hint(cause); hint != "" {
				return hint
			}
		}
	}
	switch e := err.(type) { //nolint:errorlint // it walks the tree itself
	case *Error:
		return e.Hint
	case interface{ Hint() string }:
		return e.Hint()
	}
	return ""
}

// ExitCode returns 0 for nil, else the code of the outermost Error in err's chain whose Kind is not
// Failure, or 1.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	for e := (*Error)(nil); errors.As(err, &e); err = e.Err {
		if e.Kind != Failure {
			return e.Kind.ExitCode()
		}
	}
	return Failure.ExitCode()
}
