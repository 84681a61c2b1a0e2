// Command release makes the files of a release from a tag, for `make release`.
//
//  1. It clones the commit into a new directory, so that nothing uncommitted gets in, and tags it
//     there if it has no tag yet (a trial); the go command stamps the tag into the binaries, which
//     `whet --version` prints.
//  2. It builds whet and whet-vet for each platform, without cgo, with -trimpath (build.go).
//  3. Binaries, licenses and the changelog go into an archive for each platform, with the time of
//     the commit (archive.go); a CycloneDX SBOM lists the modules that the binary itself names
//     (sbom.go).
//  4. nfpm makes the Debian packages from nfpm.yaml (package.go).
//  5. SHA256SUMS has the checksums of all files, and whet.rb, a Homebrew formula, those of the
//     archives it needs.
//
// The same commit gives the same bytes, wherever and whenever it is built with the same Go release:
// `make release-check` makes a release in two directories and compares them.
package main
