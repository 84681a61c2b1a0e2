// Package server answers the pages of whet's web UI over HTTP.
//
// Data flow:
//
//  1. [New] makes a handler of a timeline and the page that draws it. Each request is of one answer of
//     the engine: parameters are read and bounded, the engine answers, the answer is written as JSON.
//  2. Package loopback serves it, to this machine alone.
//
// # API
//
// All answers are JSON; times are nanoseconds since the trace's begin. from and to may be left out:
// the whole trace. Errors in a request are reported as {"error": "…"} with 400, 403, 404 or 405.
//
//	GET /                                                              the page
//	GET /api/trace                                                     timeline.Trace
//	GET /api/rows?type=&match=&from=&to=&order=&skip=&limit=           timeline.RowList
//	GET /api/rows?ids=g1,g2                                            timeline.RowList of these rows
//	GET /api/spans?from=&to=&width=&ids=g1,p0                          timeline.SpanAnswer
//	GET /api/metric?name=&from=&to=&width=                             [timeline.Point, …]
//	GET /api/stack?n=                                                  [{"function", "file", "line"}, …], leaf first
//
// # Safety
//
// Nothing is changed by a request and no file is named by one. A page of another site can send
// requests to a port of the loopback interface, but not read answers; and by a name that resolves
// to it ("DNS rebinding"), it could, so that requests for other names than those of the loopback
// interface are refused. The page may load nothing but its own script, and contact only this server.
//
// A handler may be used by many goroutines, as its timeline may. The package does not start browsers,
// and knows no traces: package trace/timeline answers.
package server
