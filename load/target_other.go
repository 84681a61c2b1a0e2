//go:build !linux

package load

import "time"

// target is the process that listens at the loaded address; it cannot be found on this system.
type target struct {
	pid     int
	command string
}

func (p *plan) findTarget() target { return target{} }

func (t target) cpu() (time.Duration, bool) { return 0, false }
