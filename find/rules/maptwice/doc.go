// Package maptwice defines a rule: a map is asked twice for one key.
//
// Each access hashes the key and searches the map. Who asks whether a key is there can have the value
// with the answer, and x += y looks a key up once where x = x + y does so twice.
//
// # Before
//
//	if _, ok := prices[name]; ok {
//		return prices[name]
//	}
//
// # After
//
//	if value, ok := prices[name]; ok {
//		return value
//	}
//
// # Evidence
//
// The CPU profile has runtime.mapaccess below the line of the second access. Nothing is allocated.
//
// # Safety
//
// Map and key are variables, fields or constants that have no effects. From the first access to the
// second nothing sets them, no map is written to, and what is called cannot reach the map: builtin
// functions, conversions, and functions of the standard library that take numbers and texts. A key that
// is NaN is never there. x = x + y becomes x += y where y calls nothing and the operator cannot panic.
package maptwice
