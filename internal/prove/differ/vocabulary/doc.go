// Package vocabulary collects what a package's own code mentions, because inputs made from it get
// further than random bytes.
//
// Data flow:
//
//  1. Of takes the type-checked versions of a package. It collects the values of their constants and
//     literals, those of changed declarations first, texts that their regular expressions match, the
//     JSON names of fields with the kinds of their values, and the strings and small files of the tests
//     next to the first version.
//  2. Add adds texts that a program passed to the functions.
//  3. Source writes a Vocabulary as variables of the support files of package differ.
//
// A Vocabulary is bounded, whatever the size of the package, and belongs to the caller. The package
// has no state, and does not make inputs: the support files do, including near misses of a word.
package vocabulary
