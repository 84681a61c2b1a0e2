//go:build !linux

package sandbox

import "errors"

var errLinux = errors.New("the sandbox needs namespaces and Landlock, which only Linux has")

// Supported returns why code cannot be run in the sandbox here; nil if it can.
func Supported() error { return errLinux }

// again runs this program again, without a network, and returns its exit code.
func again() (code int, err error) { return 0, errLinux }

// setUp makes loopback usable. It is called inside.
func setUp() error { return errLinux }

func restricted(string, []string) error { return errLinux }
