package charts

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/whet-go/whet/load"
)

// errNoHistogram reports a result without answers, or without a histogram.
var errNoHistogram = errors.New("the result has no histogram")

// Histogram decodes the histogram of a result, which may come from a foreign file.
func Histogram(r *load.Result) (*hdrhistogram.Histogram, error) {
	if r.Latency.HDR == "" {
		return nil, errNoHistogram
	}
	h, err := hdrhistogram.Decode([]byte(r.Latency.HDR))
	if err != nil {
		return nil, fmt.Errorf("decode histogram: %w", err)
	}
	if h.TotalCount() <= 0 {
		return nil, errNoHistogram
	}
	return h, nil
}

// A scale is the steps of a histogram within a decade.
type scale []float64

// scales returns the scales, finest first: each step is about a constant factor, in numbers that are
// easy to read.
func scales() []scale {
	return []scale{
		{1, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 3.9, 4.7, 5.6, 6.8, 8.2},
		{1, 1.5, 2, 3, 5, 7},
		{1, 2, 5},
		{1},
	}
}

// Bars sums a histogram into at most n bars with round edges on a logarithmic scale.
func Bars(h *hdrhistogram.Histogram, n int) []load.Bar {
	var bars []load.Bar
	for _, steps := range scales() {
		if bars = barsAt(h, steps); len(bars) <= n {
			return bars
		}
	}
	// More decades than bars: drop the lightest ends.
	for len(bars) > n {
		if bars[0].Count < bars[len(bars)-1].Count {
			bars[1].Count += bars[0].Count
			bars = bars[1:]
		} else {
			last := len(bars) - 1
			bars[last-1].Count += bars[last].Count
			bars[last-1].Upper = bars[last].Upper
			bars = bars[:last]
		}
	}
	return bars
}

// barsAt sums a histogram into bars with the edges of a scale.
func barsAt(h *hdrhistogram.Histogram, steps scale) []load.Bar {
	decade, i := 1.0, 0
	upper := func() time.Duration { return time.Duration(math.Round(decade * steps[i])) }
	next := func() {
		if i++; i == len(steps) {
			decade, i = decade*10, 0
		}
	}
	var bars []load.Bar
	for _, b := range h.Distribution() {
		if b.Count <= 0 {
			continue
		}
		// A bucket covers a range of values and counts at its middle.
		at := time.Duration(b.From + (b.To-b.From)/2)
		for upper() < at && decade < 1e18 {
			next()
			if len(bars) > 0 {
				bars = append(bars, load.Bar{Upper: upper()})
			}
		}
		if len(bars) == 0 {
			bars = append(bars, load.Bar{Upper: upper()})
		}
		bars[len(bars)-1].Count += b.Count
	}
	return bars
}

// CommonBars sums histograms into bars on the finest scale with which none has more than n; on the
// coarsest one if all have. It returns the bars of each histogram; none for a nil one.
func CommonBars(hists []*hdrhistogram.Histogram, n int) [][]load.Bar {
	var all [][]load.Bar
	for _, steps := range scales() {
		all = make([][]load.Bar, len(hists))
		most := 0
		for i, h := range hists {
			if h != nil {
				all[i] = barsAt(h, steps)
				most = max(most, len(all[i]))
			}
		}
		if most <= n {
			break
		}
	}
	return all
}
