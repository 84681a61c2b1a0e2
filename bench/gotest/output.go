package gotest

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/whet-go/whet/internal/procgroup/clip"
)

// A reader consumes the standard output of a benchmark process as it comes, and separates what
// package testing prints from what the benchmark prints, which may come before a name, between a
// name and its result, or on its own lines.
type reader struct {
	// name is a benchmark, such as "BenchmarkEncode/json"; the reader finds results of it and of
	// those below it.
	name string
	// iterations is the requested number, 0 if none. It separates digits that the benchmark has
	// printed from those of the result.
	iterations int

	config    []Field
	announced []string // names on separate lines, as with -test.v
	results   []result
	failed    []string // names after "--- FAIL: "

	line    clip.Buffer
	pending string // the last name, if its result has not come yet
	labels  int    // how many of configKeys the previous lines had
}

// A result is a line of results.
type result struct {
	name   string // with the number of CPUs, as printed
	iters  int
	values []benchfmt.Value // tidied
}

// timeless reports whether no time was measured, which testing does not print.
func (r result) timeless() bool {
	return !slices.ContainsFunc(r.values, func(v benchfmt.Value) bool { return v.Unit == "sec/op" && v.Value > 0 })
}

// Limits on what is kept: a process may print names and results endlessly.
const (
	maxLine  = 64 << 10
	maxNames = 100_000
)

// configKeys returns what testing prints before the first result, one per line. The first two are
// always there.
func configKeys() []string { return []string{"goos", "goarch", "pkg", "cpu"} }

// measured matches what testing prints after a benchmark's name. Each run requests B/op and
// allocs/op, so a result ends with them: a benchmark's own output hardly does, and may come
// directly before the number.
var measured = regexp.MustCompile(`(\d+)((?:\t *[-+.0-9eEInfNa]+ [^\s]+)*\t *\d+ B/op\t *\d+ allocs/op)$`)

// below matches what may follow a benchmark's name: names of sub-benchmarks, and the number of
// CPUs.
var below = regexp.MustCompile(`^(?:/[^\s]*)?(?:-\d+)?`)

func newReader(name string, iterations int) *reader {
	return &reader{name: name, iterations: iterations, line: clip.Buffer{Head: maxLine / 2, Tail: maxLine / 2}}
}

// Write never fails.
func (r *reader) Write(p []byte) (int, error) {
	for rest := p; ; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		_, _ = r.line.Write(line)
		if !ended {
			return len(p), nil
		}
		r.endLine()
		rest = after
	}
}

// end must be called after the last Write.
func (r *reader) end() {
	if r.line.Len() > 0 {
		r.endLine()
	}
}

func (r *reader) endLine() {
	line := bytes.TrimSuffix(r.line.Bytes(), []byte("\r"))
	r.line.Reset()
	r.label(line)
	if name, ok := bytes.CutPrefix(bytes.TrimLeft(line, " "), []byte("--- FAIL: ")); ok {
		if len(r.failed) < maxNames {
			r.failed = append(r.failed, string(name))
		}
		r.pending = ""
		return
	}
	if name, rest, ok := r.cutName(line); ok {
		r.pending = name
		if rest == nil && len(r.announced) < maxNames {
			r.announced = append(r.announced, name)
		}
		line = rest
	}
	if r.pending == "" {
		return
	}
	if res, ok := parseResult(r.pending, line, r.iterations); ok {
		r.pending = ""
		if len(r.results) < maxNames {
			r.results = append(r.results, res)
		}
	}
}

// label consumes a line of the configuration. The first may follow output that does not end its
// line.
func (r *reader) label(line []byte) {
	keys := configKeys()
	take := func(at int) bool {
		lead := keys[at] + ": "
		i := bytes.LastIndex(line, []byte(lead))
		if i < 0 || i > 0 && at > 0 {
			return false
		}
		r.config = append(r.config[:min(at, len(r.config))], Field{keys[at], string(line[i+len(lead):])})
		r.labels = at + 1
		return true
	}
	switch {
	case r.labels >= 2:
		// Each key comes once; the last two may be missing.
		for at := r.labels; at < len(keys); at++ {
			if take(at) {
				return
			}
		}
		r.labels = len(keys)
	case r.labels == 1 && take(1):
	default:
		// What came before was the benchmark's own output.
		r.labels, r.config = 0, nil
		take(0)
	}
}

// cutName finds the last matching name in a line, and what follows it, which is nil when that is
// nothing.
func (r *reader) cutName(line []byte) (name string, rest []byte, ok bool) {
	for end := len(line); ; {
		at := bytes.LastIndex(line[:end], []byte(r.name))
		if at < 0 {
			return "", nil, false
		}
		after := line[at+len(r.name):]
		after = after[len(below.Find(after)):]
		name = string(line[at : len(line)-len(after)])
		if len(after) == 0 {
			return name, nil, true
		}
		// Before its result a name is padded with blanks to a tab.
		if filled := bytes.TrimLeft(after, " "); len(filled) > 0 && filled[0] == '\t' {
			return name, filled, true
		}
		end = at
	}
}

// parseResult reads the result at the end of text.
func parseResult(name string, text []byte, iterations int) (result, bool) {
	m := measured.FindSubmatch(text)
	if m == nil {
		return result{}, false
	}
	digits := string(m[1])
	if asked := strconv.Itoa(iterations); iterations > 0 && strings.HasSuffix(digits, asked) {
		digits = asked
	}
	r := benchfmt.NewReader(strings.NewReader("BenchmarkX\t"+digits+string(m[2])+"\n"), name)
	if !r.Scan() {
		return result{}, false
	}
	res, ok := r.Result().(*benchfmt.Result)
	if !ok || res.Iters <= 0 {
		return result{}, false
	}
	return result{name: name, iters: res.Iters, values: slices.Clone(res.Values)}, true
}

// names returns the names of the results without the number of CPUs, each once, in order, and that
// number. With -test.v names are announced without it.
func (r *reader) names() ([]string, int) {
	procs := 1
	for _, res := range r.results {
		// On one CPU, all names are announced unchanged; on several, only that of a benchmark
		// called X-2 next to X.
		if !slices.Contains(r.announced, res.name) {
			procs = max(procs, procsOf(res.name))
		}
	}
	var out []string
	for _, res := range r.results {
		name := res.name
		if procs > 1 {
			name = strings.TrimSuffix(name, "-"+strconv.Itoa(procs))
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out, procs
}

// procsOf reads the number of CPUs from a name: "BenchmarkX-8" runs on eight, "BenchmarkX" on one.
func procsOf(name string) int {
	digits := name[strings.LastIndexByte(name, '-')+1:]
	n, err := strconv.Atoi(digits)
	if err != nil || n < 2 || strconv.Itoa(n) != digits || len(digits) == len(name) {
		return 1
	}
	return n
}
