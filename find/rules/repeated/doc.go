// Package repeated defines a rule: what was computed from the same input is computed again.
//
// A text that is formatted in a handler from what the handler was made with, a name in small letters
// that is made anew on each turn of a loop, the query of a request that is parsed for each of its
// parameters: the result was there already.
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
// The profiles have the repeated function below the line: fmt.Sprintf, strings.ToLower,
// (*url.URL).Query, a hash.
//
// # Safety
//
// What moves is a call of a function of the standard library that is known to depend on nothing but
// its arguments, to change nothing and not to panic. Its arguments are constants and variables that
// are set where they are defined and nowhere else; they are strings, numbers and bools without
// methods. So it does not matter when and how often it is called, also if the loop is not entered
// or the function never called, and by how many goroutines. What it returns cannot be changed: strings, numbers
// and arrays. Of functions that return pointers or errors (url.Parse, time.Parse) the rule only reports.
//
// A call in a function that is made for later (it is returned, or a handler) moves to where that
// function is made; of a call in a loop, to before the loop; of equal calls, to before the first.
// What happens at most once in a loop, before return or break, stays.
//
// A request's query is parsed once only where nothing is done with the request between the calls but
// reading, and its values are only looked up.
package repeated
