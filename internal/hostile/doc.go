// Package hostile makes the input that whet must not trust: profiles and recordings
// that take far more than their size to read, and servers that never come to an end.
// Everything is small, generated, and for tests.
//
// Data flow:
//
//  1. [Files] writes every hostile file.
//  2. A test runs a command on each and wants it to end within [BoundMemory] and [BoundSeconds]: with a result,
//     or with an error that says why not.
//
// The package knows nothing of whet: it writes the formats byte by byte, so that the
// writers of the other packages cannot refuse to.
package hostile
