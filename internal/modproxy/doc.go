// Package modproxy gets modules of other authors from the module proxy, with the go command, for the
// programs that measure whet on them.
//
//  1. Versions lists the released versions of a module.
//  2. Download returns the directory of a version in the module cache, which is read-only.
//  3. Copy copies it into a new repository, where it can be built, tested and changed.
//     Fetch downloads its dependencies.
//
// Copies belong to the caller. Tests download nothing.
package modproxy
