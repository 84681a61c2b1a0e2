// Package findings renders findings and what became of them: find, fix, rules, compiler
// notes, and profile-guided optimization.
//
// A result of package find or fix has a writer for text, Markdown, HTML and SARIF. Patches are
// text of others: they are cleaned wherever a terminal or a browser shows them. The package
// holds no state.
package findings
