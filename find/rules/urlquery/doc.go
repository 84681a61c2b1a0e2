// Package urlquery defines a rule: the query of a URL is parsed again for each of its values.
//
// (*url.URL).Query parses the whole query and makes a map of it, on each call. A handler that asks for
// five values parses it five times.
//
// # Before
//
//	group := r.URL.Query().Get("group")
//	order := r.URL.Query().Get("order")
//
// # After
//
//	query := r.URL.Query()
//	group := query.Get("group")
//	order := query.Get("order")
//
// # Evidence
//
// Both the CPU profile and that of allocations have (*url.URL).Query and url.ParseQuery below the line.
//
// # Safety
//
// The values are only read: a call whose map or slices are changed, or go elsewhere, keeps its own. The
// first call runs in any case where the variable is declared. Between the first and the last, nothing
// can change the URL: neither it nor the request is assigned to, or handed to anybody, and what is
// called belongs to the standard library or is a plain function of numbers and texts. (Methods, and
// functions in variables, could have the request from elsewhere; there is no rewrite then, and none
// when all calls are in one loop that may not run.)
package urlquery
