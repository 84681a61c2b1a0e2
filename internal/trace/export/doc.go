// Package export writes execution traces in the formats of other tools: Perfetto, Chrome and
// OpenTelemetry; and requests as lines of JSON.
//
// Data flow:
//
//  1. The content comes from an index, stream by stream: metrics become counters; the garbage
//     collector's ranges, the spans of goroutines, requests (trace/requests), tasks and regions
//     become slices on tracks.
//  2. [Perfetto] and [Chrome] draw the tracks: processors with what they run, goroutines with their
//     states, the garbage collector, requests and tasks side by side, regions below their
//     goroutines.
//  3. [OTLP] makes a span of each request and task, with child spans for what a request waits for
//     and for regions of tasks. Identifiers are hashes, so that the same trace always has the same
//     ones.
//  4. [RequestLines] writes each request and task as it is found, with its time by cause.
//
// Spans, the most numerous, are written as they come and not kept. Requests, tasks and regions are
// sorted, at about 100 bytes each; their number is limited: of a handler's requests, the slowest
// are kept. Slices and counters of a window are cut at its ends; requests, tasks and regions are
// whole. Functions may be called concurrently on one index.
//
// Files of these formats are not read.
package export
