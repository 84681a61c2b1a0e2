// Package rerender defines a rule: a page is rendered again from the same input.
//
// A function writes a page that depends on nothing but its arguments and on fields that nobody sets:
// each visitor who asks for the same has it rendered from the start. A cache of what was rendered
// lately writes it at once.
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
// The profiles have (*Template).Execute and what else the function does below its lines. All of it
// is saved where the input was seen before; how often that is, only a measurement shows.
//
// # Safety
//
// The rewrite is marked for review: somebody must know that what is shown depends on nothing else,
// such as the time, a file, the functions of the template, or data behind the fields. The rule looks for
// the obvious: it is quiet if the function, or one of the package that it calls, asks for the time,
// chance, files, the network or a database, calls what is not known (interfaces, function values),
// or if a field or package variable that it uses is set anywhere in the package.
//
// The cache is keyed by all arguments, whose types are compared by value, and by the receiver. It
// takes 16 MiB at most, in two generations, and forgets what was not asked for the longest. The key's strings are copied, so
// that they do not keep a request in memory. Pages are strings: nobody can change them. Errors are not kept; what was
// written before an error is written still. Several goroutines may use it at once. What changes: a page is written
// at once, not in pieces, and two who ask at the same time may both render it.
package rerender
