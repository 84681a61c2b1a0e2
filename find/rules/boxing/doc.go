// Package boxing defines a rule: a value is put into an interface.
//
// An interface holds a pointer. A number, text, slice or struct that is handed over as an interface is
// copied to the heap first, unless the compiler sees that the interface does not outlive the call. On a
// line that runs often that is an allocation for each value. What helps depends on who takes it: a
// function for the type (strconv.Itoa, slog.Int, atomic.Int64), a type parameter, or a pointer.
//
// # Before
//
//	values.Store(n) // sync/atomic.Value
//
// # Evidence
//
// The CPU profile has runtime.convT and its kin below the line; the profile of allocations, which has
// no runtime functions, has the line itself.
//
// # Safety
//
// The rule only reports. It is quiet about values that need no memory: constants, pointers and what is
// one, booleans and single bytes, types without a size, operands of fmt where rule sprintf applies,
// those of package reflect, which takes nothing else, and structs that are put together for the call, to
// which a pointer would need the same memory.
// The values on one line of a call are one finding.
package boxing
