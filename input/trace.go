package input

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/input/advance"
	"github.com/whet-go/whet/internal/trace/cache"
	"github.com/whet-go/whet/internal/trace/reader"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/trace/index"
	"github.com/whet-go/whet/trace/stacks"
)

// A Trace is the index of an execution trace.
type Trace struct {
	*index.Index

	cachedFrom string // location of the trace whose cached index is used
}

// Discard removes the index from the cache if err reports that it is damaged, and reports whether
// it did. The next call of Opener.Trace rebuilds it. t may be nil or closed.
func (t *Trace) Discard(err error) bool {
	if t == nil || t.cachedFrom == "" || !errors.Is(err, index.ErrDamaged) {
		return false
	}
	dir, err := cache.Dir()
	return err == nil && cache.Remove(t.cachedFrom, dir) == nil
}

// CachedFrom returns the location of the trace whose cached index is used; "" if the index is new.
func (t *Trace) CachedFrom() string { return t.cachedFrom }

// RebuildWarning returns a warning that a discarded index is being rebuilt.
func (t *Trace) RebuildWarning() recording.Warning {
	return recording.Warning{Where: t.cachedFrom, Text: "the cached index is damaged; rebuilding it"}
}

// openTrace returns a reader of the document's execution trace. It may be called once.
func (d *Document) openTrace() (io.ReadCloser, error) {
	if d.Recording != nil {
		return d.Recording.Part(recording.TracePart)
	}
	return io.NopCloser(d.Reader), nil
}

// TraceReader returns a reader of the document's execution trace, for callers that need no index.
// It checks that the content begins like a trace. It may be called once.
func (d *Document) TraceReader() (io.ReadCloser, error) {
	r, err := d.openTrace()
	if err != nil {
		return nil, err
	}
	b := bufio.NewReader(r)
	head, err := b.Peek(reader.HeadLen)
	if err == nil || errors.Is(err, io.EOF) {
		err = reader.CheckHead(head)
	}
	if err != nil {
		return nil, d.ReadTraceError(errors.Join(err, r.Close()))
	}
	return struct {
		io.Reader
		io.Closer
	}{b, r}, nil
}

// Trace opens the index of a document's execution trace. It uses the index in the user's cache, or
// builds it if there is none for the same file. If file is set, it always builds a new index there.
func (o *Opener) Trace(ctx context.Context, d *Document, file string) (*Trace, error) {
	x := &Trace{}
	state, err := os.Stat(d.Path)
	size := int64(0)
	if d.Recording != nil {
		size = d.Recording.Size(recording.TracePart)
	} else if err == nil {
		size = state.Size()
	}
	opt := index.Options{MaxMemory: int64(o.MaxMemory)}
	var open func() (io.ReadCloser, error)
	open, opt.Progress = advance.Trace(d.openTrace, size, o.Status, o.Part)
	kept := err == nil && file == ""
	switch {
	case kept:
		place, err := filepath.Abs(d.Path)
		if err != nil {
			return nil, err
		}
		built := false
		dir, err := cache.Dir()
		if err == nil {
			x.Index, built, err = cache.Open(
				ctx, cache.Source{Place: place, State: cache.FileState(state), Open: open}, dir, opt,
			)
		} else {
			err = fmt.Errorf("%w: %w", cache.ErrDir, err)
		}
		if errors.Is(err, cache.ErrDir) {
			o.warn(recording.Warning{
				Where: d.Name, Text: "the index is not kept: " + err.Error(),
				Hint: "the index is built in the temporary directory and removed afterwards; " +
					"choose another cache directory with XDG_CACHE_HOME",
			})
			x.Index, err = buildTrace(ctx, "", open, opt)
		} else if err == nil && !built {
			x.cachedFrom = place
		}
		if err != nil {
			return nil, d.traceError(err)
		}
	default:
		if x.Index, err = buildTrace(ctx, file, open, opt); err != nil {
			return nil, d.traceError(err)
		}
	}
	if x.Info.Damage != "" {
		w := recording.Warning{Where: d.Name, Text: fmt.Sprintf("only the first %v are complete: %s",
			time.Duration(x.Info.Duration).Round(time.Millisecond), x.Info.Damage)}
		if x.Info.Limited > 0 {
			w.Hint = fmt.Sprintf("if the trace can be trusted, `whet trace index --max-memory %dGB` indexes more of it",
				1+x.Info.Limited>>29)
		}
		o.warn(w)
	}
	return x, nil
}

