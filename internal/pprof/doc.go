// Package pprof is `whet pprof`: the driver of github.com/google/pprof, complete,
// with whet's own reader of programs in place of binutils and with recordings as
// one more kind of input.
//
// Data flow:
//
//  1. [Run] hands the arguments to the driver through its own flag set; the
//     driver defines every option, so that what `go tool pprof` accepts, this
//     accepts.
//  2. The fetcher opens what the driver does not know: a recording (FILE.whet, or
//     FILE.whet:heap for another profile than cpu) and addresses, with the defaults
//     of go tool pprof and -H headers. Anything else is left to the driver.
//     The driver does not limit its memory, so whet estimates what the profile and
//     then the report take, and refuses what would exceed -max_memory.
//  3. Source that recordings carry is unpacked to a temporary directory, which is
//     put on -source_path.
//  4. The driver symbolises and disassembles through objTool, which answers from
//     package source: list, weblist and disasm need no other program.
//  5. Reports go to the process's standard output, which the driver writes to
//     directly; messages and the shell's prompt go through the streams of Options.
//
// The driver keeps its configuration in package variables: one Run per process.
//
// The package does not change the driver's reports. Those that draw a graph (-svg,
// -png, -web and the graph of -http) still want Graphviz's dot, as with go tool
// pprof; whet graph does not.
package pprof
