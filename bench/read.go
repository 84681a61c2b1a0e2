package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/whet-go/whet/internal/diag"
)

// An Input is a source of results.
type Input struct {
	Path  string // of a file; "-" is Options.Stdin
	Label string // value of the key .file, which names the column
	// Reader has the results if they are not those of a file at Path, which is then a name for messages.
	Reader io.Reader
}

// ParseInputs reads arguments of the form PATH or LABEL=PATH, as benchstat does: a path that is
// given several times without a label becomes PATH#0, PATH#1.
func ParseInputs(args []string) []Input {
	inputs := make([]Input, len(args))
	count := map[string]int{}
	labeled := make([]bool, len(args))
	for i, arg := range args {
		label, path, ok := strings.Cut(arg, "=")
		if !ok {
			label, path = arg, arg
			count[path]++
		}
		inputs[i], labeled[i] = Input{Path: path, Label: label}, ok
	}
	next := map[string]int{}
	for i := range inputs {
		if path := inputs[i].Path; !labeled[i] && count[path] > 1 {
			inputs[i].Label = fmt.Sprintf("%s#%d", path, next[path])
			next[path]++
		}
	}
	return inputs
}

// maxWarnings bounds the warnings about lines of one input.
const maxWarnings = 20

// read passes each result of the inputs to add, which must not keep it, and returns the metadata of
// units and what was wrong with single lines. Unreadable lines are skipped; only I/O errors end the
// reading.
func read(
	ctx context.Context, inputs []Input, o *Options, add func(*benchfmt.Result) error,
) (benchfmt.UnitMetadataMap, Warnings, error) {
	r := new(benchfmt.Reader)
	var warnings Warnings
	for _, in := range inputs {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		w, err := readInput(r, in, o, add)
		if err != nil {
			return nil, nil, err
		}
		warnings = append(warnings, w...)
	}
	return r.Units(), warnings, nil
}

func readInput(r *benchfmt.Reader, in Input, o *Options, add func(*benchfmt.Result) error) (Warnings, error) {
	if in.Reader != nil {
		return readFrom(r, in.Reader, in.Path, in.Label, add)
	}
	from, name := o.Stdin, "standard input"
	if in.Path != "-" {
		file, err := os.Open(in.Path)
		if err != nil {
			err = fmt.Errorf("read benchmarks: %w", err)
			if errors.Is(err, fs.ErrNotExist) {
				err = &diag.Error{Err: err, Hint: "create the file: `go test -run '^$' -bench . -count 10 > FILE`"}
			}
			return nil, err
		}
		defer func() { _ = file.Close() }() // only read
		from, name = file, in.Path
	} else if from == nil {
		return nil, errors.New("read benchmarks: no standard input")
	}
	return readFrom(r, from, name, in.Label, add)
}

// readFrom reads one input. name is its name in messages.
func readFrom(r *benchfmt.Reader, from io.Reader, name, label string,
	add func(*benchfmt.Result) error,
) (warnings Warnings, err error) {
	r.Reset(from, name, ".file", label)
	results, wrong := 0, 0
	warn := func(rec benchfmt.Record, text string) {
		if wrong++; wrong <= maxWarnings {
			file, line := rec.Pos()
			warnings = append(warnings, Warning{Where: fmt.Sprintf("%s:%d", file, line), Text: text})
		}
	}
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			warn(rec, rec.Msg)
		case *benchfmt.Result:
			results++
			kept := rec.Values[:0]
			for _, v := range rec.Values {
				if math.IsNaN(v.Value) || math.IsInf(v.Value, 0) {
					warn(rec, fmt.Sprintf("%v %s is not a measurement; skipped", v.Value, v.Unit))
					continue
				}
				kept = append(kept, v)
			}
			if rec.Values = kept; len(kept) == 0 {
				continue
			}
			if err := add(rec); err != nil {
				warn(rec, err.Error())
			}
		}
	}
	if err := r.Err(); err != nil {
		// The error names the last line that was read.
		return nil, fmt.Errorf("read benchmarks: after %w", err)
	}
	if wrong > maxWarnings {
		warnings.Addf("%s: %d more such lines", name, wrong-maxWarnings)
	}
	if results == 0 {
		warnings.Addf("%s: no benchmark results", name)
	}
	return warnings, nil
}
