//go:build !unix

package costs

import "os"

// PeakMemory returns 0: it is unknown.
func PeakMemory(*os.ProcessState) int64 { return 0 }
