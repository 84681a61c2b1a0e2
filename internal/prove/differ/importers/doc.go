// Package importers knows which packages of a module import those that change.
//
// Data flow:
//
//  1. Read lists the packages of both versions of a module with the go command: the new version is an
//     overlay.
//  2. Between returns the packages that must be copied so that the new version of one package uses
//     nothing of the old version.
//  3. Of returns the packages that depend on one, those that it needs first.
//  4. Importable reports whether other modules can import a package, Exposes whether they can get values of a
//     type from the exported declarations of one, and Hides whether one makes interfaces of these.
//  5. Elsewhere returns the files that seem to use a declaration, but are not in this build.
//  6. SameValue, SameOutside and Equal compare what other packages see of two versions of a declaration.
//
// A Graph belongs to the caller and is not safe for concurrent use. The package writes nothing but the
// overlay.
package importers
