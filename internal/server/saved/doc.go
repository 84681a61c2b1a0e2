// Package saved makes one HTML file of a recording, which shows the pages of whet ui without a server.
//
// Data flow:
//
//  1. [Write] asks the handler of the API what the pages ask for when nothing is filtered: the overview, the flame
//     graph, the lines and the call graph of each sample type, the source of the functions that cost most, goroutines,
//     memory, and the load and the trace as pages, which it shows in frames.
//  2. It writes the answers, compressed, into a page with the script of all these views. The script takes its answers
//     from there (api/client.ts); for what was not asked, it says how to see it.
//
// A page is at most [MaxBytes] long: the answers of sample types that are rarely looked at are left out first. The
// package holds no state.
package saved
