//go:build linux || darwin

package scratch

import "syscall"

// freeSpace returns the number of bytes that are free where a directory is; 0 if that is unknown.
func freeSpace(dir string) int64 {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0
	}
	return int64(s.Bavail) * int64(s.Bsize) //nolint:gosec,unconvert // less than 2^63, and of other types elsewhere
}
