package counts

import (
	"bytes"
	"fmt"

	"github.com/whet-go/whet/internal/prove/differ/fuzzlog"
)

// An Outcome is how many inputs an old and a new function were compared on, without a difference.
type Outcome struct {
	Function string `json:"function"` // in the form of Go source: (*T).Name
	Inputs   int64  `json:"inputs"`   // inputs that both were called with
	Returned int64  `json:"returned"` // of these, inputs on which both returned instead of panicking
	Distinct int64  `json:"distinct"` // distinct results and effects of those that returned

	// Fixed is set if the function has neither parameters nor a receiver: it has one input.
	Fixed bool `json:"fixed,omitempty"`
	// shares is what results share with what went in, as they never did before, where only the package can change it
	// and no method of the values was seen doing so; "" if they share nothing new.
	shares   string
	asks     string // the functions among the arguments that the code asks otherwise than before; "" if there are none
	gained   string // what results of interface types hold has methods that it did not have; "" if it has not
	careless bool   // it differs with a writer that takes less than it is given, and returns no error
	steadied bool   // what it returned no longer changes when it is called again
	// Outside is the number of inputs that were left out because an inner function relies on never getting them.
	Outside int64 `json:"-"`

	// Unproven is why the comparison proves nothing; "" if it does.
	Unproven string `json:"unproven,omitempty"`
}

// MinReturned is the number of inputs on which a function with parameters must return. The first, random
// ones are five times as many; a function that hardly ever returns was not seen doing its work.
const MinReturned = 200

// FirstInputs is the number of random inputs that the tests begin with.
const FirstInputs = 1024

// Judge sets Unproven. A comparison proves nothing below these floors: some input must return; and
// if there are parameters or a receiver, at least MinReturned inputs, with at least two distinct
// answers, because an answer that never changes shows no more than one input does.
func (o *Outcome) Judge() {
	o.Unproven = ""
	switch {
	case o.Returned == 0 && o.Inputs > 0:
		o.Unproven = fmt.Sprintf("%s panics on each of the %d inputs tried", o.Function, o.Inputs)
	case o.Returned == 0:
		o.Unproven = o.Function + " was not compared: no inputs can be generated, or it returns on none of them"
	case o.Fixed:
	case o.Returned < MinReturned:
		o.Unproven = fmt.Sprintf("%s was compared on %d inputs only (at least %d must return)", o.Function, o.Returned,
			MinReturned)
	case o.Distinct < 2:
		o.Unproven = fmt.Sprintf("%s gives the same answer to all %d inputs", o.Function, o.Returned)
	case o.shares != "":
		o.Unproven = fmt.Sprintf("%s: %s, as it never did before; no method was seen changing one through the other, "+
			"so look for code that writes to it", o.Function, o.shares)
	case o.asks != "":
		o.Unproven = fmt.Sprintf("%s asks %s in another order or number than before: a function with side effects would "+
			"notice", o.Function, o.asks)
	case o.gained != "":
		o.Unproven = fmt.Sprintf("%s: %s: callers that look for that notice it", o.Function, o.gained)
	case o.careless:
		o.Unproven = o.Function + ": a writer that takes less than it is given, and returns no error, is treated in " +
			"another way: only writers that break the contract of io.Writer do so"
	case o.steadied:
		o.Unproven = o.Function + ": what it returned no longer changes when it is called again, as it did before: callers " +
			"may rely on that, or have worked around it"
	}
}

// Env is the environment variable that names the file to which generated tests append what Read reads.
const Env = "WHET_COMPARED"

// Read returns the outcome of a test that found no difference. counts is what it wrote: for
// each input '.' if both functions returned, '!' if both only panicked, or '?' if it was left out; "=" with
// the hash of an answer, in 16 digits, for each that the process had not given before; and "#" with what
// results share, "~" with the functions that the code asks otherwise, or "&" with the methods that a result has
// gained, in hexadecimal, and ";"; "^" if results no longer change later; and "|" if the functions differ with a
// writer that breaks its contract.
func Read(function string, fixed bool, counts []byte) Outcome {
	o := Outcome{Function: function, Fixed: fixed}
	o.shares, o.asks = fuzzlog.Marked(counts, '#'), fuzzlog.Marked(counts, '~')
	o.gained = fuzzlog.Marked(counts, '&')
	o.careless = bytes.Contains(counts, []byte("|"))
	o.steadied = bytes.Contains(counts, []byte("^"))
	o.Returned = int64(bytes.Count(counts, []byte(".")))
	o.Outside = int64(bytes.Count(counts, []byte("?")))
	o.Inputs = o.Returned + int64(bytes.Count(counts, []byte("!")))
	distinct := map[string]bool{}
	for len(counts) > 0 {
		_, rest, ok := bytes.Cut(counts, []byte("="))
		if !ok {
			break
		}
		n := min(len(rest), 16)
		distinct[string(rest[:n])] = true
		counts = rest[n:]
	}
	o.Distinct = int64(len(distinct))
	o.Judge()
	return o
}
