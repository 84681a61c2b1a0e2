// Package files lists and opens the files that a server may show: those in the directories and files
// that were named at its start.
//
// Data flow:
//
//  1. [Open] opens the named directories and files, each as an os.Root: names with "..", and links
//     that lead elsewhere, cannot leave it.
//  2. [Set.List] walks the directories and describes the files that whet can show. What a file is,
//     is read from its first bytes once, and again when its size or time changes.
//  3. [Set.Path] turns a listed name into a path for errors and caches, and [Set.OpenFile] opens that
//     path through its root. [Set.Source] finds source by the path in a profile.
//  4. [Set.Create] receives files that the user drops on the page, in a temporary directory that
//     [Set.Close] removes, and [Set.RecordPath] names new recordings.
//
// A Set is safe for concurrent use. The package decodes nothing.
package files
