package tempfile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace writes a file completely or not at all, and returns its size. An existing file is
// replaced when the new one is complete; a device or a pipe is written to, and its size is 0.
// Errors do not name the temporary file.
func Replace(path string, write func(io.Writer) error) (size int64, err error) {
	if fi, err := os.Stat(path); err == nil && !fi.Mode().IsRegular() {
		file, err := os.OpenFile(path, os.O_WRONLY, 0) // /dev/stdout and such
		if err != nil {
			return 0, err
		}
		return 0, errors.Join(write(file), file.Close())
	}
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		if pe := (*os.PathError)(nil); errors.As(err, &pe) {
			err = pe.Err
		}
		return 0, err
	}
	defer func() {
		if err != nil {
			_ = file.Close()
			_ = os.Remove(file.Name())
		}
	}()
	if err := write(file); err != nil {
		return 0, err
	}
	fi, err := file.Stat()
	if err != nil {
		return 0, err
	}
	if err := file.Chmod(0o644); err != nil {
		return 0, err
	}
	if err := file.Close(); err != nil {
		return 0, err
	}
	return fi.Size(), os.Rename(file.Name(), path)
}

// ErrDirectory is Marked's error for a directory.
var ErrDirectory = errors.New("is a directory")

// Marked reports whether what path names may be replaced by a file with a mark in its first bytes:
// it does not exist, is empty, is not a regular file, or has the mark too.
func Marked(path, mark string, within int64) (bool, error) {
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && !fi.Mode().IsRegular() && !fi.IsDir():
		return true, nil // nothing there, or a device or pipe, which is not replaced
	case err != nil:
		return false, err // names operation and path
	case fi.IsDir():
		return false, ErrDirectory
	}
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	head, err := io.ReadAll(io.LimitReader(file, within))
	_ = file.Close() // only read
	return fi.Size() == 0 || bytes.Contains(head, []byte(mark)), err
}
