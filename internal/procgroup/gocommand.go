package procgroup

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// RunGo runs a go command of exec.CommandContext, as OwnAndKill prepares it: when its context ends, the whole group is
// killed. The go command's temporary files, which a killed one leaves, are in a directory that RunGo removes.
func RunGo(cmd *exec.Cmd) error {
	remove, err := GoTemp(cmd)
	if err != nil {
		return err
	}
	OwnAndKill(cmd)
	return errors.Join(cmd.Run(), remove())
}

// goTempPrefix is the prefix of the directories of GoTemp.
const goTempPrefix = "whet-go-"

// GoTemp makes a directory for the temporary files of a go command that is not started yet, in the one that it would
// use. remove removes it, after the command has ended.
func GoTemp(cmd *exec.Cmd) (remove func() error, err error) {
	if cmd.Env == nil {
		cmd.Env = cmd.Environ()
	}
	parent := ""
	for _, name := range []string{"TMPDIR", "GOTMPDIR"} { // the second one is preferred
		for _, entry := range cmd.Env {
			if value, ok := strings.CutPrefix(entry, name+"="); ok && value != "" {
				parent = value
			}
		}
	}
	dir, err := os.MkdirTemp(parent, goTempPrefix)
	if err != nil {
		return nil, fmt.Errorf("make a directory for the go command: %w", err)
	}
	cmd.Env = append(cmd.Env, "GOTMPDIR="+dir)
	return func() error { return removeAll(dir) }, nil
}

// removeTime is how long processes that were killed may still make files.
const removeTime = 2 * time.Second

// removeAll removes a directory. Processes that were killed may make files until the kernel has ended them.
func removeAll(dir string) error {
	for deadline := time.Now().Add(removeTime); ; time.Sleep(5 * time.Millisecond) {
		err := os.RemoveAll(dir)
		if err == nil || time.Now().After(deadline) {
			return err
		}
	}
}
