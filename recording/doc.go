// Package recording reads and writes .whet files: everything observed of a target over one window,
// as a zip archive of standard files.
//
// Data flow when writing:
//
//  1. [Create] opens FILE.whet.partial next to the destination and writes start.json, the
//     description of the target before anything is measured.
//  2. [Writer.Add], [Writer.AddProfile] and [Writer.AddReader] each append one whole part. A part
//     is compressed before its local header is written, so the header has the sizes and the
//     checksum, and nothing in the file has to be patched afterwards.
//  3. [Writer.Close] appends recording.json and the zip index, syncs, and renames the file to its
//     destination.
//
// Data flow when reading:
//
//  1. [Open] reads the zip index and compares it with the local headers.
//  2. If the index is missing or disagrees (the recorder was killed, or the file is truncated or
//     damaged), it walks the local headers instead, and searches for the next header where one is
//     damaged. Recording.Warnings lists every incomplete part.
//  3. [Recording.Profile], [Recording.Part] and [Recording.SourceFile] inflate one part on demand,
//     and check its length and checksum. Their errors are [*PartError]s, with the names of the file
//     and the part.
//
// A Writer is safe for concurrent use; parts are appended in the order of the calls. A Recording is
// safe for concurrent use and keeps only the list of parts in memory. The results of its methods
// belong to the caller.
//
// The package does not extract to disk, so names in the archive are never used as paths; it does
// not interpret parts other than recording.json and profiles; and it does not fetch anything (see
// package collect). docs/formats/recording.md draws the bytes.
package recording
