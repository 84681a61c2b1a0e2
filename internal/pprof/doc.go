// Package pprof implements `whet pprof`: the complete driver of github.com/google/pprof, with
// whet's reader of programs instead of binutils, and with recordings as another kind of input.
//
// Data flow:
//
//  1. [Run] passes the arguments to the driver through a separate flag set; the driver defines
//     every option, so whet pprof accepts what `go tool pprof` accepts.
//  2. The fetcher opens what the driver does not know: a recording (FILE.whet, or FILE.whet:heap
//     for another profile than cpu) and addresses, with the defaults of go tool pprof and -H
//     headers. The driver opens everything else. It does not limit its memory, so whet estimates
//     the memory for the profile and then for the report, and refuses to exceed -max_memory.
//  3. Source in recordings is unpacked to a temporary directory, which is added to -source_path.
//  4. The driver symbolizes and disassembles through objTool, which uses package objfile: list,
//     weblist and disasm need no other program.
//  5. Reports go to the process's standard output, to which the driver writes directly; messages
//     and the shell's prompt go to the streams of Options.
//
// The driver keeps its configuration in package variables: one Run per process.
//
// The package does not change the driver's reports. Those that draw a graph (-svg, -png, -web and
// the graph of -http) still need Graphviz's dot, as with go tool pprof; whet graph does not.
package pprof
