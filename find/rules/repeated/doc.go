// Package repeated defines a rule: a result is computed again from the same input.
//
// A string formatted on each request from what the handler was created with, a name lowercased
// in every iteration of a loop, the query of a request parsed for each of its parameters: the
// result is already known.
//
// # Before
//
//	func timed(name string, next http.HandlerFunc) http.HandlerFunc {
//		return func(w http.ResponseWriter, r *http.Request) {
//			next(w, r)
//			count(fmt.Sprintf("request.%s.count", name))
//		}
//	}
//
// # After
//
//	func timed(name string, next http.HandlerFunc) http.HandlerFunc {
//		requestCount := fmt.Sprintf("request.%s.count", name)
//		return func(w http.ResponseWriter, r *http.Request) {
//			next(w, r)
//			count(requestCount)
//		}
//	}
//
// # Evidence
//
// The profiles show the repeated function called from the line: fmt.Sprintf, strings.ToLower,
// (*url.URL).Query, a hash.
//
// # Safety
//
// The call that moves is to a function of the standard library that depends only on its
// arguments, has no side effects and does not panic. Its arguments are constants, or variables
// that are set only where they are defined; they are strings, numbers and bools without methods.
// So it does not matter when, how often and by how many goroutines it is called, even if the
// loop is never entered or the function never called. Its result is immutable: a string, number
// or array. Functions that return pointers or errors (url.Parse, time.Parse) are only reported.
//
// A call in a function that runs later (one that is returned, or a handler) moves to where that
// function is created; a call in a loop moves before the loop; equal calls move before the first. A
// call that runs at most once per loop, before a return or break, stays.
//
// The query of a request is parsed once only if between the calls the request is only read, and
// its values are only looked up.
package repeated
