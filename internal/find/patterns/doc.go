// Package patterns matches names with many regular expressions at once.
//
// Data flow: a Set gets the patterns of all rules, each once; Match returns a Mask with one bit for each
// pattern that matches a name.
//
// A Set must not change while it is used; a Mask is a value.
//
// The package does not know what the patterns mean.
package patterns
