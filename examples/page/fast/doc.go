// Package fast is the page service of package slow, with the slow parts rewritten by
// hand. It has the same exported names and the same behavior: same_test.go in the
// module's root proves it.
//
// A page depends only on its input and the goods, which do not change. So:
//
//  1. [Service.Page] looks up the input among the recently rendered pages.
//  2. If it is not found, the page is rendered and kept. Above 16 MiB of pages, the
//     least recently used ones are dropped.
//  3. The page is written with one call.
//
// The key is the whole input, field by field, so no visitor gets the page of
// another. Visitors who never return cost as much as before, but no additional
// memory.
//
// The package is safe for concurrent use. A page that several goroutines request
// before it is rendered is rendered for each.
package fast
