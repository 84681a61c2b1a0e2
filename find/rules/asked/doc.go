// Package asked defines a rule: the system is asked on each call what it answered before.
//
// The machine's name, the process's number, a time zone's rules and a variable of the environment
// are the same on each call, or nearly always. To ask for them takes a system call, a file that is
// read and parsed (time.LoadLocation), or a lock that all goroutines share (os.Getenv).
//
// # Before
//
//	func tags() map[string]string {
//		host, err := os.Hostname()
//
// # After
//
//	// cachedHostname is os.Hostname, which is asked until it has answered once.
//	func cachedHostname() (string, error) {
//		if known := knownHostname.Load(); known != nil {
//			return *known, nil
//		}
//		answer, err := os.Hostname()
//		if err == nil {
//			knownHostname.Store(&answer)
//		}
//		return answer, err
//	}
//
//	// knownHostname is nil until there is an answer.
//	var knownHostname atomic.Pointer[string]
//
//	func tags() map[string]string {
//		host, err := cachedHostname()
//
// # Evidence
//
// The CPU profile has the function below the line: os.Hostname with a system call, time.LoadLocation
// with the reading of a file, os.Getenv with a lock.
//
// # Safety
//
// The process's number never changes: it goes into a package variable. All else is asked when it is
// first needed, not at the program's start; an error is not kept: the next call asks again. Whether
// an answer may change while the program runs, somebody must know, and so these rewrites are marked
// for review: a machine may be renamed, a program moved, the rules of a time zone updated, and
// os.Setenv (in tests, or when a configuration is read) sets variables. Several goroutines may ask at once at
// the beginning, and one of the same answers is kept.
//
// If the package itself sets variables, there is no rewrite for them.
//
// Where the function keeps answers already (sync.Once, an atomic value), the rule is quiet. Network
// addresses change while a machine runs, and *debug.BuildInfo may be changed by who has it: these are
// reported without a rewrite.
package asked
