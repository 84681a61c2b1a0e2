//go:build !linux

package load

import "time"

// machineCPU is not to be had here.
func machineCPU() (busy time.Duration, processors int, ok bool) { return 0, 0, false }
