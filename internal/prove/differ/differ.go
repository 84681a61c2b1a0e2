package differ

import (
	"fmt"

	"github.com/whet-go/whet/internal/prove/differ/counts"
)

// An Outcome is how many inputs an old and a new function were compared on, without a difference.
type Outcome = counts.Outcome

// SeedsEnv is the environment variable with the number of random inputs that generated tests begin with, instead
// of counts.FirstInputs, and LimitEnv the one with the duration after which they skip further inputs.
const (
	SeedsEnv = "WHET_SEEDS"
	LimitEnv = "WHET_LIMIT"
)

// testFileName is the name of the test file that Dump and twins write.
const testFileName = "zz_whet_differ_test.go"

// An UnsupportedError is the reason why a function cannot be called with generated inputs.
type UnsupportedError struct {
	Function string
	What     string // the receiver, parameter or type at fault
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s cannot be compared: %s", e.Function, e.What)
}

// A Test is a generated test.
type Test struct {
	Function string // in the form of Go source: (*T).Name
	Name     string // of the fuzz target or the test
	Fixed    bool   // it has neither parameters nor a receiver

	called string // Function without why it is called
	inner  bool   // it is unexported, and relies on what its callers pass
	alone  bool   // it is unexported, and nothing that calls it was found
	// inside are inner functions that it calls. If it is not certain, it runs only if the test of one of
	// them leaves something open.
	certain bool
	inside  []string
}
