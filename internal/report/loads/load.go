package loads

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/load/charts"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/pages"
	"github.com/whet-go/whet/load"
	loadcompare "github.com/whet-go/whet/load/compare"
	"github.com/whet-go/whet/unit"
)

// loadBars limits the bars of a latency histogram in text: four decades of three, about as many as
// the table of latencies next to it has rows.
const loadBars = 13

// Write writes the result of a load as text: what was sent, the counts, latencies with their
// distribution, the outcomes of assertions if there are any, and the verdict. It fits on one screen
// if nothing is wrong.
func Write(w io.Writer, s layout.Style, r *load.Result, asserted []loadcompare.Outcome) error {
	t := layout.NewWriter(w)
	t.Line(s.Paint(layout.Bold, layout.CutMiddle(Targets(r), s.Remaining(0, 20))))
	layout.Wrap(t, s, "", layout.Clean(Setting(r)), 0)
	t.Line()
	for _, f := range loadFacts(s, r) {
		layout.Wrap(t, s, layout.Left(f.name, 11), f.value, 11)
	}
	t.Line()
	loadLatencies(t, s, r)
	for _, table := range []*pages.Table{phaseTable(r), targetTable(r, loadTextTargets)} {
		if table != nil {
			t.Line()
			writeTable(t, s, table)
		}
	}
	if more := len(r.PerTarget) - loadTextTargets; more > 0 {
		t.Line(s.Paint(layout.Dim, fmt.Sprintf("%s took less time in total: --json and --html have them",
			layout.Plural(more, "more target", "more targets"))))
	}
	if len(asserted) > 0 {
		t.Line()
		for _, o := range asserted {
			mark, code := "✓ ", layout.Color("")
			if !o.Held {
				mark, code = "✗ ", layout.Red
			}
			t.Line(s.Paint(code, mark+layout.Clean(o.String())))
		}
	}
	t.Line()
	loadVerdict(t, s, r)
	return t.Result()
}

// Setting describes in one line how a load was sent: connections, protocol, engine, model and
// length.
func Setting(r *load.Result) string {
	engine := string(r.Engine)
	if r.Workers > 0 {
		engine += " (" + layout.Plural(r.Workers, "worker", "workers") + ")"
	}
	facts := layout.Facts{layout.Plural(r.Connections, "connection", "connections")}
	if r.Streams > 1 {
		facts[0] += fmt.Sprintf(" of %d streams", r.Streams)
	}
	for _, f := range []string{string(r.Protocol), engine, loadModel(r)} {
		facts.If(f != "", "%s", f)
	}
	facts.If(r.Warmup > 0, "after %s of warm-up", unit.Duration(r.Warmup))
	return strings.Join(facts, " · ")
}

func loadModel(r *load.Result) string {
	o := r.Open
	switch {
	case o == nil && r.Model == load.ModelClosed:
		return "as fast as answered"
	case o == nil:
		return string(r.Model)
	case o.RampTo > 0:
		return fmt.Sprintf("%s to %s in %s, %s", PerSecond(o.Rate), PerSecond(o.RampTo), unit.Duration(o.Ramp), o.Arrivals)
	}
	return PerSecond(o.Rate) + " " + string(o.Arrivals)
}

// PerSecond formats a rate: "4998/s", "12.5/s".
func PerSecond(rate float64) string {
	digits := 0
	if rate < 100 && rate != math.Trunc(rate) {
		digits = 1
	}
	return fmt.Sprintf("%.*f/s", digits, rate)
}

// A loadFact is a line about a load. Without a name, it belongs to the one before.
type loadFact struct {
	name  string
	value layout.Painted
}

