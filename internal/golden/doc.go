// Package golden compares the output of a test with a file in the repository.
//
//  1. A test calls [Check] with the file's name and the expected contents.
//  2. Without -update, the test fails with a diff if they differ.
//  3. With -update, the file is written.
//
// Importing the package registers the flag -update, once for all tests of a package. `make goldens`
// runs the packages that have it: go test rejects a flag that one of its packages lacks.
//
// The package has no state but the flag. It is for tests only. testscript, which calls [Update],
// rewrites the scripts of internal/cli.
package golden
