//go:build unix && !linux

package fix

import "syscall"

// dieWithParent does nothing: only Linux ends a command when the process that started it is killed.
func dieWithParent(*syscall.SysProcAttr) {}
