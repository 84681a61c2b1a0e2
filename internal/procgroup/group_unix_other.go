//go:build unix && !linux

package procgroup

import "syscall"

// dieWithParent does nothing: only Linux can kill a command with its parent.
func dieWithParent(*syscall.SysProcAttr) {}
