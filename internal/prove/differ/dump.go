package differ

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"io"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// DumpEnv is the environment variable that names the file to which the tests of Dump append
// results.
const DumpEnv = "WHET_ANSWERS"

// Dump writes tests that print the results of functions of a package for inputs drawn from a seed,
// to compare two builds of the same source. Each side overlays the files on the package's directory
// and runs a test alone with DumpEnv set to a new file; CompareDumps compares both files. Dump
// returns the files' contents by name, and the tests. For a function that cannot be called, its
// callers print their results; the errors are for functions without callers; files is nil if there
// are no others.
func Dump(
	pkg *packages.Package, decls []*ast.FuncDecl, inputs int, seed uint64,
) (files map[string][]byte, tests []Test, errs []error) {
	f := newTestFile(pkg)
	entries, errs := f.entries(f.objects(decls))
	files, tests, err := f.dumps(entries, inputs, seed)
	if err != nil {
		errs = append(errs, err)
	}
	return files, tests, errs
}

// dumps writes the tests that print results.
func (g *testFile) dumps(entries []entry, inputs int, seed uint64) (files map[string][]byte, tests []Test, err error) {
	for _, e := range entries {
		test := Test{Function: e.name(), Name: fmt.Sprintf("TestWhetAnswers%d", len(tests)+1), Fixed: e.call.fixed()}
		g.addf("func %s(t *testing.T) {\n\twhetPrintAnswers(t, %d, %d, %s)\n}\n\n", test.Name, inputs, seed,
			e.call.manyCalls(e.call.fn.Name()))
		tests = append(tests, test)
	}
	if len(tests) == 0 {
		return nil, nil, nil
	}
	files, err = g.texts(testFileName)
	return files, tests, err
}

// Dumped counts the inputs for which two builds printed results.
type Dumped struct {
	Alike    int64 // same result
	Distinct int64 // distinct results and effects of these
	Texts    int64 // of these: same except for the texts of errors
	Panics   int64 // only panicked, in both, or did not return
	Varying  int64 // results of a single build vary, by time or chance: not compared
}

// Outcome returns the counts as the outcome of a test.
func (d *Dumped) Outcome(t Test) Outcome {
	o := Outcome{
		Function: t.Function, Fixed: t.Fixed,
		Inputs: d.Alike + d.Panics, Returned: d.Alike, Distinct: d.Distinct,
	}
	o.judge()
	if d.Alike == 0 && d.Panics == 0 && d.Varying > 0 {
		o.Unproven = t.Function + " was not compared: its results depend on time or randomness"
	}
	return o
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

// errNoDump is returned for a line that the tests of Dump do not write.
var errNoDump = errors.New("not a dump of results")

// CompareDumps compares what two builds printed for one function. A *DifferenceError is the first
// difference; any other error means that a or b cannot be read, or is not a dump.
func CompareDumps(a, b io.Reader) (*Dumped, error) {
	left, right := bufio.NewScanner(a), bufio.NewScanner(b)
	left.Buffer(nil, maxAnswer)
	right.Buffer(nil, maxAnswer)
	d := &Dumped{}
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
//	NUMBER varies
//	NUMBER panics "what was seen"
//	NUMBER HASHES "answer" "answer without the texts of errors"
//
// The hashes, with commas between them, are of the results and effects of each call, without arguments
// that the call left as they were.
type answer struct {
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
	if string(rest) == "varies" {
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
