//go:build !unix

package agent

import "time"

// processCPU returns 0, which means unknown: only Unix systems have getrusage.
func processCPU() time.Duration { return 0 }
