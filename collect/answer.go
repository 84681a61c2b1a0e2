package collect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/tempfile"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/trace/reader"
	"github.com/whet-go/whet/unit"
)

// Limits of a recording of a server, where [Options] have zero.
const (
	// DefaultGrace is how long answers may take beyond the window.
	DefaultGrace = 15 * time.Second
	// DefaultMaxSize is how many bytes all answers together may have.
	DefaultMaxSize = 2 << 30
	// DefaultMaxMemory is what decoding one profile may take at most, in bytes.
	DefaultMaxMemory = 128 << 20
)

// An answer is the target's response to one request, in a temporary file in the recording's directory.
type answer struct {
	file *tempfile.File
	size int64
}

// newAnswer makes the file that an answer goes to.
func (s *session) newAnswer() (*answer, error) {
	f, err := tempfile.New(filepath.Dir(s.opt.Out), ".whet-answer-*")
	if err != nil {
		return nil, &diag.Error{Op: "record", Err: err, Hint: "choose a directory that can be written with -o FILE.whet"}
	}
	return &answer{file: f}, nil
}

// fill takes all that r has, at most limit bytes of it.
func (a *answer) fill(r io.Reader, limit int64) error {
	n, err := io.Copy(a.file, io.LimitReader(r, limit+1))
	a.size = min(n, limit)
	if err == nil && n > limit {
		err = tooLarge(limit)
	}
	return err
}

// reader reads it from its beginning.
func (a *answer) reader() io.Reader { return io.NewSectionReader(a.file, 0, a.size) }

// head is its first n bytes, or all.
func (a *answer) head(n int64) []byte {
	head := make([]byte, min(a.size, n))
	_, _ = a.file.ReadAt(head, 0) // what cannot be read shows on decoding
	return head
}

// close drops it. Of nil it does nothing.
func (a *answer) close() {
	if a != nil {
		_ = a.file.Close() // it is temporary
	}
}

// errTooLarge is in the errors of answers that were cut off for their size.
var errTooLarge = errors.New("too large")

func tooLarge(limit int64) error {
	return fmt.Errorf("cut off: answer %w (limit %v)", errTooLarge, unit.Bytes(limit))
}

// onePart is the part of what is left of a quota that one answer may have: those without an end leave room for others.
const onePart = 8

// A quota is how many bytes the answers of a recording may have together.
type quota struct {
	total int64
	used  atomic.Int64
}

// metered counts an answer's bytes towards a quota.
type metered struct {
	io.ReadCloser
	q     *quota
	limit int64 // of this answer, from its first byte on
	used  int64
}

func (m *metered) Read(p []byte) (int, error) {
	left := m.q.total - m.q.used.Load()
	if m.used == 0 {
		m.limit = left / onePart
	}
	if left = min(left, m.limit-m.used); left <= 0 {
		return 0, &diag.Error{
			Err: fmt.Errorf("cut off: answer %w (limit %v; all together may have %v)", errTooLarge, unit.Bytes(m.limit),
				unit.Bytes(m.q.total)),
			Hint: "if the target can be trusted, raise the limit: --max-size 8GB",
		}
	}
	n, err := m.ReadCloser.Read(p[:min(int64(len(p)), left)])
	m.used += int64(n)
	m.q.used.Add(int64(n))
	return n, err
}

// errOverdue is why answers are not waited for any longer.
var errOverdue = errors.New("answer not complete in time")

// within is a context for requests that may take so long, and ends with s.abort.
func (s *session) within(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(s.abort, d, errOverdue)
}

// cut is the error of a request under ctx, or of its answer: when the context ended it, the error says so.
func (s *session) cut(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case s.abort.Err() != nil:
		return errAborted
	case errors.Is(context.Cause(ctx), errOverdue):
		return &diag.Error{
			Err:  fmt.Errorf("cut off: %w (grace period %v)", errOverdue, s.opt.Grace),
			Hint: "if the target is only slow, give it more time: --grace 1m",
		}
	}
	return err
}

// cutAt is cut of what is the recording's own error.
func (t *sitting) cutAt(ctx context.Context, kind string, err error) error {
	if cut := t.cut(ctx, err); cut != err { //nolint:errorlint // another error, not one in it
		return t.c.explain(kind, t.c.url(kind, nil), cut)
	}
	return err
}

// decode decodes a profile within what a recording may take for one.
func (s *session) decode(a *answer) (*profile.Profile, error) {
	p, err := profile.Read(a.reader(), profile.ReadOptions{MaxBytes: s.decoding(a.size)})
	if limit := (*profile.LimitError)(nil); errors.As(err, &limit) {
		return nil, &diag.Error{Err: err, Hint: "if the target can be trusted, raise the limit: --max-memory 2GB"}
	}
	return p, err
}

// decoding is how much memory a profile of so many bytes may take.
func (s *session) decoding(size int64) int64 {
	if s.opt.MaxMemory > 0 {
		return s.opt.MaxMemory
	}
	return min(DefaultMaxMemory, profile.LimitBase+profile.LimitFactor*size)
}

// profile decodes again a profile that was recorded; nil when there is none. One at a time is in memory.
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

// beginning is how much is shown of an answer that is not a trace; no less than a trace's head.
const beginning = 40

// notTrace says what an answer is that begins so and is not an execution trace; nil if it may be one.
func notTrace(kind string, head []byte) error {
	if err := reader.CheckHead(head[:min(len(head), reader.HeadLen)]); err != nil {
		return &diag.Error{
			Err:  fmt.Errorf("the answer is %w; it begins with %q", err, head),
			Hint: "does something else answer there? Say where the handler is with --pprof-path " + kind + "=/path",
		}
	}
	return nil
}

// traceOnly reads an answer, and fails when it does not begin as an execution trace does.
type traceOnly struct {
	r    io.Reader
	head []byte
	done bool
}

func (t *traceOnly) Read(p []byte) (int, error) {
	if !t.done {
		t.head = make([]byte, beginning)
		n, err := io.ReadFull(t.r, t.head)
		if t.head = t.head[:n]; err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, err
		}
		if err := notTrace("trace", t.head); err != nil {
			return 0, err
		}
		t.done = true
		t.r = io.MultiReader(bytes.NewReader(t.head), t.r)
	}
	return t.r.Read(p)
}
