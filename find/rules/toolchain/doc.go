// Package toolchain defines a rule: the program is built with an older Go, and does much of what a newer one
// does faster.
//
// Each release of Go makes some of the runtime and the standard library faster. Garbage collection costs 10 to
// 40 percent less since Go 1.26 (https://go.dev/doc/go1.26); map operations are up to 60 percent faster since
// Go 1.24 (https://go.dev/blog/swisstable); and since Go 1.27 encoding/json has the implementation that decodes
// structs 1.7 to 3 times as fast (rule jsoncodec).
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
// The recording says which Go built the program, and that is older than the one that built whet. The CPU
// profile shows how much time the program spends in what became faster since; the saving is the most that these
// figures allow. Test binaries are left out, since what their benchmarks do is not what the
// program does most.
//
// # Safety
//
// No source is changed, and the language version of go.mod stays. A newer Go may still behave differently where
// its release notes say so; GODEBUG settings follow the go line of go.mod. whet fix builds the module with
// the newer Go, runs the tests, compares answers and measures; it never changes go.mod.
package toolchain
