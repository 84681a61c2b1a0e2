// Package rewrite makes the edits that rules suggest.
//
// Data flow: a rule asks for the text of an expression ([Text]), the name by which a file
// refers to a package ([Import], with the edit that imports it when it does not yet), a name
// that nothing else has ([Names]), or for a package variable that takes what a function makes
// ([Hoist]), or other declarations ([Declare]); it puts the edits together into its suggested
// fix. [Apply] applies edits to a file, takes out imports that are not used any more, and formats
// what it changed.
//
// The package has no state. It does not decide what may be rewritten.
package rewrite
