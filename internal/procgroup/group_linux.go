package procgroup

import "syscall"

// dieWithParent has the kernel kill the command when the thread that started it
// ends, as it does when whet itself is killed.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
