// Package tempfile makes temporary files that are removed even if the process is killed, and
// replaces files atomically.
//
// Data flow:
//
//  1. [New] creates a file in a directory and removes its name immediately, if the system allows
//     it: the space is free again when the process ends, however it ends.
//  2. [File.Close] removes the name if it could not be removed earlier.
//  3. [Directory] makes a directory that has the same name each time.
//  4. [Replace] writes a result to a temporary file in the same directory, then renames it.
//     [Marked] reports whether that would lose a file of another program.
//  5. [Lock] has a file for one process, and [SyncDirectory] has the names in a directory survive a
//     crash of the machine.
//
// A file belongs to its creator; it is an [os.File] and may be used as one. The package does not
// limit what is written.
package tempfile
