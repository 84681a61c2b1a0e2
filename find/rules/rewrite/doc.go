// Package rewrite makes the edits that rules suggest.
//
// Data flow: a rule requests the text of an expression ([Text]), the name by which a file refers to
// a package ([Import], with the edit that imports it if necessary), an unused name ([Names]), a
// package variable that holds the result of a call ([Hoist]), or other declarations ([Declare]),
// and combines the edits into its suggested fix. [Apply] applies edits to a file, removes imports
// that are no longer used, and formats what it changed.
//
// The package has no state. It does not decide what may be rewritten.
package rewrite
