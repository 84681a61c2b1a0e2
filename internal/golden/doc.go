// Package golden compares what a test made with a file in the repository.
//
//  1. A test calls [Check] with the file's name and what it should hold.
//  2. Without -update the test fails with a diff when they differ.
//  3. With -update the file is written.
//
// Importing the package registers the flag -update, once for all tests of a package. `make goldens`
// runs the packages that have it: go test refuses a flag that one of its packages does not know.
//
// The package has no state but the flag. It is for tests only. Scripts of internal/cli are
// rewritten by testscript, which asks [Update].
package golden