// loadFacts returns the counts, the CPU time of generator and target, where known, and why the generator
// used its engine.
func loadFacts(s layout.Style, r *load.Result) (facts []loadFact) {
	add := func(name string, value ...any) { facts = append(facts, loadFact{name, layout.Join(value...)}) }
	var ended layout.Facts
	ended.If(r.Interrupted, ", interrupted")
	ended.If(r.Unfinished > 0, " (%d more cut off at the end)", r.Unfinished)
	add("requests", fmt.Sprintf("%s in %s%s", unit.Count(r.Requests), unit.Duration(r.Elapsed), ended))
	add("rate", fmt.Sprintf("%s · %s received, %s/s", PerSecond(r.Rate), unit.Bytes(r.Bytes),
		unit.Bytes(perElapsed(r.Bytes, r.Elapsed))))
	if len(r.Status) > 0 {
		var codes []any
		for _, code := range slices.Sorted(maps.Keys(r.Status)) {
			if len(codes) > 0 {
				codes = append(codes, ", ")
			}
			text, color := fmt.Sprintf("%d: %d", code, r.Status[code]), layout.Color("")
			if code >= 400 {
				color = layout.Red
			}
			codes = append(codes, s.Paint(color, text))
		}
		add("status", codes...)
	}
	if kinds := r.Errors.Kinds(); len(kinds) > 0 {
		add("failed", s.Paint(layout.Red, fmt.Sprintf("%d (%s)", r.Errors.Total(),
			unit.Percent(r.Errors.Total(), r.Requests))), " ", countedKinds(&r.Errors))
		for _, k := range kinds {
			if k.First != "" {
				add("", layout.Cut(k.Name+": "+layout.Clean(k.First), s.Remaining(11, 20)))
			}
		}
	}
	if r.Connects > int64(r.Connections) || r.Retries > 0 {
		add("connected", fmt.Sprintf("%d times, %s sent again", r.Connects,
			layout.Plural(int(r.Retries), "request", "requests")))
	}
	cost := func(c *load.CPU) string {
		return fmt.Sprintf("%s of CPU time per request, %.2f cores", unit.Duration(c.PerRequest), c.Cores)
	}
	if c := r.TargetCPU; c != nil {
		who := ""
		if c.PID > 0 {
			who = fmt.Sprintf(" (%s, pid %d)", layout.Clean(c.Command), c.PID)
		}
		add("target", cost(&c.CPU)+who)
	}
	if r.CPU != nil {
		add("generator", cost(r.CPU))
	}
	if r.EngineChoice != nil {
		add("engine", layout.Clean(string(r.Engine)+": "+r.EngineChoice.String()))
	}
	if l := r.SendDelay; l != nil {
		text := fmt.Sprintf("p50 %s, p99 %s, p99.9 %s, max %s; with a free connection p99 %s", unit.Duration(l.P50),
			unit.Duration(l.P99), unit.Duration(l.P999), unit.Duration(l.Max), unit.Duration(l.Own))
		if l.Waited > 0 {
			text += fmt.Sprintf("; %d waited for a connection", l.Waited)
		}
		add("sent late", text)
	}
	return facts
}

// countedKinds lists the kinds of errors with their numbers.
func countedKinds(e *load.Errors) string {
	var counts []string
	for _, k := range e.Kinds() {
		counts = append(counts, fmt.Sprintf("%s: %d", k.Name, k.Count))
	}
	return strings.Join(counts, ", ")
}

// perElapsed returns n per second of d; 0 if d is 0.
func perElapsed(n int64, d time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	return int64(float64(n) / d.Seconds())
}

// A loadRow is a row of the table of latencies.
type loadRow struct {
	name   string
	value  time.Duration
	chance bool // there are too few answers for this percentile
}

// loadRows returns the latencies that reports show.
func loadRows(r *load.Result) []loadRow {
	l := r.Latency
	rows := []loadRow{{name: "min", value: l.Min}}
	values := []time.Duration{l.P50, l.P75, l.P90, l.P95, l.P99, l.P999, l.P9999}
	for i, p := range load.Percentiles() {
		rows = append(rows, loadRow{fmt.Sprintf("p%g", p), values[i], r.Responses < load.AnswersFor(p)})
	}
	return append(rows, loadRow{name: "max", value: l.Max}, loadRow{name: "mean", value: l.Mean},
		loadRow{name: "stddev", value: l.StdDev})
}

