// Package store defines what a store of profiles over time is: profiles with labels go in, and
// merged profiles of a selection come out. store/local is the store in a directory.
//
// Data flow:
//
//  1. A client's format becomes [Profile] values: a decoded profile, the service and kind it
//     belongs to, labels ([NewLabels]), and when it was measured.
//  2. [Limits.Check] refuses what is too large or malformed, and [Bucket] what comes too fast, as
//     a [*LimitError] or an [*InvalidError], which HTTP answers with their Status.
//  3. [Writer.Write] stores a batch. An ID is a hash of the content ([NewID]), so a batch that is
//     sent again is stored once.
//  4. [ParseMatchers] reads a selector such as {service="shop",env!="test"} into a [Query], and a
//     [Reader] answers it: one merged profile, the series, the labels, or single profiles.
//  5. A [RecordingStore] keeps whole .whet files by the same labels, within a size for each service,
//     and a [ResultStore] the documents of measurements by commit.
//  6. [Timeline] merges step by step: the most expensive own lines over time.
//
// A Profile's Data is immutable; the store does not keep a reference to it. Implementations of
// Reader and Writer are safe for concurrent use.
//
// The package does not know SQL, files or HTTP, and does not decode foreign formats.
package store
