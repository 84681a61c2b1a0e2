package gotest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/whet-go/whet/internal/diag"
)

// A Binary is the test binary of a package.
type Binary struct {
	Package Package
	Source  Source
	Path    string        // of the executable
	Build   time.Duration // duration of the go command, which has a cache
	Size    int64         // of the executable in bytes
	SHA256  string        // of the executable, in hexadecimal; equal builds are equal programs
	// Stoppable reports whether StopPipe works: CompileStoppable built the binary.
	Stoppable bool
}

// ErrNoTests is wrapped by a *BuildError if a package has no test files.
var ErrNoTests = errors.New("no tests")

// Compile builds the test binary of a package of src to the file out, whose directory must exist.
// Compiler errors are a *BuildError; go vet does not run.
func Compile(ctx context.Context, src Source, pkg Package, out string) (*Binary, error) {
	out, err := filepath.Abs(out)
	if err != nil {
		return nil, fmt.Errorf("build the tests of %s: %w", pkg.ImportPath, err)
	}
	overlay, remove, err := src.overlayFlag()
	if err != nil {
		return nil, err
	}
	defer remove()
	args := slices.Concat([]string{"-c", "-vet=off", "-o", out}, src.Flags, overlay, []string{pkg.ImportPath})
	begin := time.Now()
	stdout, stderr, err := src.goCommand(ctx, "test", args)
	took := time.Since(begin)
	if ctx.Err() != nil {
		return nil, &diag.Error{Op: "build the tests of", Subject: pkg.ImportPath, Err: ctx.Err()}
	}
	if err != nil {
		return nil, &BuildError{Package: pkg.ImportPath, Side: src.Name, Output: stderr + string(stdout), Err: err}
	}
	b := &Binary{Package: pkg, Source: src, Path: out, Build: took}
	if b.Size, b.SHA256, err = sum(out); errors.Is(err, os.ErrNotExist) {
		return nil, &BuildError{Package: pkg.ImportPath, Side: src.Name, Output: string(stdout), Err: ErrNoTests}
	} else if err != nil {
		return nil, fmt.Errorf("build the tests of %s: %w", pkg.ImportPath, err)
	}
	return b, nil
}

func sum(path string) (size int64, digest string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = file.Close() }() // only read
	h := sha256.New()
	if size, err = io.Copy(h, file); err != nil {
		return 0, "", err
	}
	return size, hex.EncodeToString(h.Sum(nil)), nil
}
