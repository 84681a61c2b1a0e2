// Package find joins profiles, source and compiler notes into ranked findings: what is expensive in
// the user's code, why, and the rewrite that removes the cost.
//
// Data flow:
//
//  1. For each profile, a ledger charges every sample to its innermost own frame, by file and line
//     (never by function name, which varies with inlining), and records which of the rules'
//     functions were called below it.
//  2. The files of the profile are matched with those of the module by the ends of their paths.
//     Functions that have moved or are gone are set aside as stale.
//  3. The packages with hot lines are loaded (package driver), and all rules run on them.
//  4. Each diagnostic is charged with what the ledgers have on its lines below the frames that its
//     cause names. Findings below the minimum share are dropped; the compiler's notes on the line
//     are attached; the suggested fix becomes a diff.
//  5. Rules about the program as a whole judge its build, the CPU profile and the runtime
//     statistics; their findings have a setting instead of a diff.
//  6. Findings are ranked by what they would save: their share of the CPU time, plus their share of
//     the garbage collector's work. Hot lines without a finding are listed with their callees.
//  7. For hot lines without a rewrite, candidates are proposed (internal/find/candidates): changes
//     that compile but may be wrong. They are listed separately, and nothing is charged to them.
//  8. The waits of requests in execution traces, and of mutex and block profiles, are attached to
//     lines and findings. Lines that only wait are listed separately. Waits are evidence: they are
//     not charged to any finding.
//
// [Find] (run.go) calls these phases one after the other; each takes the values of those before it
// and changes none of them. [Charge] stops after the second. A Result belongs to the caller. Find
// writes only its own cache of compiler notes.
//
// The package does not record, and does not change source: see packages collect and fix.
package find
