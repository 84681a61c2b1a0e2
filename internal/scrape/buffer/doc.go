// Package buffer keeps profiles and recordings on disk until a store takes them, across crashes.
//
// Data flow:
//
//  1. [Open] locks a directory and lists the batches that an earlier process left in it.
//  2. [Buffer.Add] writes a batch to one file: a temporary one, which gets its name when it is complete
//     and on the disk. So after a crash of the process or of the machine, a batch is there as a whole
//     or not at all.
//  3. [Buffer.First] decodes the oldest batch, or [Buffer.Next] several, without services that the store
//     does not take now, and [Buffer.Remove] deletes what the store has: a file goes when nothing of it is
//     left. What was stored but not deleted is stored again, which stores know by the hash of its profiles.
//  4. [Buffer.AddRecording], [Buffer.NextRecording] and [Buffer.RemoveRecording] do the same for whole
//     recordings, a file each, within the same limits.
//  5. Above a size, and from an age on, the oldest batches are deleted, counted and reported; or what
//     comes is refused, if a sender relies on what was added.
//
// A file is named SEQUENCE-COUNT-TIME.profiles: the number of the batch in 16 hexadecimal digits, the
// number of its profiles, and the time when it was added, in milliseconds since 1970. It contains
//
//	"whet-buffer 1\n"
//	for each profile: size of the header, header, size of the profile, profile
//	a size of 0
//	CRC-32C of all of this
//
// A file of a recording is named SEQUENCE-1-TIME.recording, and contains
//
//	"whet-buffer-recording 1\n"
//	size of the header, header, size of the .whet file, the .whet file
//	CRC-32C of all of this
//
// Sizes and the sum are 32 bits, little endian. The header is JSON: tenant, service, kind, labels,
// start and duration; or the tenant and store.Recording. The profile is in pprof's format, compressed.
//
// A Buffer is safe for concurrent use; one process at a time has a directory. Files and the directory
// are only for the user.
package buffer