// loadLatencies writes the table of latencies, and the histogram next to it.
func loadLatencies(t *layout.Writer, s layout.Style, r *load.Result) {
	if r.Responses == 0 {
		t.Line("no answers, so no latencies")
		return
	}
	rows := loadRows(r)
	values := layout.Each(rows, func(r *loadRow) int64 { return int64(r.value) })
	to := layout.ScaleFor("nanoseconds", int64(r.Latency.Max), values)
	var bars []string
	if h, err := charts.Histogram(r); err == nil {
		bars = barLines(charts.Bars(h, loadBars), s.Remaining(24, 30))
	}
	t.Line(s.Paint(layout.Bold, layout.Left("latency", 24)+"distribution"))
	chance := false
	for i := range max(len(rows), len(bars)) {
		line, color, bar := "", layout.Color(""), ""
		if i < len(rows) {
			line = layout.Left(rows[i].name, 8) + layout.Right(layout.ColumnValue(int64(rows[i].value), "ns", to), 10)
			if rows[i].chance {
				chance, color, line = true, layout.Dim, line+" ?"
			}
		}
		if i < len(bars) {
			line, bar = layout.Left(line, 24), bars[i]
		}
		t.Line(s.Paint(color, line), bar)
	}
	if chance {
		t.Line(s.Paint(layout.Dim, "? too few answers above it for a reliable figure"))
	}
}

// barLines draws bars in text of the given width: upper edge, share, bar.
func barLines(bars []load.Bar, width int) []string {
	var most, total int64
	for _, b := range bars {
		most = max(most, b.Count)
		total += b.Count
	}
	labels, wide := make([]string, len(bars)), 0
	for i, b := range bars {
		labels[i] = "≤ " + unit.Duration(b.Upper)
		wide = max(wide, layout.Columns(labels[i]))
	}
	room := min(width, 56) - wide - 10
	var out []string
	for i, b := range bars {
		out = append(out, layout.Right(labels[i], wide)+"  "+layout.Right(layout.ColumnPercent(b.Count, total), 7)+" "+
			bar(float64(b.Count)/float64(max(most, 1)), room))
	}
	return out
}

// bar draws a share of width columns in eighths; anything above 0 is visible.
func bar(share float64, width int) string {
	eighths := int(math.Round(share * float64(width) * 8))
	if eighths <= 0 {
		if share > 0 && width > 0 {
			return "▏"
		}
		return ""
	}
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return text
}

// loadVerdict writes whether the figures can be trusted.
func loadVerdict(t *layout.Writer, s layout.Style, r *load.Result) {
	reasons := r.Verdict()
	layout.Warnings(t, s, "warning: ", slices.DeleteFunc(slices.Clone(r.Warnings), func(w load.Warning) bool {
		return slices.Contains(reasons, w)
	}))
	switch {
	case len(reasons) > 0:
	case r.Responses == 0:
		t.Line("verdict: none, because no request was answered")
		return
	default:
		t.Line("verdict: no reason to distrust these numbers")
		return
	}
	t.Line(s.Paint(layout.Gold, "verdict: "+layout.Plural(len(reasons), "reason", "reasons")+
		" to distrust these numbers"))
	layout.Warnings(t, s, "  - ", reasons)
}

// WriteHGRM writes the latencies of r, in milliseconds, in the percentile distribution format of
// HdrHistogram, which its plotters read.
func WriteHGRM(w io.Writer, r *load.Result) error {
	h, err := charts.Histogram(r)
	if err != nil {
		return fmt.Errorf("write percentile distribution: %w", err)
	}
	const ticksPerHalfDistance = 5 // HdrHistogram's default
	if _, err := h.PercentilesPrint(w, ticksPerHalfDistance, float64(time.Millisecond)); err != nil {
		return fmt.Errorf("write percentile distribution: %w", err)
	}
	return nil
}
