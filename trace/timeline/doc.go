// Package timeline answers the queries of a program that draws an execution trace: which rows there
// are, and what each does in a window of a given width in pixels.
//
// Data flow:
//
//  1. [Timeline.Rows] lists goroutines, processors, threads, tasks, requests, and the names of
//     ranges and regions: those that match, sorted, one page at a time. It iterates over the
//     goroutines and tasks of the index and keeps only the first ones; recent lists are cached for
//     the next page.
//  2. [Timeline.Spans] queries the index for rows by their IDs. It returns spans or, if there are
//     too many to distinguish, parts with the time in each state: at most about two spans or parts
//     per pixel, for any window.
//  3. Requests are found on first use (package requests), in a pass over the trace. The spans of a
//     request or task are those of its goroutine, cut at its ends.
//  4. [Timeline.Metric] reduces the values of a metric to the width of the window, and keeps the
//     minimum and maximum of those left out.
//
// The types marshal to the schema whet.timeline/1, with spans and parts as arrays to save space. A
// Timeline is safe for concurrent use; the index belongs to the caller, who must keep it open.
//
// The package does not draw, and does not serve HTTP.
package timeline
