// Package emptiness decides whether a package can tell a nil slice from an empty one in the result of an unexported
// function: a change that makes a slice of the right capacity first returns an empty one where the old code
// returned nil, which is no difference if all callers only range over it, take its length or append it.
//
// Data flow:
//
//  1. New takes a package that was loaded with syntax and types.
//  2. Hidden follows a result through all calls of its function: into variables, parameters of other functions of
//     the package, function literals that are passed to these, and the results of other unexported functions.
//  3. Each use must be one for which nil and empty are the same. Any other, such as a comparison with nil, a
//     conversion to an interface, a field, or the result of an exported function, tells them apart.
//
// A Finder is not safe for concurrent use. The package reads no files, and builds and runs nothing.
package emptiness
