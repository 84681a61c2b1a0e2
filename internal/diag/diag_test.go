package diag_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/whet-go/whet/internal/diag"
)

func TestError(t *testing.T) {
	for _, tt := range []struct {
		err  *diag.Error
		want string
	}{
		{&diag.Error{Op: "read", Subject: "a.whet", Err: io.ErrUnexpectedEOF}, "read a.whet: unexpected EOF"},
		{&diag.Error{Op: "--focus", Err: errors.New("bad")}, "--focus: bad"},
		{&diag.Error{Err: errors.New("bad")}, "bad"},
		{&diag.Error{Op: "stop"}, "stop"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("%#v.Error() = %q, want %q", tt.err, got, tt.want)
		}
	}
	if !errors.Is(&diag.Error{Err: io.EOF}, io.EOF) {
		t.Error("the cause is not unwrapped")
	}
}

// hinted is an error of another type that carries a hint.
type hinted string

func (h hinted) Error() string { return "hinted" }
func (h hinted) Hint() string  { return string(h) }

func TestHintAndExitCode(t *testing.T) {
	inner := &diag.Error{Op: "fetch", Err: io.EOF, Hint: "inner"}
	for _, tt := range []struct {
		name string
		err  error
		hint string
		code int
	}{
		{"nil", nil, "", 0},
		{"plain", io.EOF, "", 1},
		{"wrapped", fmt.Errorf("outer: %w", inner), "inner", 1},
		{"innermost hint wins", &diag.Error{Op: "open", Err: fmt.Errorf("x: %w", inner), Hint: "outer"}, "inner", 1},
		{"outer hint when inner has none", &diag.Error{Err: &diag.Error{Err: io.EOF}, Hint: "outer"}, "outer", 1},
		{"another type with a hint", fmt.Errorf("outer: %w", hinted("method")), "method", 1},
		{"the cause of another type", &diag.Error{Err: hinted("method"), Hint: "outer"}, "method", 1},
		{"joined", errors.Join(io.EOF, fmt.Errorf("x: %w", inner), hinted("last")), "inner", 1},
		{"two causes", fmt.Errorf("%w: %w", io.EOF, inner), "inner", 1},
		{"usage", fmt.Errorf("x: %w", diag.Usagef("top", "no profile", "give one")), "give one", 2},
		{"gate inside failure", &diag.Error{Err: &diag.Error{Kind: diag.Gate}}, "", 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := diag.Hint(tt.err); got != tt.hint {
				t.Errorf("hint %q, want %q", got, tt.hint)
			}
			if got := diag.ExitCode(tt.err); got != tt.code {
				t.Errorf("exit code %d, want %d", got, tt.code)
			}
		})
	}
}
