package leaktest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// patience is how long goroutines may take to end.
const patience = 2 * time.Minute

// Main runs the tests of m and exits. If they pass, it waits for all goroutines to end, and fails if some do not.
func Main(m *testing.M) {
	code := m.Run()
	if code == 0 {
		if err := find(patience); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code) //nolint:forbidigo // it ends a test binary, as TestMain does
}

// Since returns a function that waits until no goroutine is left that was started after the call of Since. Its error
// names those that have not ended in time.
func Since() func(limit time.Duration) error {
	before := goleak.IgnoreCurrent()
	return func(limit time.Duration) error { return find(limit, before) }
}

// find returns an error that names the goroutines that have not ended in time.
func find(limit time.Duration, o ...goleak.Option) error {
	for deadline := time.Now().Add(limit); ; {
		err := goleak.Find(o...)
		if err == nil || time.Now().After(deadline) {
			return err
		}
	}
}
