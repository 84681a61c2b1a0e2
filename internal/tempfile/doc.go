// Package tempfile makes temporary files that nothing can leave behind.
//
// Data flow:
//
//  1. [New] makes a file in a directory and removes its name at once, where the
//     system allows it: the space is free again when the process ends, however it ends.
//  2. [File.Close] removes the name where it could not be removed earlier.
//
// A file belongs to its maker; it is an [os.File] and may be used as one. The package
// does not limit what is written.
package tempfile
