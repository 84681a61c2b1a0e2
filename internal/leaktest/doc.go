// Package leaktest reports goroutines that the tests of a package leak.
//
//  1. TestMain of the package calls [Main], which runs the tests.
//  2. If they pass, Main looks for goroutines with goleak until there are none, or for two minutes:
//     goleak.VerifyTestMain looks for half a second, which is not enough on a busy machine.
//
// [Since] does the same within a test, for what was started after some moment.
//
// It does not say which test started a goroutine.
package leaktest
