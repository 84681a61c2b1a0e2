package upstream

import (
	"context"
	"fmt"
	"os"

	"github.com/whet-go/whet/find"
)

// Look looks into the dependencies that the calls of a result spend most in, and adds what it found to the result. p
// and o are what package find was given. No copies are left.
func Look(ctx context.Context, p find.Profiles, o find.Options, r *find.Result) error {
	temp, err := os.MkdirTemp("", "whet-dependencies-")
	if err != nil {
		return fmt.Errorf("make a directory for copies of dependencies: %w", err)
	}
	defer func() { _ = os.RemoveAll(temp) }() // what is left is in the directory for temporary files
	o.Dir = r.Dir
	modules, err := Modules(ctx, p, o, r.Dependencies, temp)
	for _, m := range modules {
		m.Found.Dir = m.Source // the copy does not stay
		r.Upstream = append(r.Upstream, m.Found)
	}
	return err
}
