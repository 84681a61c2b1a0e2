// Package scratch copies a module to a temporary directory, where changes can be tried without
// touching the original.
//
// Data flow:
//
//  1. [New] copies the repository that contains the module: what git tracks or does not ignore,
//     with uncommitted work. It first removes the copies that killed processes left behind.
//  2. [Changes] are applied to the copy for a single go command, by [Module.Overlay], or
//     permanently, by [Module.Write].
//  3. [Module.Build], [Module.Vet] and [Module.Test] check packages of the copy;
//     [Packages.Affected] names those that a change can break.
//  4. [Module.Close] removes the copy.
//
// A Module is not safe for concurrent use. The package does not know where changes come from.
package scratch
