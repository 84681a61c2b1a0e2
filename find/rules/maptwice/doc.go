// Package maptwice defines a rule: a map is accessed twice for the same key.
//
// Each access hashes the key and searches the map. The comma-ok form returns the value along
// with whether it is present, and x += y looks the key up once where x = x + y does so twice.
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
// The CPU profile shows runtime.mapaccess called from the line of the second access. Nothing is
// allocated.
//
// # Safety
//
// Map and key are variables, fields or constants without side effects. Between the two accesses
// nothing sets them, no map is written to, and no call can reach the map: only builtins,
// conversions, and functions of the standard library that take numbers and strings. A NaN key is
// never found. x = x + y becomes x += y where y calls nothing and the operator cannot panic.
package maptwice
