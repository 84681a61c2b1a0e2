// Package effects knows what a change of a package does outside of its functions that are called, and which
// other packages of the module show it.
//
// Data flow:
//
//  1. Package differ adds an Effect for each exported constant, variable and type that has changed or uses
//     what has, and a LooseEnd for each function that cannot be called. Uses are the declarations through
//     which other packages see them.
//  2. A Search passes the packages of the module that may have users, those that others need first. Package
//     differ calls their functions and adds Uses, for their exported declarations.
//  3. Then it looks for what other modules can see.
//  4. Set.Unproven and Set.Outside are what remains.
//
// A Set belongs to the caller and is not safe for concurrent use. The package calls nothing itself.
package effects
