//go:build !unix

package agent

import "time"

// processCPU returns 0: it is not implemented on this system.
func processCPU() time.Duration { return 0 }
