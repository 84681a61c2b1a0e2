// Package fast is the hash service of package slow, with the slow parts rewritten by
// hand. It has the same exported names and the same behavior: same_test.go in the
// module's root proves it.
//
// A request takes these steps:
//
//  1. [Handler] takes the buffers of an earlier request, empties them and reads the
//     body into one of them.
//  2. appendHashes walks the body once. It hashes each item in place and
//     appends the hash to the answer. It knows only plain JSON, as programs write it.
//  3. Anything else (other keys, null, duplicates, errors) is left to
//     encoding/json, which decodes the whole body again and decides what is valid.
//
// The package is safe for concurrent use: buffers belong to one request at a time.
package fast
