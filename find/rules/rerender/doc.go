// Package rerender defines a rule: a page is rendered again from the same input.
//
// A function writes a page that depends only on its arguments and on fields that are never set:
// each request for the same page renders it from scratch. A cache of recently rendered pages
// answers at once.
//
// # Before
//
//	func (s *Shop) Page(w io.Writer, group string) error {
//		return s.page.Execute(w, choose(s.goods, group))
//	}
//
// # After
//
//	func (s *Shop) Page(w io.Writer, group string) error {
//		key := pageKey{s, group}
//		page, ok := renderedPages.get(key)
//		if !ok {
//			var out strings.Builder
//			err := s.renderPage(&out, group)
//			page = out.String()
//			if err == nil {
//				renderedPages.add(key, page)
//			} else {
//				…
//			}
//		}
//		_, err := io.WriteString(w, page)
//		return err
//	}
//
// # Evidence
//
// The profiles show (*Template).Execute, and whatever else the function calls, below its lines.
// All of it is saved for input that was seen before; only a measurement shows how often that
// happens.
//
// # Safety
//
// The rewrite needs review: only someone who knows the program can say that the page depends on
// nothing else, such as the time, a file, template functions, or data behind the fields. The
// rule checks the obvious: it is silent if the function, or a function of the package that it
// calls, uses the time, random numbers, files, the network or a database, calls code it does not
// know (interfaces, function values), or uses a field or package variable that is set anywhere
// in the package.
//
// The cache key consists of the receiver and all arguments, whose types are compared by value.
// The key's strings are copied, so that they do not keep a request in memory. The cache holds at
// most 16 MiB, in two generations, and evicts the least recently used pages. Pages are strings,
// so they cannot be modified. Errors are not cached; what was written before an error is still
// written. It is safe for concurrent use.
//
// What changes: a page is written at once instead of in pieces, and two simultaneous requests
// may both render it.
package rerender
