package fix

import "syscall"

// dieWithParent has the kernel kill the command when whet itself is killed.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
