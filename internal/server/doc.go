// Package server answers the page of a timeline over HTTP. Package workbench below it serves the
// other pages, and this one with them.
//
// Data flow:
//
//  1. [New] returns a handler for a timeline and the page that draws it. Each request is for one
//     answer of the engine: the handler reads and limits the parameters and writes the answer as
//     JSON.
//  2. Package loopback serves it, to this machine alone.
//
// # API
//
// All answers are JSON; times are nanoseconds since the trace's start. from and to default to the
// whole trace. Errors in a request are application/problem+json (RFC 9457), with a hint
// where one helps, and 400, 403, 404 or 405.
//
//	GET /                                                              the page
//	GET /api/trace                                                     timeline.Trace
//	GET /api/rows?type=&match=&from=&to=&order=&skip=&limit=           timeline.RowList
//	GET /api/rows?ids=g1,g2                                            timeline.RowList of these rows
//	GET /api/spans?from=&to=&width=&ids=g1,p0                          timeline.SpanAnswer
//	GET /api/metric?name=&from=&to=&width=                             [timeline.Point, …]
//	GET /api/stack?n=                                                  [{"function", "file", "line"}, …], leaf first
//	GET /api/stack?ids=1,2                                             the stacks of these numbers, in order
//	GET /api/marks?from=&to=&width=&ids=g1                             timeline.MarkAnswer
//	GET /api/stays?from=&to=&state=&limit=&ids=g1                      timeline.StayAnswer
//	GET /api/stacks?from=&to=&by=&ids=g1                               timeline.StackAnswer
//	GET /api/classes                                                   [timeline.ClassInfo, …]
//	GET /api/utilization                                               timeline.UtilizationAnswer
//
// # Safety
//
// No request changes anything or names a file. A page of another site can send requests to a port of
// the loopback interface, but not read the answers. By a name that resolves to it ("DNS rebinding")
// it could, so the handler refuses requests for any name but those of the loopback interface. The
// page may load only its own script, and contact only this server.
//
// Several goroutines may use a handler, as they may its timeline. The package does not start
// browsers and does not read traces: package trace/timeline answers.
package server
