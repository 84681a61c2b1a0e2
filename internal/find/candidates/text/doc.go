// Package text proposes changes of code about text: formatting, regular expressions, splitting,
// copying, classes of characters.
//
// Data flow: package candidates calls each generator with a hot line, as a Site; the generator reads
// the syntax around it and returns edits. Generators have no state, and may be called concurrently.
//
// They do not decide whether the text of a program is as a generator assumes: package prove does.
package text
