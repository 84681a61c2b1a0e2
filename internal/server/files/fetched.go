package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/whet-go/whet/internal/diag"
)

// fetched is what a root has whose files come from elsewhere.
type fetched struct {
	most  int
	fetch func(name string, w io.Writer) error

	mu    sync.Mutex // one file at a time
	files []string   // least recently used first
}

// AddFetched adds files named LABEL/NAME that are elsewhere until they are needed: fetch writes one, by its
// name, which has no directory and is any text. At most this many are kept, those that were used last; Close
// removes them. It must be called before the set is used.
func (s *Set) AddFetched(label string, most int, fetch func(name string, w io.Writer) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.addTemp(&root{label: label, dropped: true, fetched: &fetched{most: most, fetch: fetch}})
	return err
}

// fetch returns the path of a file of a root, after it was fetched.
func (s *Set) fetch(r *root, name string) (string, error) {
	if filepath.Base(name) != name || !candidate(name) {
		return "", &diag.Error{
			Op: "open", Subject: strconv.Quote(r.label + "/" + name), Err: fs.ErrNotExist, Kind: diag.Usage,
			Hint: "the page of the store lists what there is",
		}
	}
	f := r.fetched
	f.mu.Lock()
	defer f.mu.Unlock()
	path := filepath.Join(r.dir, name)
	for i, known := range f.files {
		if known == name {
			f.files = append(append(f.files[:i:i], f.files[i+1:]...), name)
			return path, nil
		}
	}
	const partial = ".partial" // which List does not show
	to, err := r.fs.OpenFile(partial, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	err = errors.Join(f.fetch(name, to), to.Close())
	if err == nil {
		err = os.Rename(filepath.Join(r.dir, partial), path)
	}
	if err != nil {
		_ = r.fs.Remove(partial) // err says why
		return "", fmt.Errorf("open %s/%s: %w", r.label, name, err)
	}
	if f.files = append(f.files, name); len(f.files) > f.most {
		_ = r.fs.Remove(f.files[0]) // where one that is open cannot be removed, Close does it
		f.files = f.files[1:]
	}
	return path, nil
}
