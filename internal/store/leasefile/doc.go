// Package leasefile keeps leases in a file of a directory, for processes on one machine.
//
// Data flow: [New] names the directory, and each call is one transaction on a SQLite database in it, after
// those of other processes.
//
// A File is safe for concurrent use, and is closed by its owner. The package does not renew leases by
// itself: internal/scrape/share does.
package leasefile
