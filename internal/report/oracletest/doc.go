// Package oracletest compares views of profiles with go tool pprof: it records profiles of a
// small program, runs pprof, and decodes what it writes.
package oracletest
