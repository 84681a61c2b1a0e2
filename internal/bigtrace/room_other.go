//go:build !linux && !darwin

package main

// checkRoom trusts that there is room: where there is none, writing fails.
func checkRoom(string, int64) error { return nil }
