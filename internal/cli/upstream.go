package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/recorded"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/find/upstream"
	fixupstream "github.com/whet-go/whet/internal/fix/upstream"
	"github.com/whet-go/whet/internal/report/layout"
)

// upstreamOf looks into copies of the dependencies that cost most. The caller calls done, which removes the copies,
// also after an error.
func upstreamOf(
	ctx context.Context, program *recorded.Program, o find.Options, r *find.Result,
) (modules []*upstream.Module, done func(), err error) {
	temp, err := os.MkdirTemp("", "whet-dependencies-")
	if err != nil {
		return nil, func() {}, fmt.Errorf("make a directory for copies of dependencies: %w", err)
	}
	done = func() { _ = os.RemoveAll(temp) } // what is left is in the directory for temporary files
	o.Dir = r.Dir
	o.Target.Requests = program.Target.Requests
	modules, err = upstream.Modules(ctx, program.Profiles, o, r.Dependencies, temp)
	return modules, done, err
}

// fixUpstream tries what was found in the dependencies.
func fixUpstream(
	ctx context.Context, program *recorded.Program, look find.Options, found *find.Result, o fix.Options,
) ([]*fix.Result, error) {
	look.Progress = o.Progress
	modules, done, err := upstreamOf(ctx, program, look, found)
	defer done()
	if err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "whet-importers-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for copies of the module: %w", err)
	}
	defer func() { _ = os.RemoveAll(temp) }() // what is left is in the directory for temporary files
	return fixupstream.Run(ctx, found.Dir, modules, o, temp)
}

// writeUpstream writes the patches for dependencies, each into a directory below dir.
func (a *app) writeUpstream(dir, author string, results []*fix.Result) error {
	for _, r := range results {
		patches := r.Patches(author)
		if len(patches) == 0 {
			continue
		}
		to := filepath.Join(dir, fixupstream.Directory(r))
		if err := writePatchFiles(to, patches); err != nil {
			return err
		}
		_, _ = fmt.Fprintf(a.stderr, "wrote %s for %s to %s\n", layout.Plural(len(patches), "patch", "patches"), r.Module, to)
	}
	return nil
}

// writePatchFiles writes patches into a directory.
func writePatchFiles(dir string, patches []fix.Patch) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("write patches: %w", err)
	}
	for _, p := range patches {
		if err := os.WriteFile(filepath.Join(dir, p.Name), []byte(p.Text), 0o600); err != nil {
			return fmt.Errorf("write patches: %w", err)
		}
	}
	return nil
}
