// Package earlyreturn defines a rule: work is done before a return that discards it.
//
// A function that may have nothing to do, such as one that sends a metric that is not sampled,
// should check that first.
//
// # Before
//
//	line := name + ":" + strconv.Itoa(n) + "|c"
//	if rate < 1 {
//		line += "|@" + strconv.FormatFloat(rate, 'f', -1, 64)
//		if rand.Float64() >= rate {
//			return
//		}
//	}
//	send(line)
//
// # After
//
//	if rate < 1 && rand.Float64() >= rate {
//		return
//	}
//	line := name + ":" + strconv.Itoa(n) + "|c"
//	if rate < 1 {
//		line += "|@" + strconv.FormatFloat(rate, 'f', -1, 64)
//	}
//	send(line)
//
// # Evidence
//
// The profiles charge the lines between the first discarded statement and the return.
//
// # Safety
//
// The statements moved below the return only set local variables that the condition does not
// read, and call only functions known to have no side effects and never to panic: those of
// strconv, strings, fmt with values that have no methods, and functions of the package that
// consist of one return of such calls. The condition calls only these and functions of
// math/rand, which the moved statements do not call. Every pointer that they dereference is also
// dereferenced by the condition.
package earlyreturn
