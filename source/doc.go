// Package source finds what a frame of a profile refers to: the text of its source file, from any
// available copy, and the machine code, symbols and inlined calls at its address. It needs neither
// binutils nor a Go toolchain.
//
// Source text:
//
//  1. [NewFinder] takes what is known about the program: files in a recording, working trees,
//     modules from the build info, GOROOT, the module cache.
//  2. [Finder.File] tries them in that order, from the most reliable (the text recorded with this
//     build) to the least (a file in the working tree whose path has the same suffix), and returns
//     the lines and their origin. [Finder.Local] does the same for files on this machine only, and
//     returns a path that can be edited.
//  3. A [NotFoundError] lists every location that was tried and what to do next.
//
// Machine code:
//
//  1. [Open] reads an ELF, Mach-O or PE file. For Go programs, functions, lines and inlined calls
//     come from the function table that the runtime itself uses (pclntab), which is present in
//     stripped binaries, too; for other code they come from the symbol table and DWARF.
//  2. [ExtractCode] copies the functions around given addresses out of a binary and packs them for
//     a recording; [OpenCode] opens the pack.
//  3. Both are a [Machine], for which [Disasm] and [DisasmRange] decode instructions with the names
//     of call targets and the chain of inlined calls.
//
// All addresses are those in the file; [Machine.Base] returns what the mapping of a running process
// adds to them (position-independent code, ASLR).
//
// A Finder, a Binary and a Code are safe for concurrent use. The slices they return are shared and
// must not be modified. Binaries, code packs and the paths in a profile are untrusted input: damage
// is an error that names the section, paths with ".." never leave the directory they are joined to,
// and only regular files of bounded size are read.
//
// The package downloads nothing, runs no compiler and knows nothing about profiles. Inlined calls
// of Go programs are known since Go 1.20; for older ones only the outermost function and the
// innermost line. Opening a binary takes as much memory as its symbol and line tables; debug/macho
// and debug/pe impose no tighter bound on a hostile file.
package source
