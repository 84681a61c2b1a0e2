//go:build !linux

package ab

// Processors are the logical processors that rounds can be pinned to: none here.
func Processors() []int { return nil }
