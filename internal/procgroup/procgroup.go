package procgroup

import (
	"os/exec"
	"time"
)

// waitDelay is how long Wait waits, after the command has ended, for pipes that processes outside
// the group hold open.
const waitDelay = 2 * time.Second

// OwnAndKill is Own for a command of exec.CommandContext: when its context ends, the whole group is
// killed. It sets WaitDelay to 2 s unless it is set.
func OwnAndKill(cmd *exec.Cmd) {
	Own(cmd)
	if cmd.WaitDelay == 0 {
		cmd.WaitDelay = waitDelay
	}
	cmd.Cancel = func() error {
		Signal(cmd.Process.Pid, Kill)
		return nil
	}
}
