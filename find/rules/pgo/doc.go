// Package pgo defines a rule: the program is built without profile-guided optimization.
//
// With a CPU profile, the compiler knows which calls are hot: it inlines more of them, and calls
// the most frequent implementation of an interface method directly. The Go project measured
// savings of 2 to 14 percent of CPU time (Go 1.22, https://go.dev/doc/pgo). No source changes;
// builds take longer.
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
// The recorded build has no -pgo, and its CPU profile has enough samples to tell hot calls from
// others: five hundred, which is five seconds of CPU time. Test binaries are excluded, because
// the profile of a benchmark does not represent a service.
//
// # Safety
//
// The source and its behavior stay the same. The profile must be kept up to date: functions that
// were moved or renamed since gain nothing. whet pgo merges profiles, lists stale functions, and
// measures the effect on time and binary size.
package pgo
