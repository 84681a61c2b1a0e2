//go:build unix && !linux

package collect

import "syscall"

func dieWithParent(*syscall.SysProcAttr) {}
