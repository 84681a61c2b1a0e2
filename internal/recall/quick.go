package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/modproxy"
)

// Runs of quick.
const (
	quickRounds = 4
	quickRuns   = "4" // of a round
	quickTime   = "20ms"
)

// quick compares the versions in the directories a and b of a directory by a carried benchmark, in short runs of
// both by turns. Other work on the machine only makes a run slower, so that the fastest one counts.
func quick(ctx context.Context, dir string, c *carriedBenchmark) (g gained, err error) {
	var least [2]map[string]float64
	var binaries [2]string
	for i, side := range []string{"a", "b"} {
		in := filepath.Join(dir, side, filepath.FromSlash(c.dir))
		binaries[i] = filepath.Join(dir, side+".test")
		if _, err := modproxy.Output(ctx, in, "go", "test", "-c", "-vet=off", "-o", binaries[i], "."); err != nil {
			return gained{}, fmt.Errorf("build %s: %w", side, err)
		}
	}
	for range quickRounds {
		for i, side := range []string{"a", "b"} {
			out, err := modproxy.Output(ctx, filepath.Join(dir, side, filepath.FromSlash(c.dir)), binaries[i],
				"-test.run=^$", "-test.bench="+carriedBench, "-test.benchmem", "-test.benchtime="+quickTime,
				"-test.count="+quickRuns)
			if err != nil {
				return gained{}, fmt.Errorf("run %s: %w", side, err)
			}
			if least[i], err = leastOf(out, least[i]); err != nil {
				return gained{}, err
			}
		}
	}
	for _, unit := range []string{"sec/op", "allocs/op", "B/op"} {
		if unit == "B/op" && least[0]["allocs/op"] < 1 {
			break // the bytes are those of the benchmark's beginning, divided by the number of iterations
		}
		before, after := least[0][unit], least[1][unit]
		if g = (gained{"Recall", unit, after / before}); before > 0 && g.enough() {
			return g, nil
		}
	}
	return gained{Theirs: least[1]["sec/op"] / least[0]["sec/op"]}, nil
}

// enough reports whether a gain is one that a check needs.
func (g gained) enough() bool {
	limit := 1 - leastMemory
	if g.Unit == "sec/op" {
		limit = 1 - checkedTime
	}
	return g.Theirs <= limit
}

// leastOf returns the least values of benchmark results, by unit.
func leastOf(out []byte, least map[string]float64) (map[string]float64, error) {
	if least == nil {
		least = map[string]float64{}
	}
	found := false
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || !strings.HasPrefix(fields[0], "BenchmarkRecall") {
			continue
		}
		found = true
		for i := 2; i+1 < len(fields); i += 2 { // the name and the iterations are before the values
			v, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, fmt.Errorf("read the result %q: %w", line, err)
			}
			unit := fields[i+1]
			if unit == "ns/op" {
				unit, v = "sec/op", v/float64(time.Second)
			}
			if old, known := least[unit]; known {
				v = math.Min(old, v)
			}
			least[unit] = v
		}
	}
	if !found {
		return nil, fmt.Errorf("the benchmark printed no result: %s", out)
	}
	return least, nil
}
