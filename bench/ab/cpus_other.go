//go:build !linux

package ab

// Processors returns the logical CPUs that rounds can be pinned to: none on this system.
func Processors() []int { return nil }
