package cache

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/trace/index"
)

// A Source is a trace.
type Source struct {
	// Place identifies where the trace is, such as by a file's absolute name, and determines the
	// name of the index. State changes when the trace changes.
	Place, State string
	// Open returns a reader of the trace from its start.
	Open func() (io.ReadCloser, error)
}

// FileState returns the state of a file: its size and when it was written.
func FileState(info fs.FileInfo) string {
	return fmt.Sprintf("%d bytes of %s", info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano))
}

// Dir returns the directory of the user's indexes.
func Dir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a directory for trace indexes: %w", err)
	}
	return filepath.Join(dir, "whet", "traces"), nil
}

// suffix is the suffix of index files.
const suffix = ".index"

// Limits on the indexes that are kept in addition to the one that is opened.
const (
	maxKept  = 50
	maxBytes = 8 << 30
)

// ErrDir is wrapped by the error of [Open] if there is no usable index and the directory is not
// writable. The source was not read.
var ErrDir = errors.New("no index can be kept")

// nameOf returns the file of the index of a place.
func nameOf(place, dir string) string {
	sum := sha256.Sum256([]byte(place))
	return filepath.Join(dir, hex.EncodeToString(sum[:12])+suffix)
}

// Remove removes the index of a place from a directory, so that it is built again: one that turned
// out to be damaged when it was read.
func Remove(place, dir string) error {
	if err := os.Remove(nameOf(place, dir)); err != nil {
		return fmt.Errorf("remove a damaged trace index: %w", err)
	}
	return nil
}

// Open opens the index of a source in a directory. It builds the index if there is none, if the
// source has changed since, or if a lower memory limit cut the index short; built reports whether
// it did.
func Open(ctx context.Context, s Source, dir string, o index.Options) (x *index.Index, built bool, err error) {
	name := nameOf(s.Place, dir)
	x, err = index.Open(name)
	switch {
	case err == nil && x.Info.Source == s.State && o.Enough(x.Info):
		now := time.Now()
		_ = os.Chtimes(name, now, now) // marks it as recently used; errors are ignored
		return x, false, nil
	case err == nil:
		if err := x.Close(); err != nil {
			return nil, false, err
		}
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, index.ErrNotIndex) && !errors.Is(err, index.ErrDamaged):
		return nil, false, fmt.Errorf("%w: %w", ErrDir, err)
	}
	if err := usable(dir); err != nil {
		return nil, false, fmt.Errorf("%w: %w", ErrDir, err)
	}
	o.Source = s.State
	if err := build(ctx, s, name, o); err != nil {
		return nil, false, err
	}
	if x, err = index.Open(name); err != nil {
		return nil, true, err
	}
	_ = trim(dir, filepath.Base(name)) // the next build tries again
	return x, true, nil
}

// usable creates a directory, and returns an error if files cannot be created in it.
func usable(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, index.PartialPattern("probe"+suffix))
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// build builds the index of a source into a file.
func build(ctx context.Context, s Source, name string, o index.Options) (err error) {
	r, err := s.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	_, err = index.Build(ctx, bufio.NewReaderSize(r, 1<<20), name, o)
	return err
}

// abandoned is how long a file in which an index is built must be unchanged to be removed: no
// process takes that long, so it was killed.
const abandoned = time.Hour

// trim removes the least recently used indexes, until few enough are left in addition to one, and
// files left by killed processes.
func trim(dir, but string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look for old trace indexes: %w", err)
	}
	type old struct {
		name string
		size int64
		used time.Time
	}
	var all []old
	partial := index.PartialPattern("*" + suffix)
	for _, e := range entries {
		info, err := e.Info()
		if ok, _ := filepath.Match(partial, e.Name()); ok && err == nil && time.Since(info.ModTime()) > abandoned {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("remove what is left of a trace index: %w", err)
			}
			continue
		}
		if err != nil || !strings.HasSuffix(e.Name(), suffix) || e.Name() == but {
			continue // gone in the meantime, or not ours
		}
		all = append(all, old{e.Name(), info.Size(), info.ModTime()})
	}
	slices.SortFunc(all, func(a, b old) int { return cmp.Or(b.used.Compare(a.used), strings.Compare(a.name, b.name)) })
	bytes := int64(0)
	for i, one := range all {
		if bytes += one.size; i < maxKept && bytes <= maxBytes {
			continue
		}
		if err := os.Remove(filepath.Join(dir, one.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove an old trace index: %w", err)
		}
	}
	return nil
}
