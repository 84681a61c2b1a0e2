// Package logs finds calls that print bytes as numbers, "[104 105]", where a reader wants text.
//
//  1. [Bytes] loads packages with their tests and types.
//  2. Each call that prints, of fmt or of testing, is looked at: an argument under %v, or without a format,
//     whose type is []byte or holds one is a [lint.Problem]. Types that print themselves are not.
//
// What only reflection shows, as a []byte in an any, is not found. Nothing is kept.
package logs
