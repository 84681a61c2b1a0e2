//go:build unix && !linux

package gotest

import "syscall"

func dieWithParent(*syscall.SysProcAttr) {}
