// Package logs finds calls that print bytes as numbers, "[104 105]", where text is expected.
//
//  1. [Bytes] loads packages with their tests and types.
//  2. In each printing call of fmt or testing, an argument under %v, or without a format, whose
//     type is or contains []byte is a [lint.Problem], unless the type formats itself.
//
// A []byte that only reflection would show, such as in an any, is not found. The package has no
// state.
package logs
