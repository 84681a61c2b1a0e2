// Package licenses lists the third-party components of whet's binaries with their licenses.
//
//  1. [List] runs `go list -deps` for the packages of the commands, once for each operating system
//     of a release, and reads the license and notice files of each package, from its directory up
//     to the root of its module. github.com/google/licensecheck names the licenses.
//  2. [Bundled] reads from ui/package-lock.json the npm packages that the pages in ui/dist contain.
//  3. [Page] writes both as Markdown, each text once: THIRD_PARTY.md in the root of the repository.
//
// The package's test fails if a license is not on the allowed list or the page is out of date;
// `make goldens` rewrites it. NOTICE describes what is neither a Go module nor an npm package.
//
// The functions have no state. Only the test imports the package.
package licenses
