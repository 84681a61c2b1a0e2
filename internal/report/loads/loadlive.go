package loads

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/unit"
)

// Live is the state of a running load.
type Live struct {
	Target    string
	Length    time.Duration // of the measured part; 0 if the number of requests ends it
	Total     int64         // number of requests that ends it; 0 if the time ends it
	Requested float64       // requested rate per second; 0 in the closed model
	Seconds   []load.Second // so far
	Last      load.Progress // the latest
}

// liveBars is the number of bars of a live distribution.
const liveBars = 8

// LiveLines is the number of lines that WriteLive writes, so that they can be redrawn.
const LiveLines = 8 + liveBars

// WriteLive writes d as LiveLines lines, none wider than the style: rate and latencies with their
// course, errors, and the distribution so far.
func WriteLive(w io.Writer, s layout.Style, d Live) error {
	width := s.Remaining(0, 40)
	width = min(width, 80)
	var lines []layout.Painted
	add := func(parts ...any) { lines = append(lines, layout.Join(parts...)) }

	p := d.Last
	add(s.Paint(layout.Bold, layout.CutMiddle(layout.Clean(d.Target), width)))
	done := fmt.Sprintf("%s requests in %s", unit.Count(p.Requests), wholeSeconds(p.Elapsed))
	share := 0.0
	switch {
	case d.Length > 0:
		share = p.Elapsed.Seconds() / d.Length.Seconds()
		done += " of " + unit.Duration(d.Length)
	case d.Total > 0:
		share = float64(p.Requests) / float64(d.Total)
		done += fmt.Sprintf(", of %d", d.Total)
	}
	add(layout.Left(layout.Cut(done, width-22), width-22), "  ", layout.Left(bar(min(share, 1), 20), 20))

	rate := func(sec load.Second) float64 { return float64(perElapsed(sec.Responses, sec.Elapsed)) }
	requested := ""
	if d.Requested > 0 {
		requested = " of " + PerSecond(d.Requested)
	}
	course := func(name, value string, of func(load.Second) float64) {
		head := layout.Left(name, 9) + layout.Left(value, 26)
		add(layout.Cut(head, 36), s.Paint(layout.Cyan, sparkline(d.Seconds, of, width-36)))
	}
	if p.Second.Partial {
		requested += fmt.Sprintf(" in %.1fs", p.Second.Elapsed.Seconds())
	}
	course("rate", PerSecond(rate(p.Second))+requested, rate)
	course("p50", unit.Duration(p.Second.P50), func(sec load.Second) float64 { return float64(sec.P50) })
	course("p99", unit.Duration(p.Second.P99), func(sec load.Second) float64 { return float64(sec.P99) })
	course("max", unit.Duration(p.Second.Max), func(sec load.Second) float64 { return float64(sec.Max) })
	failed := layout.Join("none")
	if kinds := countedKinds(&p.Errors); kinds != "" {
		failed = s.Paint(layout.Red, layout.Cut(kinds, width-9))
	}
	add(layout.Left("errors", 9), failed)
	add(s.Paint(layout.Dim, "all answers so far"))
	for _, line := range barLines(mergeBars(p.Bars, liveBars), width) {
		add(line)
	}

	t := layout.NewWriter(w)
	for i := range LiveLines {
		var line layout.Painted
		if i < len(lines) {
			line = lines[i]
		}
		t.Line(line)
	}
	return t.Result()
}

// WriteLine writes one second of a load on one line, for logs.
func WriteLine(w io.Writer, p load.Progress) error {
	sec := p.Second
	t := layout.NewWriter(w)
	at, part := wholeSeconds(p.Elapsed), ""
	if sec.Partial {
		at, part = fmt.Sprintf("%.1fs", p.Elapsed.Seconds()), fmt.Sprintf(" in %.1fs", sec.Elapsed.Seconds())
	}
	t.Line(fmt.Sprintf("%6s  %9s  p50 %s  p99 %s  max %s  %s%s", at,
		PerSecond(float64(perElapsed(sec.Responses, sec.Elapsed))),
		layout.Right(unit.Duration(sec.P50), 8), layout.Right(unit.Duration(sec.P99), 8), layout.Right(unit.Duration(sec.Max),
			8), layout.Plural(int(sec.Errors), "error", "errors"), part))
	return t.Result()
}

func wholeSeconds(d time.Duration) string { return fmt.Sprintf("%.0fs", d.Seconds()) }

// mergeBars joins adjacent bars until there are at most n.
func mergeBars(bars []load.Bar, n int) []load.Bar {
	for len(bars) > n {
		half := make([]load.Bar, 0, len(bars)/2+1)
		for i := 0; i < len(bars); i += 2 {
			b := bars[i]
			if i+1 < len(bars) {
				b = load.Bar{Upper: bars[i+1].Upper, Count: b.Count + bars[i+1].Count}
			}
			half = append(half, b)
		}
		bars = half
	}
	return bars
}

// sparkline draws the values of the last seconds, scaled from 0.
func sparkline(seconds []load.Second, of func(load.Second) float64, width int) string {
	seconds = seconds[max(len(seconds)-width, 0):]
	most := 0.0
	for _, sec := range seconds {
		most = max(most, of(sec))
	}
	steps := []rune("▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, sec := range seconds {
		v := 0.0
		if most > 0 {
			v = of(sec) / most
		}
		b.WriteRune(steps[min(int(math.Round(v*float64(len(steps)-1))), len(steps)-1)])
	}
	return b.String()
}
