// Package server answers the page of a timeline over HTTP. Package workbench below it serves the
// other pages, and this one with them.
//
// Data flow:
//
//  1. [Routes] returns the operations about the timelines of a [Source]: their addresses, parameters and
//     types, as package openapi describes them, and what answers. A handler reads and limits the
//     parameters, and writes one answer of the engine as JSON.
//  2. Package workbench adds them to its own. [New] returns a handler for one timeline alone, and the
//     page that draws it.
//  3. Package loopback serves that to this machine alone.
//
// # API
//
// All answers are JSON; times are nanoseconds since the trace's start. from and to default to the
// whole trace. Errors in a request are application/problem+json (RFC 9457), with a hint
// where one helps, and 400, 403, 404 or 405. GET /api/v1/openapi.json is the description. Below /api/v1/timeline are,
// where the file parameter of the workbench names the trace:
//
//	trace                                          timeline.Trace
//	rows?type=&match=&order=&skip=&limit=          timeline.RowList, in from and to if given
//	rows?ids=g1,g2                                 timeline.RowList of these rows
//	spans?from=&to=&width=&ids=g1,p0               timeline.SpanAnswer
//	metric?name=&from=&to=&width=                  [timeline.Point, …]
//	frames?ids=1,2                                 the stacks of these numbers, in order: [[timeline.Frame, …], …]
//	marks?from=&to=&width=&ids=g1                  timeline.MarkAnswer
//	stays?from=&to=&state=&limit=&ids=g1           timeline.StayAnswer
//	stacks?from=&to=&by=&ids=g1                    timeline.StackAnswer
//	classes                                        [timeline.ClassInfo, …]
//	utilization                                    timeline.UtilizationAnswer
//
// # Safety
//
// No request changes anything; that of [New] names no file. A page of another site can send requests to a port of
// the loopback interface, but not read the answers. By a name that resolves to it ("DNS rebinding")
// it could, so the handler refuses requests for any name but those of the loopback interface. The
// page may load only its own script, and contact only this server.
//
// Several goroutines may use a handler, as they may its timeline. The package does not start
// browsers and does not read traces: package trace/timeline answers.
package server
