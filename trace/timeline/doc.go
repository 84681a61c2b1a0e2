// Package timeline answers the queries of a drawn execution trace: which rows there are, and what
// each does in a window of some pixels.
//
// Data flow:
//
//  1. [Timeline.Rows] lists goroutines, processors, threads, tasks, requests, and the names of
//     ranges and regions: all that match, in an order, one page at a time. It iterates over
//     goroutines and tasks in the index and keeps only the first ones in the order; recent lists
//     are kept for the next page.
//  2. [Timeline.Spans] queries the index for rows by their IDs. It returns spans or, where they are
//     too many to distinguish, parts of the time with the time in each state: about two spans or
//     parts per pixel at most, whatever the window.
//  3. Requests are found on first use (package requests), in a pass over the trace. They and tasks
//     are the spans of their goroutine, cut.
//  4. [Timeline.Metric] thins out values, with the minimum and maximum of those left out.
//
// Types have the JSON of the schema whet.timeline/1; spans and parts are arrays, to be small. A
// Timeline is safe for concurrent use; the index belongs to the caller, who must keep it open.
//
// The package draws nothing, and serves nothing.
package timeline
