package differ

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"io"
	"strconv"

	"golang.org/x/tools/go/packages"
)

// DumpEnv is the environment variable that names the file to which the tests of Dump add answers.
const DumpEnv = "WHET_ANSWERS"

// Dump writes tests that print what functions of a package answer to inputs, drawn from a seed, so
// that what two builds of the same source answer can be compared: each side lays the files over the
// package's directory, runs a test alone with DumpEnv set to a new file, and CompareDumps reads both
// files. It returns the files' texts by name, and the tests. For a function that cannot be called,
// functions that call it print theirs; those without any are in the errors; the files are nil when there are no others.
func Dump(pkg *packages.Package, decls []*ast.FuncDecl, inputs int, seed uint64) (files map[string][]byte,
	tests []Test, errs []error,
) {
	f := NewFile(pkg)
	entries, errs := f.entries(decls)
	for _, e := range entries {
		test := Test{Function: e.name(), Name: fmt.Sprintf("TestWhetAnswers%d", len(tests)+1)}
		f.Add("func %s(t *testing.T) {\n\twhetPrintAnswers(t, %d, %d, %s)\n}\n\n", test.Name, inputs, seed,
			e.call.Turns(e.call.fn.Name()))
		tests = append(tests, test)
	}
	if len(tests) == 0 {
		return nil, nil, errs
	}
	files, err := f.Texts(FileName)
	if err != nil {
		return nil, nil, append(errs, err)
	}
	return files, tests, errs
}

// Dumped counts the inputs of which two builds printed the answers.
type Dumped struct {
	Alike   int64 // answered alike
	Texts   int64 // of these: but for the texts of errors
	Panics  int64 // only panicked on, alike, or not ended
	Varying int64 // answered differently by one build itself, by time or chance: not compared
}

// A DifferenceError is the first input that two builds answer differently.
type DifferenceError struct {
	Input int    // its number, from 0
	A, B  string // the answers; "" is none
}

func (e *DifferenceError) Error() string {
	return fmt.Sprintf("the answers differ on input %d\nbefore:\n%s\nafter:\n%s", e.Input, e.A, e.B)
}

// maxAnswer bounds a line of a dump; the tests write shorter ones.
const maxAnswer = 1 << 20

// errNoDump is a line that the tests of Dump do not write.
var errNoDump = errors.New("not a dump of answers")

// CompareDumps compares what two builds printed for one function. A *DifferenceError is the first
// difference; any other error says that a or b cannot be read, or is no dump.
func CompareDumps(a, b io.Reader) (*Dumped, error) {
	left, right := bufio.NewScanner(a), bufio.NewScanner(b)
	left.Buffer(nil, maxAnswer)
	right.Buffer(nil, maxAnswer)
	d := &Dumped{}
	for n := 0; ; n++ {
		was, ok, err := nextAnswer(left, n)
		if err != nil {
			return d, fmt.Errorf("answers of A: %w", err)
		}
		is, ok2, err := nextAnswer(right, n)
		switch {
		case err != nil:
			return d, fmt.Errorf("answers of B: %w", err)
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
			d.Alike++
		case was.masked == is.masked:
			d.Alike++
			d.Texts++
		default:
			return d, &DifferenceError{Input: n, A: was.exact, B: is.exact}
		}
	}
}

// An answer is a line of a dump:
//
//	NUMBER varies
//	NUMBER panics "what was seen"
//	NUMBER "answer" "answer without the texts of errors"
type answer struct {
	varies        bool
	panics        bool
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
	if string(rest) == "varies" {
		return answer{varies: true}, true, nil
	}
	texts := []*string{&x.exact, &x.masked}
	if rest, x.panics = bytes.CutPrefix(rest, []byte("panics ")); x.panics {
		texts = texts[:1]
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
