// Package timeline answers what is drawn of an execution trace: which rows there are, and what each
// does in a window of some pixels.
//
// Data flow:
//
//  1. [Timeline.Rows] lists goroutines, processors, threads, tasks, requests, and the names of ranges and
//     regions: all that match, in some order, a page at a time. Goroutines and tasks are gone through
//     in the index, and only the best are kept; the last lists are kept for the next page.
//  2. [Timeline.Spans] asks the index for rows by their IDs. It answers with spans, or with parts of the
//     time and how much of each state is in them, where spans are too many to be told apart: never more
//     than two spans or parts a pixel, or so, whatever the window.
//  3. Requests are found on first use (package requests): that is a pass over the trace. They and
//     tasks are the spans of their goroutine, cut.
//  4. [Timeline.Metric] thins values out, with the least and the most of what was left out.
//
// Types have the JSON of the schema whet.timeline/1; spans and parts are arrays, to be small. A Timeline
// may be used by several goroutines; the index is the caller's and stays open as long.
//
// The package draws nothing, and serves nothing.
package timeline
