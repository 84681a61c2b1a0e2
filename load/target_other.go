//go:build !linux

package load

import "time"

// target is the process that listens at an address that is loaded; here it is not
// to be found out.
type target struct {
	pid     int
	command string
}

func (g *generator) findTarget() target { return target{} }

func (t target) cpu() (time.Duration, bool) { return 0, false }
