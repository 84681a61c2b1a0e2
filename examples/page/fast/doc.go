// Package fast is the page service of package slow, with the slow parts rewritten by
// hand. It has the same exported names and the same behavior: same_test.go in the
// module's root proves it.
//
// A page depends on nothing but its input and the goods, which do not change. So:
//
//  1. [Service.Page] looks for the input among the pages that were rendered lately.
//  2. If it is not there, the page is rendered and kept. Of 16 MiB of pages, those
//     go that were not asked for the longest.
//  3. The page is written at once.
//
// The key is the whole input, field by field, so no visitor gets the page of
// another. Visitors who never come back cost what they did before, but no more
// memory than that.
//
// Everything in it may be used by several goroutines at once. A page that several
// ask for before it is rendered is rendered for each of them.
package fast
