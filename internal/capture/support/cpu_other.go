//go:build !unix && go1.24

package support

import "time"

// started is when the process began.
var started = time.Now()

// processCPU returns the elapsed time, where the CPU time is unknown.
func processCPU() time.Duration { return time.Since(started) }
