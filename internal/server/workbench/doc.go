// Package workbench answers the web pages of `whet ui` and `whet serve`, and programs, over HTTP.
//
// Data flow:
//
//  1. [New] takes the files that may be shown, the targets that may be recorded and who may connect,
//     and returns a handler. Its table of routes is also the OpenAPI document, /api/v1/openapi.json.
//  2. A request for a view names a file and the flags of the command that shows the same. The input is
//     decoded once and kept (cache.go); each request binds its own query to it.
//  3. The answer is the document that the command writes with --json, or the problem with its hint,
//     as application/problem+json.
//  4. Recording and finding are jobs (package jobs), whose progress is a stream of events. So are answers
//     that take long, for clients that prefer it (package slow).
//
// # Safety
//
// Package access decides who is answered. Files come from package files only; what a profile names
// is read from the recording or from the directories named at the start, and only packages of the
// module named there are compiled (package compiled). A request chooses targets
// and loads by their place in the lists given at the start: no request makes the server contact
// another address. Pages run the scripts of this server only.
//
// Several goroutines may use the handler. The package neither decodes nor renders: it calls the
// engines, and internal/report for pictures and pages.
package workbench
