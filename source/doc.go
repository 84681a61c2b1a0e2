// Package source finds what a frame of a profile refers to: the text of its
// source file, wherever a copy of it lives, and the machine code, symbols and
// inlined calls behind its address. It needs neither binutils nor a Go
// toolchain.
//
// Source text:
//
//  1. [NewFinder] takes what is known about the program: files that a recording
//     carries, working trees, modules of the build info, GOROOT, module cache.
//  2. [Finder.File] tries them in that order, from the most trustworthy (the
//     recorded text of this very build) to the least (a file in the working
//     tree whose path ends alike), and returns the lines and where they are from.
//     [Finder.Local] does the same for files on this machine only and returns a
//     path that can be edited.
//  3. A [NotFoundError] lists every place that was tried and what to do next.
//
// Machine code:
//
//  1. [Open] reads an ELF, Mach-O or PE file. For Go programs the function table
//     that the runtime itself uses (pclntab) gives functions, lines and inlined
//     calls, stripped or not; for other code the symbol table and DWARF do.
//  2. [ExtractCode] cuts the functions around given addresses out of a binary and
//     packs them, so that a recording can carry them; [OpenCode] opens the pack.
//  3. Both are a [Machine], for which [Disasm] and [DisasmRange] decode
//     instructions with names of call targets and the chain of inlined calls.
//
// All addresses are those of the file; [Machine.Base] gives what a mapping of a
// running process (position-independent code, ASLR) adds to them.
//
// A Finder, a Binary and a Code may be used by many goroutines. Slices they
// return are shared and must not be modified. Binaries, code packs and the paths
// of a profile are foreign input: damage is an error that names the section,
// paths with ".." never leave the directory they are joined to, and only regular
// files of bounded size are read.
//
// The package does not fetch anything, does not run a compiler and does not know
// profiles. Inlined calls of Go programs are known from Go 1.20 on; of older ones
// only the outermost function and the innermost line. Opening costs as much
// memory as the file's symbol and line tables; debug/macho and debug/pe put no
// better bound on a hostile file.
package source
