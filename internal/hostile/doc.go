// Package hostile generates input that whet must not trust: profiles and recordings that need far
// more memory than their size, and servers that never finish an answer. All of it is small, and for
// tests.
//
// Data flow:
//
//  1. [Files] writes every hostile file.
//  2. A test runs a command on each and expects it to end within [BoundMemory] and [BoundSeconds],
//     with a result or with an error that explains why not.
//
// The package does not depend on the rest of whet: it writes the formats byte by byte, so that no
// writer can refuse to.
package hostile
