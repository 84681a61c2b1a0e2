//go:build !linux

package load

import "time"

// machineCPU is not available on this system.
func machineCPU() (busy time.Duration, processors int, ok bool) { return 0, 0, false }
