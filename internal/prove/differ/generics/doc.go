// Package generics chooses type arguments for calls of generic functions, and of methods of generic types.
//
// Data flow:
//
//  1. Instances takes a function of a package that was loaded with syntax and types. One that is not generic is its
//     only instance.
//  2. The type arguments in the package's own code come first. An exported function, or one without any, also gets
//     others that its constraints allow: basic types, and types of the package.
//
// The same package gives the same instances. The package reads no files, and builds and runs nothing.
package generics
