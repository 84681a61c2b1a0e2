// Package brief has parts of what package find found, in short, for the results of tools: advice, calls of
// other modules, and what was found in copies of these.
//
// Data flow: each function copies the first entries of a list of package find. Results belong to the caller.
//
// The package does not shorten texts: package fit does, when a result is too large.
package brief
