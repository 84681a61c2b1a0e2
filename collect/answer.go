package collect

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/whet-go/whet/internal/collect/handlers"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
)

// Default limits of a recording of a server, for zero fields of [Options].
const (
	// DefaultGrace is the default of Options.Grace.
	DefaultGrace = 15 * time.Second
	// DefaultMaxSize is the default of Options.MaxSize, in bytes.
	DefaultMaxSize = 2 << 30
	// DefaultMaxMemory is the highest default of Options.MaxMemory, in bytes.
	DefaultMaxMemory = 128 << 20
)

// newAnswer creates the file for an answer, in the recording's directory.
func (s *session) newAnswer() (*handlers.Answer, error) {
	a, err := handlers.NewAnswer(filepath.Dir(s.opt.Out))
	if err != nil {
		return nil, &diag.Error{Op: "record", Err: err, Hint: "choose a writable directory with -o FILE.whet"}
	}
	return a, nil
}

// errAborted is the error of an answer that was abandoned.
var errAborted = errors.New("aborted before the answer arrived")

// errOverdue is the error of answers that took too long.
var errOverdue = errors.New("answer not complete in time")

// within returns a context for requests that may take d, which also ends with s.abort.
func (s *session) within(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(s.abort, d, errOverdue)
}

// cut returns the error of a request under ctx, or of its answer. If the context ended the request,
// that is the error.
func (s *session) cut(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case s.abort.Err() != nil:
		return errAborted
	case errors.Is(context.Cause(ctx), errOverdue):
		return &diag.Error{
			Err:  fmt.Errorf("cut off: %w (grace period %v)", errOverdue, s.opt.Grace),
			Hint: "if the target is slow, give it more time: --grace 1m",
		}
	}
	return err
}

// cutAt is cut for errors of the recording itself.
func (t *serverRecording) cutAt(ctx context.Context, kind string, err error) error {
	if cut := t.cut(ctx, err); cut != err { //nolint:errorlint // another error, not one in it
		return t.c.Explain(kind, cut)
	}
	return err
}

// decode decodes a profile within the memory that a recording may use for one.
func (s *session) decode(a *handlers.Answer) (*profile.Profile, error) {
	p, err := profile.Read(a.Reader(), profile.ReadOptions{MaxBytes: s.decoding(a.Size())})
	if limit := (*profile.LimitError)(nil); errors.As(err, &limit) {
		return nil, &diag.Error{Err: err, Hint: "if the target can be trusted, raise the limit: --max-memory 2GB"}
	}
	return p, err
}

// decoding returns how much memory decoding a profile of this size may take.
func (s *session) decoding(size int64) int64 {
	if s.opt.MaxMemory > 0 {
		return s.opt.MaxMemory
	}
	return min(DefaultMaxMemory, profile.LimitBase+profile.LimitFactor*size)
}

// profile decodes a recorded profile again; nil if there is none. Only one is in memory at a time.
func (s *session) profile(name string) *profile.Profile {
	s.mu.Lock()
	limit, ok := s.profiles[name]
	s.mu.Unlock()
	if !ok {
		return nil
	}
	p, err := s.w.Profile(name, profile.ReadOptions{MaxBytes: limit})
	if err != nil {
		s.fail(err)
		return nil
	}
	return p
}