// buildTrace builds an index in a file, or in a temporary one that is deleted when it is closed.
func buildTrace(
	ctx context.Context, file string, open func() (io.ReadCloser, error), o index.Options,
) (x *index.Index, err error) {
	r, err := open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if file == "" {
		return index.BuildTemporary(ctx, r, o)
	}
	if _, err := index.Build(ctx, r, file, o); err != nil {
		return nil, err
	}
	return index.Open(file)
}

func (d *Document) traceError(err error) error {
	var e *diag.Error
	if errors.As(err, &e) && e.Op != "" || errors.Is(err, context.Canceled) {
		return err // it already names what failed
	}
	hint := "a trace comes from runtime/trace, /debug/pprof/trace, or `whet record`"
	var file *fs.PathError
	switch {
	case e != nil:
		hint, err = d.endsWithin(err, e.Hint)
	case errors.Is(err, syscall.ENOSPC):
		hint = "an index takes up to one and a half times the size of the trace: " +
			"free some space, or choose another location with `whet trace index -o`"
	case errors.Is(err, fs.ErrPermission):
		hint = "whet must be allowed to write there; choose another cache directory with XDG_CACHE_HOME"
	case errors.As(err, &file):
		hint = ""
	}
	return &diag.Error{Op: "index", Subject: d.Name, Err: err, Hint: hint}
}

// ReadTraceError returns the error for reading a trace without an index, with a hint.
func (d *Document) ReadTraceError(err error) error {
	var e *diag.Error
	if errors.As(err, &e) && e.Op != "" || errors.Is(err, context.Canceled) {
		return err // it already names what failed
	}
	if file := (*fs.PathError)(nil); errors.As(err, &file) && file.Op == "write" {
		return err // not the trace's fault
	}
	hint := "the program that writes the trace must call trace.Stop and close the file; " +
		"whet reads whole generations, of about a second each"
	if h := diag.Hint(err); h != "" {
		hint = h
	}
	hint, err = d.endsWithin(err, hint)
	return &diag.Error{Op: "read", Subject: d.Name, Err: err, Hint: hint}
}

// endsWithin returns hint, which is about a trace that a program wrote, and err. If the document is a
// recording that ends within its trace, it returns what to do about that, and err without hints.
func (d *Document) endsWithin(err error, hint string) (string, error) {
	if d.Recording == nil || !d.Recording.Truncated(recording.TracePart) {
		return hint, err
	}
	return "the recorder was stopped within the trace: record again, " +
		"and end a recording early with Ctrl-C, which completes the file", errors.New(err.Error())
}

// TraceOwn returns a function that reports whether a frame on a trace's stacks is own code, as
// OwnCode does for profiles: by the build if arg is a recording, or else by the functions. It
// returns nil if there is no own code.
func TraceOwn(arg string, x *index.Index, prefixes []string) func(stacks.Frame) bool {
	var functions []profile.Function
	seen := map[profile.Function]bool{}
	runtime := false
	for _, frame := range x.Frames() {
		fn := profile.Function{Name: frame.Func, File: frame.File}
		if seen[fn] {
			continue
		}
		seen[fn] = true
		functions = append(functions, fn)
		if !runtime && strings.Contains(fn.File, "/src/runtime/") {
			// Trace stacks omit most runtime functions, but not their files.
			runtime = true
			functions = append(functions, profile.Function{Name: "runtime.gopark", File: fn.File})
		}
	}
	var of *recording.Recording
	if fi, err := os.Stat(arg); err == nil && fi.Mode().IsRegular() {
		if rec, err := recording.Open(arg); err == nil { // otherwise it is a plain trace
			defer func() { _ = rec.Close() }() // only its metadata is read
			of = rec
		}
	}
	own := OwnCode(&profile.Profile{Functions: functions}, of, prefixes)
	if !own.Known {
		return nil
	}
	return func(f stacks.Frame) bool { return own.Match(profile.Function{Name: f.Func, File: f.File}) }
}

// TraceOwnOrForeign is like [TraceOwn], but if there is no own code, it returns a function that
// reports whether a frame is neither in the standard library nor in a dependency.
func TraceOwnOrForeign(arg string, x *index.Index, prefixes []string) func(stacks.Frame) bool {
	if own := TraceOwn(arg, x, prefixes); own != nil {
		return own
	}
	return func(f stacks.Frame) bool {
		pkg := profile.PackagePath(f.Func)
		return pkg == "main" ||
			!profile.IsStd(pkg) && !strings.Contains(f.File, "@v") && !strings.Contains(f.File, "/vendor/")
	}
}
