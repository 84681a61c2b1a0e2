package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/store"
)

// Backup writes a consistent copy of the store to a new file, while it is read and written. It
// returns the size of the copy in bytes.
func (s *Store) Backup(ctx context.Context, file string) (size int64, err error) {
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fs.ErrExist
		}
		return 0, &diag.Error{Op: "back up to", Subject: file, Err: err, Hint: "name a new file"}
	}
	empty, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*.tmp")
	if err != nil {
		return 0, &diag.Error{Op: "back up to", Subject: file, Err: err}
	}
	partial := empty.Name()
	if err := empty.Close(); err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(partial)
			err = &diag.Error{Op: "back up to", Subject: file, Err: plain(err)}
		}
	}()
	db, err := open(s.path()) // other connections for reading refuse to write to any file
	if err != nil {
		return 0, err
	}
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", partial)
	if err := errors.Join(err, db.Close()); err != nil {
		return 0, err
	}
	f, err := os.OpenFile(partial, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	fi, err := f.Stat()
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return 0, err
	}
	return fi.Size(), os.Rename(partial, file)
}

// Restore makes a store in a directory from a backup, after checking all of it. The directory must
// not have a store. A backup with damage is refused, with the report.
func Restore(ctx context.Context, file, dir string, progress func(done, all int)) (r store.CheckReport, err error) {
	target := filepath.Join(dir, databaseName)
	fail := func(err error, hint string) (store.CheckReport, error) {
		return r, &diag.Error{Op: "restore", Subject: file, Err: err, Hint: hint}
	}
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fmt.Errorf("%s has a store", dir)
		}
		return fail(err, "name a new directory")
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return r, err
	}
	// The copy is checked, in a directory that becomes the store only if it is good.
	work, err := os.MkdirTemp(dir, "restore-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	partial := filepath.Join(work, databaseName)
	if err := copyFile(file, partial); err != nil {
		return fail(err, "")
	}
	s, err := Open(work, Options{ReadOnly: true})
	if err != nil {
		return fail(err, "")
	}
	r, err = s.Check(ctx, progress)
	if err := errors.Join(err, s.Close()); err != nil {
		return fail(err, "")
	}
	if len(r.Damage) > 0 {
		return fail(fmt.Errorf("the backup is damaged: %s: %s", r.Damage[0].Where, r.Damage[0].Text), "use another backup")
	}
	return r, os.Rename(partial, target)
}

// copyFile copies a file and waits until the copy is on the disk.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // only read
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}
