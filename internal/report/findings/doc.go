// Package findings renders findings and their outcome: find, fix, rules, compiler notes, and
// profile-guided optimization.
//
// A result of package find or fix has a writer for text, Markdown, HTML and SARIF. Patches contain
// foreign text, which is cleaned wherever a terminal or a browser shows it. The package holds no
// state.
package findings
