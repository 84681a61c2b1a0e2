// Package rules defines what a rule is: an expensive pattern of code that a profile can confirm,
// and the rewrite that removes the cost.
//
// Data flow:
//
//  1. Each directory below has one rule: a [Rule] returned by its New, a go/analysis Analyzer whose
//     diagnostics name a [Cause] in their Category, and a doc.go that explains it ([ParseDoc]).
//  2. Package find runs the analyzers on the packages that contain hot lines, and charges each
//     diagnostic with what the profiles show on its lines below the frames that its cause names.
//  3. A rule about how a program is built or run has no pattern in source: its Judge examines what
//     a recording contains about the [Program] as a whole, and returns a [Setting].
//  4. The analyzers also run alone, as go vet -vettool=whet-vet, without a profile ([Rule.Vet]).
//
// A diagnostic covers, from Pos to End, the expression or statement that costs; its suggested fix
// may change other places, such as the declaration of a slice or a package variable. It has at most
// one suggested fix, and only if that keeps behavior; a comment in the analyzer argues why.
//
// What rules share is in rules/rewrite (edits of source) and rules/ruletest (their tests);
// rules/index lists all rules and is generated.
//
// A cause is fixed in one of three ways: by the suggested fix, by a Setting, or not at all. A
// diagnostic without a fix says why, and which edit by hand makes one possible ([None]); a cause that
// never has a fix says what to do ([Cause].ByHand). whet-vet prints neither. A cause
// makes one finding per place, per function, or for the module ([Scope]).
//
// Rules have no state. The package knows nothing about profiles: frames are matched by name.
package rules
