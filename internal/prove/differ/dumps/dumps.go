package dumps

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Counts are the numbers of inputs for which two builds printed results.
type Counts struct {
	Alike    int64 // same result
	Distinct int64 // distinct results and effects of these
	Texts    int64 // of these: same except for the texts of errors
	Panics   int64 // only panicked, in both, or did not return
	Varying  int64 // results of a single build vary, by time or chance: not compared
}

// A DifferenceError is the first input with different results in two builds.
type DifferenceError struct {
	Input int    // its index
	A, B  string // the results; "" is none
}

func (e *DifferenceError) Error() string {
	return fmt.Sprintf("the results differ on input %d\nbefore:\n%s\nafter:\n%s", e.Input, e.A, e.B)
}

// maxAnswer is the maximum length of a line of a dump; the tests write shorter ones.
const maxAnswer = 1 << 20

// errNoDump is returned for a line that the tests do not write.
var errNoDump = errors.New("not a dump of results")

// Compare compares what two builds printed for one function. A *DifferenceError is the first
// difference; any other error means that a or b cannot be read, or is not a dump.
func Compare(a, b io.Reader) (*Counts, error) {
	left, right := bufio.NewScanner(a), bufio.NewScanner(b)
	left.Buffer(nil, maxAnswer)
	right.Buffer(nil, maxAnswer)
	d := &Counts{}
	distinct := map[string]bool{}
	alike := func(x answer) {
		for hash := range strings.SplitSeq(x.hashes, ",") {
			distinct[hash] = true
		}
		d.Alike, d.Distinct = d.Alike+1, int64(len(distinct))
	}
	for n := 0; ; n++ {
		was, ok, err := nextAnswer(left, n)
		if err != nil {
			return d, fmt.Errorf("results of A: %w", err)
		}
		is, ok2, err := nextAnswer(right, n)
		switch {
		case err != nil:
			return d, fmt.Errorf("results of B: %w", err)
		case was.end || is.end:
			return d, nil
		case !ok && !ok2:
			return d, nil
		case ok != ok2:
			return d, &DifferenceError{Input: n, A: was.exact, B: is.exact}
		case was.varies || is.varies:
			d.Varying++
		case was.panics && is.panics && was.exact == is.exact:
			d.Panics++
		case was.panics || is.panics:
			return d, &DifferenceError{Input: n, A: was.exact, B: is.exact}
		case was.exact == is.exact:
			alike(was)
		case was.masked == is.masked:
			alike(was)
			d.Texts++
		default:
			return d, &DifferenceError{Input: n, A: was.exact, B: is.exact}
		}
	}
}

// An answer is a line of a dump:
//
//	NUMBER end
//	NUMBER varies
//	NUMBER panics "what was seen"
//	NUMBER HASHES "answer" "answer without the texts of errors"
//
// After end there are no more, because the time was up. The hashes, with commas between them, are of the
// results and effects of each call, without arguments that the call left as they were.
type answer struct {
	end           bool
	varies        bool
	panics        bool
	hashes        string
	exact, masked string
}

func nextAnswer(lines *bufio.Scanner, n int) (x answer, ok bool, err error) {
	if !lines.Scan() {
		return x, false, lines.Err()
	}
	number, rest, _ := bytes.Cut(lines.Bytes(), []byte(" "))
	if got, err := strconv.Atoi(string(number)); err != nil || got != n {
		return x, false, fmt.Errorf("line %d: %w", n+1, errNoDump)
	}
	switch string(rest) {
	case "end":
		return answer{end: true}, true, nil
	case "varies":
		return answer{varies: true}, true, nil
	}
	texts := []*string{&x.exact, &x.masked}
	if rest, x.panics = bytes.CutPrefix(rest, []byte("panics ")); x.panics {
		texts = texts[:1]
	} else {
		var hashes []byte
		hashes, rest, _ = bytes.Cut(rest, []byte(" "))
		x.hashes = string(hashes)
	}
	for i, text := range texts {
		quoted, err := strconv.QuotedPrefix(string(rest))
		if err == nil {
			*text, err = strconv.Unquote(quoted)
			rest = rest[len(quoted):]
		}
		if i == len(texts)-1 && len(rest) > 0 {
			err = errNoDump
		}
		rest = bytes.TrimPrefix(rest, []byte(" "))
		if err != nil {
			return x, false, fmt.Errorf("line %d: %w", n+1, errNoDump)
		}
	}
	return x, true, nil
}
