// Package recording reads and writes .whet files: everything observed of a
// target in one sitting, as a zip archive of standard files.
//
// Data flow when writing:
//
//  1. [Create] opens FILE.whet.partial next to the destination and writes
//     start.json, what is known of the target before anything is measured.
//  2. [Writer.Add], [Writer.AddProfile] and [Writer.AddReader] each append one
//     whole part. A part is compressed before its local header is written, so the
//     header carries the sizes and the checksum and nothing in the file has to be
//     patched afterwards.
//  3. [Writer.Close] appends recording.json and the zip index, syncs, and renames
//     the file to its destination.
//
// Data flow when reading:
//
//  1. [Open] reads the zip index and compares it with the local headers.
//  2. When the index is missing or disagrees (the recorder was killed, the file
//     was cut or damaged) it walks the local headers instead, and searches for the
//     next header where one is damaged. Recording.Warnings names every part that
//     is not whole.
//  3. [Recording.Profile], [Recording.Part] and [Recording.SourceFile] inflate one
//     part on demand, and check its length and checksum while doing so. Their
//     errors are [*PartError]s: they name the file and the part.
//
// A Writer may be used by many goroutines; parts are appended in the order of
// the calls. A Recording is safe for use by many goroutines and keeps nothing
// but the list of parts in memory. What its methods return belongs to the caller.
//
// The package does not extract to disk, so names in the archive are never used
// as paths; it does not interpret parts other than recording.json and profiles;
// and it does not fetch anything (see package collect). The bytes are drawn in
// docs/formats/recording.md.
package recording
