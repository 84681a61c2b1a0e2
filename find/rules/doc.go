// Package rules says what a rule is: a pattern of code that costs, which a profile can
// confirm, and the rewrite that takes the cost away.
//
// Data flow:
//
//  1. Each directory below has one rule: a [Rule] made by its New, a go/analysis Analyzer whose
//     diagnostics name a [Cause] by their Category, and a doc.go that explains it ([ParseDoc]).
//  2. Package find runs the analyzers on the packages that hold hot lines, and charges each
//     diagnostic what the profiles show on its lines below the frames that its cause names.
//  3. A rule about how a program is built or run has no pattern in source: its Judge looks at what
//     a recording says of the [Program] as a whole, and answers with a [Setting].
//  4. The analyzers also run alone, as go vet -vettool=whet-vet, without a profile ([Rule.Vet]).
//
// A diagnostic covers, from Pos to End, the expression or statement that costs; its suggested
// fix may change other places: where a slice is declared, a package variable. It has one
// suggested fix at most, and only where behaviour is kept; the analyzer says in a comment why.
//
// What rules share is in rules/rewrite (edits of source) and rules/ruletest (their tests);
// rules/index lists them all and is generated.
//
// A cause mends in one of three ways: by the suggested fix, by a Setting, or not at all; and it makes
// a finding for each place, each function, or the module ([Scope]).
//
// Rules have no state. The package does not know profiles: frames are matched by name.
package rules
