// Package toolchain defines a rule: the program is built with an old Go version and spends time
// in what newer ones do faster.
//
// Each Go release makes parts of the runtime and the standard library faster. Garbage collection
// costs 10 to 40 percent less since Go 1.26 (https://go.dev/doc/go1.26); map operations are up
// to 60 percent faster since Go 1.24 (https://go.dev/blog/swisstable); and since Go 1.27
// encoding/json has the implementation that decodes structs 1.7 to 3 times as fast (rule
// jsoncodec).
//
// # Before
//
//	go build ./cmd/service
//
// # After
//
//	GOTOOLCHAIN=go1.27.4 go build ./cmd/service
//
// # Evidence
//
// The recording contains the Go version that built the program, which is older than the one that
// built whet. The CPU profile shows how much time the program spends in what has become faster;
// the estimated saving is the upper bound that these figures allow. Test binaries are excluded,
// because benchmarks do not represent what the program mostly does.
//
// # Safety
//
// No source changes, and neither does the language version in go.mod. A newer Go may still
// behave differently where its release notes say so; GODEBUG settings follow the go line of
// go.mod. whet fix builds the module with the newer Go, runs the tests, compares output and
// measures; it never changes go.mod.
package toolchain
