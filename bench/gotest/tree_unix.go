//go:build unix

package gotest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/whet-go/whet/internal/diag"
)

// A keeper is the process that makes a tree and, when its standard input ends, removes it: one
// process for both, so that nothing is left if it is killed in between. It is in its own session,
// where no signal from a terminal reaches it.
type keeper struct {
	cmd   *exec.Cmd
	alive io.WriteCloser // the only open end of its standard input
}

// keep is the keeper's program. $1 is the repository, $2 the temporary directory, $3 the tree in
// it, $4 the commit. Only this tree is removed from git's list: git worktree prune would also
// remove others whose directories are missing at the moment.
const keep = `
trap '' HUP INT TERM PIPE
cd "$1" || exit 1
if git -c core.hooksPath=/dev/null worktree add --quiet --detach "$3" "$4" >"$2/log" 2>&1
then echo ok; else echo failed; fi
admin=$(git -C "$3" rev-parse --absolute-git-dir 2>/dev/null)
cat >/dev/null
git worktree remove --force --force "$3" >/dev/null 2>&1
case $admin in */worktrees/"${3##*/}") rm -rf "$admin"; rmdir "${admin%/*}" 2>/dev/null;; esac
rm -rf "$2"
test ! -e "$2"
`

// add makes the tree.
func (t *Tree) add(ctx context.Context) error {
	cmd := exec.Command("sh", "-c", keep, "whet", t.repo, t.temp, t.Dir, t.Commit)
	cmd.Env = gitEnv(os.Environ())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	alive, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return errors.Join(err, alive.Close())
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	t.keeper = keeper{cmd, alive}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), t.Close())
	}
	if err == nil && strings.TrimSpace(line) == "ok" {
		return nil
	}
	log, _ := os.ReadFile(filepath.Join(t.temp, "log")) // git's output, if any
	text := strings.TrimPrefix(strings.TrimSpace(string(log)), "fatal: ")
	if text == "" {
		text = "git worktree add failed"
	}
	return errors.Join(errors.New(text), t.Close())
}

// Close removes the tree. Further calls do nothing.
func (t *Tree) Close() error {
	k := t.keeper
	if k.cmd == nil {
		return nil
	}
	t.keeper = keeper{}
	err := errors.Join(k.alive.Close(), k.cmd.Wait())
	if err != nil {
		return &diag.Error{
			Op: "remove worktree", Subject: t.Dir, Err: err,
			Hint: fmt.Sprintf("`git worktree remove --force %s` removes it", t.Dir),
		}
	}
	return nil
}
