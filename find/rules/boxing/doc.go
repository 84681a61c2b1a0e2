// Package boxing defines a rule: a value is converted to an interface, which allocates.
//
// An interface holds a pointer. A number, string, slice or struct passed as an interface is
// first copied to the heap, unless the compiler can prove that the interface does not outlive
// the call. On a hot line that is one allocation per value. The remedy depends on the callee: a
// function for the type (strconv.Itoa, slog.Int, atomic.Int64), a type parameter, or a pointer.
//
// # Before
//
//	values.Store(n) // sync/atomic.Value
//
// # Evidence
//
// The CPU profile shows runtime.convT and similar functions called from the line. The allocation
// profile, which omits runtime frames, charges the line itself.
//
// # Safety
//
// The rule only reports. It is silent about values that need no allocation (constants, pointers
// and pointer-shaped values, booleans, single bytes, zero-size types), operands of fmt where the
// rule sprintf applies, arguments of package reflect, which takes nothing else, and structs
// built for the call, to which a pointer would allocate just as much.
//
// All values on one line of a call make one finding.
package boxing
