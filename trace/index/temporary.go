package index

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// BuildTemporary builds an index in a temporary directory and opens it. [Index.Close] deletes it.
func BuildTemporary(ctx context.Context, r io.Reader, o Options) (x *Index, err error) {
	dir, err := os.MkdirTemp("", "whet-trace-*")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	name := filepath.Join(dir, "trace.index")
	if _, err := Build(ctx, r, name, o); err != nil {
		return nil, err
	}
	if x, err = Open(name); err != nil {
		return nil, err
	}
	if os.RemoveAll(dir) != nil { // an open file remains readable, but Windows does not remove it
		x.temporary = dir
	}
	return x, nil
}
