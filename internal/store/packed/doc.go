// Package packed encodes parts of profiles as bytes, for the databases of stores: numbers of
// variable length, and texts after their length.
//
//  1. The Append functions write a part; equal parts are equal bytes, so bytes serve as a key.
//  2. A [Decoder] reads them. What it was not written by Append is [ErrDamaged], and it allocates at
//     most a multiple of its input.
//
// Nothing is compressed here. A Decoder is not safe for concurrent use.
package packed
