// Package pgo defines a rule: the program is built without a profile of what it does.
//
// With a CPU profile the compiler knows which calls are hot: it inlines more of them, and calls what an
// interface's method mostly is without asking the interface. The Go project measured 2 to 14 percent of
// the processor's time (Go 1.22, https://go.dev/doc/pgo). No source is changed, and builds take longer.
//
// # Before
//
//	go build ./cmd/service
//
// # After
//
//	cp cpu.pprof ./cmd/service/default.pgo
//	go build ./cmd/service
//
// # Evidence
//
// The recording's build has no -pgo, and its CPU profile has samples enough to tell hot calls from others:
// five hundred, which are five seconds of a processor's time. Test binaries are left out, since a benchmark's
// profile is no picture of a service.
//
// # Safety
//
// The source stays as it is, and so does what it does. The profile must be kept up to date: functions that
// were moved or renamed since gain nothing. whet pgo merges profiles, says which functions are stale, and
// measures what the profile brings, in time and in the size of the binary.
package pgo
