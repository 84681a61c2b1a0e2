// Package inputs keeps what a server has opened last, because decoding is most of the work of a view.
//
//  1. [Cache.Open] opens a part of a file, or returns it from memory if the file has not changed; visitors that ask for
//     the same at once wait for one of them. Decoding stops when none of them is left.
//  2. Those that were not used for long are closed once they are not in use.
//
// A Cache may be used by several goroutines. It opens only files of its [files.Set].
package inputs
