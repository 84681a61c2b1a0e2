// Package urlquery defines a rule: the query of a URL is parsed again for each of its values.
//
// (*url.URL).Query parses the whole query into a new map on every call. A handler that looks up
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
// Both the CPU profile and the allocation profile show (*url.URL).Query and url.ParseQuery
// called from the line.
//
// # Safety
//
// The values are only read: a call whose map or slices are modified or passed on is left alone.
// The first call always runs where the variable is declared. Between the first call and the
// last, nothing can change the URL: neither it nor the request is assigned to or passed on, and
// the functions called belong to the standard library or are plain functions of numbers and
// strings. Methods and function values could reach the request some other way, so there is no
// rewrite with them, nor when all calls are in one loop that may not run.
package urlquery
