// Package asked defines a rule: an unchanging value is fetched from the system on every call.
//
// The host name, the process ID, the rules of a time zone and an environment variable never
// change, or almost never. Fetching one takes a system call, reading and parsing a file
// (time.LoadLocation), or a lock that all goroutines share (os.Getenv).
//
// # Before
//
//	func tags() map[string]string {
//		host, err := os.Hostname()
//
// # After
//
//	// cachedHostname is os.Hostname, whose first successful result is kept.
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
//	// knownHostname is nil until the first success.
//	var knownHostname atomic.Pointer[string]
//
//	func tags() map[string]string {
//		host, err := cachedHostname()
//
// # Evidence
//
// The CPU profile shows the function called from the line: os.Hostname with a system call,
// time.LoadLocation reading a file, os.Getenv with a lock.
//
// # Safety
//
// The process ID never changes, so it goes into a package variable. Everything else is fetched
// on first use, not at startup (in an atomic.Value if the module is for a Go before 1.19); errors
// are not cached, so the next call tries again. Several goroutines may fetch the value at first;
// one of the equal results is kept.
//
// Some of these values may change while the program runs: a machine is renamed, a process is
// migrated, time zone data is updated, or os.Setenv is called in tests or while configuration is
// read. So these rewrites need review. If the package itself sets environment variables, there
// is no rewrite for them.
//
// The rule is silent where the function already caches the value (sync.Once, an atomic value).
// Network addresses change while a machine runs, and callers may modify the *debug.BuildInfo
// that they get: these are reported without a rewrite.
package asked
