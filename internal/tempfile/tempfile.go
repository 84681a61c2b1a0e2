package tempfile

import (
	"errors"
	"os"
)

// A File is a temporary file, open for reading and writing.
type File struct {
	*os.File
	named bool // the system does not allow removing an open file
}

// New creates a file in dir, or in the system's directory for temporary files if dir is "". The
// pattern is that of [os.CreateTemp].
func New(dir, pattern string) (*File, error) {
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	return &File{f, os.Remove(f.Name()) != nil}, nil
}

// Close closes and removes the file. A second Close does nothing.
func (f *File) Close() error {
	err := f.File.Close()
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	if f.named {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
