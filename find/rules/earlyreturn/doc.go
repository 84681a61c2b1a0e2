// Package earlyreturn defines a rule: work is done before a return that throws it away.
//
// A function that may have nothing to do, as a metric that is not in the sample, should find that out
// first.
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
// The profiles have work in the lines between the first that is not needed and the return.
//
// # Safety
//
// What is moved behind the return only sets local variables that the condition does not read, and calls
// nothing but functions that are known to change nothing and never to panic: of strconv, strings, fmt
// with values that have no methods, and functions of the package that are one return of such. The
// condition calls nothing but these and the functions of math/rand, which the work does not call. A
// pointer that the work follows is one that the condition follows, too.
package earlyreturn
