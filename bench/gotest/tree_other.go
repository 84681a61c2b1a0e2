//go:build !unix

package gotest

import (
	"context"
	"fmt"
	"os"

	"github.com/whet-go/whet/internal/diag"
)

// A keeper needs a shell; elsewhere a tree is left behind when this process is killed.
type keeper struct{ made bool }

// add makes the tree.
func (t *Tree) add(ctx context.Context) error {
	_, err := git(ctx, t.repo, "-c", "core.hooksPath="+os.DevNull, "worktree", "add", "--quiet", "--detach", t.Dir,
		t.Commit)
	t.keeper.made = err == nil
	return err
}

// Close removes the tree. Further calls do nothing.
func (t *Tree) Close() error {
	if !t.keeper.made {
		return nil
	}
	t.keeper.made = false
	if _, err := git(context.Background(), t.repo, "worktree", "remove", "--force", "--force", t.Dir); err != nil {
		return &diag.Error{
			Op: "remove worktree", Subject: t.Dir, Err: err,
			Hint: fmt.Sprintf("`git worktree remove --force %s` removes it", t.Dir),
		}
	}
	return os.RemoveAll(t.temp)
}
