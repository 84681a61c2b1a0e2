// Package oracletest compares views of profiles with go tool pprof: it records profiles of a small
// program, runs pprof, and decodes its output.
package oracletest
