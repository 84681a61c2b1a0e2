// Package find joins profiles, source and compiler notes into ranked findings: what in the
// user's own code costs, why, and the rewrite that takes the cost away.
//
// Data flow:
//
//  1. For each profile a ledger charges every sample to its innermost own frame, by file and line
//     (never by function name, which varies with inlining), and notes which of the rules'
//     functions were called below it.
//  2. The profile's files are matched with those of the module by the ends of their paths, and
//     functions that lie elsewhere now, or are gone, are set aside as stale.
//  3. The packages with hot lines are loaded (package driver), and all rules run on them.
//  4. Each diagnostic is charged what the ledgers have on its lines below the frames that its
//     cause names. What stays under the least share is dropped; what the compiler says of the
//     line is put beside it; the suggested fix becomes a diff.
//  5. Rules about the program as a whole judge its build, the CPU profile and the runtime's
//     statistics; their findings have a setting in the place of a diff.
//  6. Findings are ranked by what they would save: their share of the processor, and their share
//     of the garbage collector's work. Hot lines without a finding are listed, with what they call.
//  7. What requests of execution traces wait for, and mutex and block profiles, are put beside lines and
//     findings. Lines that only wait are listed by themselves. Waits are evidence: no finding is charged them.
//
// A Result belongs to the caller. Find writes nothing but its own cache of compiler notes.
//
// The package does not record, and changes no source: see packages collect and fix.
package find
