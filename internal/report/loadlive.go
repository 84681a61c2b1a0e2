package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/unit"
)

// LoadLive is the state of a load that goes on.
type LoadLive struct {
	Target  string
	Length  time.Duration // of the measured part; 0 when the number of requests ends it
	Total   int64         // number of requests that ends it; 0 when the time does
	Asked   float64       // requests a second asked for; 0 in the closed model
	Seconds []load.Second // so far
	Last    load.Progress // the latest
}

// liveBars is how many bars of the distribution a live view shows.
const liveBars = 8

// LoadLiveLines is how many lines WriteLoadLive writes, so that they can be
// written over.
const LoadLiveLines = 8 + liveBars

// WriteLoadLive renders d as LoadLiveLines lines, none of which is wider than the
// style: rate and latencies with their course, errors, the distribution so far.
func WriteLoadLive(w io.Writer, s Style, d LoadLive) error {
	width := s.room(0, 40)
	width = min(width, 80)
	var lines []painted
	add := func(parts ...any) { lines = append(lines, rich(parts...)) }

	p := d.Last
	add(s.paint(bold, middle(Clean(d.Target), width)))
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
	add(left(cut(done, width-22), width-22), "  ", left(bar(min(share, 1), 20), 20))

	rate := func(sec load.Second) float64 { return float64(perElapsed(sec.Responses, sec.Elapsed)) }
	asked := ""
	if d.Asked > 0 {
		asked = " of " + perSecond(d.Asked)
	}
	course := func(name, value string, of func(load.Second) float64) {
		head := left(name, 9) + left(value, 26)
		add(cut(head, 36), s.paint(cyan, sparkline(d.Seconds, of, width-36)))
	}
	if p.Second.Partial {
		asked += fmt.Sprintf(" in %.1fs", p.Second.Elapsed.Seconds())
	}
	course("rate", perSecond(rate(p.Second))+asked, rate)
	course("p50", unit.Duration(p.Second.P50), func(sec load.Second) float64 { return float64(sec.P50) })
	course("p99", unit.Duration(p.Second.P99), func(sec load.Second) float64 { return float64(sec.P99) })
	course("max", unit.Duration(p.Second.Max), func(sec load.Second) float64 { return float64(sec.Max) })
	var failed painted = "none"
	if kinds := LoadErrors(p.Errors); len(kinds) > 0 {
		var texts []string
		for _, k := range kinds {
			texts = append(texts, fmt.Sprintf("%s: %d", k.Kind, k.Count))
		}
		failed = s.paint(red, cut(strings.Join(texts, ", "), width-9))
	}
	add(left("errors", 9), failed)
	add(s.paint(dim, "all answers so far"))
	for _, line := range barLines(mergeBars(p.Bars, liveBars), width) {
		add(line)
	}

	t := &text{w: w}
	for i := range LoadLiveLines {
		var line painted
		if i < len(lines) {
			line = lines[i]
		}
		t.line(line)
	}
	return t.result()
}

// WriteLoadLine writes one second of a load on one line, for logs.
func WriteLoadLine(w io.Writer, p load.Progress) error {
	sec := p.Second
	t := &text{w: w}
	at, part := wholeSeconds(p.Elapsed), ""
	if sec.Partial {
		at, part = fmt.Sprintf("%.1fs", p.Elapsed.Seconds()), fmt.Sprintf(" in %.1fs", sec.Elapsed.Seconds())
	}
	t.line(fmt.Sprintf("%6s  %9s  p50 %s  p99 %s  max %s  %s%s", at, perSecond(float64(perElapsed(sec.Responses, sec.Elapsed))),
		right(unit.Duration(sec.P50), 8), right(unit.Duration(sec.P99), 8), right(unit.Duration(sec.Max), 8), plural(int(sec.Errors), "error", "errors"), part))
	return t.result()
}

func wholeSeconds(d time.Duration) string { return fmt.Sprintf("%.0fs", d.Seconds()) }

// mergeBars joins neighbours until there are at most n bars.
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

// sparkline draws the course of a value over the last seconds, from 0 up.
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
