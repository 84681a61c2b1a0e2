// Package export writes execution traces in other tools' formats: Perfetto's, Chrome's,
// OpenTelemetry's.
//
// Data flow:
//
//  1. What is shown comes from an index, stream by stream: metrics become counters, the collector's
//     ranges, the spans of goroutines, requests (trace/requests), tasks and regions become slices
//     on tracks.
//  2. [Perfetto] and [Chrome] draw the tracks: processors with what they run, goroutines with their
//     states, the collector, requests and tasks side by side, regions below their goroutines.
//  3. [OTLP] makes a span of each request and task, with what a request waits for, and regions of
//     tasks, as children. Identifiers are hashes, so that the same trace has the same ones each
//     time.
//
// Nothing is kept of spans, of which there are most: they are written as they come. Requests, tasks
// and regions are sorted, at some 100 bytes each; there are limits on their numbers: of a handler's
// requests, the slowest are kept. Slices and counters of a window are cut at its ends; requests,
// tasks and regions are whole. Functions may be called at once on one index.
//
// Files of these formats are not read.
package export
