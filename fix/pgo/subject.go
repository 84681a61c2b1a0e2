package pgo

import (
	"context"
	"time"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/bench/gotest"
)

// A benchmark is one benchmark in the test binaries of both sides. It implements
// ab.Subject; a side belongs to the goroutine that measures it.
type benchmark struct {
	title, name string
	options     gotest.RunOptions
	sides       [2]struct {
		binary *gotest.Binary
		each   time.Duration // what an iteration took the last time; 0 before
	}
}

func newBenchmark(title, name string, binaries [2]*gotest.Binary, o gotest.RunOptions) *benchmark {
	b := &benchmark{title: title, name: name, options: o}
	for i, binary := range binaries {
		b.sides[i].binary = binary
	}
	return b
}

// Name implements ab.Subject.
func (b *benchmark) Name() string { return b.title }

// Measure implements ab.Subject. The first round leaves the number of iterations to the
// testing package, which runs some more to find one; the others ask for as many as take
// the round's length.
func (b *benchmark) Measure(ctx context.Context, r ab.Round) (ab.Measurement, error) {
	side := &b.sides[r.Side]
	o := b.options
	if o.Time = r.Length; side.each > 0 {
		o.Iterations = int(max(1, r.Length/side.each))
	}
	if r.CPU != ab.Anywhere {
		o.CPUs = []int{r.CPU}
	}
	res, err := side.binary.Run(ctx, b.name, o)
	if err != nil {
		return ab.Measurement{}, err
	}
	last := res.Measurements[len(res.Measurements)-1]
	if sec, ok := last.Value("sec/op"); ok {
		side.each = max(1, time.Duration(sec*float64(time.Second)))
	}
	values := ab.Values{}
	for _, v := range last.Values {
		values[v.Unit] = v.Value
	}
	return ab.Measurement{Values: values, Inside: res.Inside(), CPU: res.CPU}, nil
}
