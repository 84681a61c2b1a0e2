// Package support copies arguments, receivers and results of functions while a program runs. It is compiled into the
// program, next to the user's code (package instrument), and tested here.
//
// Data flow:
//
//  1. Each call of an instrumented function asks its [Gate], which is one atomic load while it is closed.
//  2. A goroutine of the [Recorder] opens gates, as long as the time spent on copying is below a share of the CPU
//     time of the process. The gate then counts some calls, a number by chance, and lets the last of them be copied.
//  3. A [Copy] copies the arguments synchronously, in the goroutine of the call and before it; and results after it.
//     Of shared memory it reads only what its [Plan] allows. It calls none of the program's methods.
//  4. A [Redactor] replaces what looks like a secret, before anything is kept.
//  5. A reservoir keeps calls of each function, each with the same probability. The goroutine encodes those that are
//     still kept, and writes them as a [Document] into a directory, one file per process: soon after the start, and
//     then every second. Calls do not wait for it.
//
// What limits depth, elements, bytes and memory are constants. Only one call is copied at a time; one that would have
// to wait is not copied. A panic while copying drops the call.
//
// Arguments may be on the stack of the caller, since [Copy.In] hides them from escape analysis. So a copier keeps no
// reference to the program's memory, not even for the length of a call of another package that might keep it: a stack
// that grows moves, and nothing would adjust the reference.
package support
