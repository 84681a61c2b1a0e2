// Package objfile reads what an executable contains about an address: machine code, symbols, lines
// and inlined calls. It needs neither binutils nor a Go toolchain.
//
// Data flow:
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
// A Binary and a Code are safe for concurrent use. The slices they return are shared and must not
// be modified. Binaries and code packs are untrusted input: damage is an error that names the
// section.
//
// The package runs no compiler and knows nothing about profiles. Inlined calls are available for Go
// programs built with Go 1.20 or later; for older ones only the outermost function and the
// innermost line. Opening a binary takes as much memory as its symbol and line tables; debug/macho
// and debug/pe impose no tighter bound on a hostile file.
package objfile
