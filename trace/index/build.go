package index

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/whet-go/whet/internal/trace/indexer"
	"github.com/whet-go/whet/internal/trace/reader"
)

// Options configure Build.
type Options struct {
	// Source is stored in Info.Source. It identifies the trace.
	Source string
	// Progress, if set, is called repeatedly with the number of events and the length of the trace
	// read so far.
	Progress func(events int64, of time.Duration)
	// MaxMemory limits the memory, in bytes, for the goroutines, tasks and other objects that are
	// alive at one time; 0 means DefaultMaxMemory. A trace that needs more is indexed up to that
	// point, as Info.Damage and Info.Limited report.
	MaxMemory int64
}

// DefaultMaxMemory is the default of Options.MaxMemory.
const DefaultMaxMemory = 512 << 20

// maxMemory returns the memory limit.
func (o *Options) maxMemory() int64 {
	if o.MaxMemory == 0 {
		return DefaultMaxMemory
	}
	return o.MaxMemory
}

// Enough reports whether an existing index covers as much of its trace as one built with these
// options: it did not reach its memory limit, or that limit is at least the one of o.
func (o *Options) Enough(built Info) bool {
	return built.Limited == 0 || o.maxMemory() <= built.Limited
}

// Build reads a trace to its end and writes an index to the named file, which it creates or
// replaces only when the index is complete. A trace that is truncated, or damaged further on, is
// indexed up to that point, as Info.Damage reports. Build returns an error, with a hint, if nothing
// can be read, and an error if the index cannot be written or ctx ends.
func Build(ctx context.Context, r io.Reader, name string, o Options) (info Info, err error) {
	in, err := reader.Open(ctx, r)
	if err != nil {
		return Info{}, fmt.Errorf("read trace: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(name), PartialPattern(name))
	if err != nil {
		return Info{}, fmt.Errorf("write trace index: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreClosed(f.Close()), os.Remove(f.Name()))
		}
	}()
	info, err = indexer.Write(ctx, in, f, name, indexer.Options{
		Source: o.Source, Progress: o.Progress, MaxMemory: o.maxMemory(),
	})
	if err != nil {
		return Info{}, err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return Info{}, fmt.Errorf("write trace index %s: %w", name, err)
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return Info{}, fmt.Errorf("write trace index %s: %w", name, err)
	}
	return info, nil
}

// PartialPattern returns a pattern for [path.Match] that matches the temporary files of the index
// with the given file name. They are in the index's directory while it is built, and remain there
// if the process is killed.
func PartialPattern(name string) string { return indexer.PartialPattern(name) }

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}
