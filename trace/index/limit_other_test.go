//go:build !unix

package index

// limitFiles does nothing on this system.
func limitFiles(string) error { return nil }
