package stores

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/unit"
)

func timeText(t time.Time) string { return utc(t, time.DateTime) }

// minuteText returns a time without seconds, for tables that have several.
func minuteText(t time.Time) string { return utc(t, "2006-01-02 15:04") }

func utc(t time.Time, format string) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(format)
}

// table writes rows below a heading, or that there are none.
func table(w io.Writer, s layout.Style, t layout.Table, more ...func(*layout.Writer)) error {
	out := layout.NewWriter(w)
	t.HeadColor = layout.Dim
	for _, row := range t.Rows {
		for i := range row {
			row[i] = layout.Clean(row[i])
		}
	}
	if len(t.Rows) == 0 {
		out.Line(layout.NothingToShow)
	} else {
		t.Write(out, s)
	}
	for _, f := range more {
		f(out)
	}
	return out.Result()
}

// WriteSeries writes the document as text.
func WriteSeries(w io.Writer, s layout.Style, d documents.Series) error {
	t := layout.Table{
		Head:  []string{"service", "kind", "profiles", "first (UTC)", "last (UTC)", "labels"},
		Align: "llrlll", Wide: 5, Least: 10,
	}
	for _, x := range d.Series {
		t.Rows = append(t.Rows, []string{
			x.Service, x.Kind, unit.Count(x.Profiles).String(), minuteText(x.First), minuteText(x.Last), x.Labels.String(),
		})
	}
	return table(w, s, t, func(out *layout.Writer) {
		seen := map[string]bool{}
		for _, x := range d.Types {
			line := x.Kind + ": " + strings.Join(documents.SampleTypes(x), ", ")
			if !seen[line] {
				if len(seen) == 0 {
					out.Line()
				}
				out.Line(line)
			}
			seen[line] = true
		}
	})
}

// WriteLabels writes the document as text.
func WriteLabels(w io.Writer, _ layout.Style, d documents.Labels) error {
	out := layout.NewWriter(w)
	if len(d.Values) == 0 {
		out.Line(layout.NothingToShow)
	}
	for _, v := range d.Values {
		out.Line(v)
	}
	return out.Result()
}

// WriteProfiles writes the document as text.
func WriteProfiles(w io.Writer, s layout.Style, d documents.Profiles) error {
	t := layout.Table{
		Head: []string{"id", "start (UTC)", "duration", "samples", "service", "kind", "labels"}, Align: "llrrlll", Wide: 6,
		Least: 10,
	}
	for _, x := range d.Profiles {
		t.Rows = append(t.Rows, []string{
			x.ID.String(), timeText(x.Start), unit.Duration(x.Duration), unit.Count(x.Samples).String(), x.Service, x.Kind,
			x.Labels.String(),
		})
	}
	return table(w, s, t)
}

// WriteRecordings writes the document as text.
func WriteRecordings(w io.Writer, s layout.Style, d documents.Recordings) error {
	t := layout.Table{
		Head: []string{"id", "start (UTC)", "length", "size", "service", "why", "labels"}, Align: "llrrlll", Wide: 6,
		Least: 10,
	}
	for _, x := range d.Recordings {
		t.Rows = append(t.Rows, []string{
			x.ID.String(), timeText(x.Start), unit.Duration(x.Duration), unit.Bytes(x.Size).String(), x.Service, x.About,
			x.Labels.String(),
		})
	}
	return table(w, s, t)
}

// WriteResults writes the document as text.
func WriteResults(w io.Writer, s layout.Style, d documents.Results) error {
	t := layout.Table{
		Head: []string{"time (UTC)", "kind", "service", "commit", "size", "result"}, Align: "llllrl", Wide: 5, Least: 10,
	}
	for _, x := range d.Results {
		t.Rows = append(t.Rows, []string{
			timeText(x.Time), x.Kind, x.Service, x.Revision[:min(len(x.Revision), 12)], unit.Bytes(x.Size).String(), x.About,
		})
	}
	return table(w, s, t)
}

// bars are a timeline's values from none to the largest.
const bars = " ▁▂▃▄▅▆▇█"

// WriteTimeline writes the document as text.
func WriteTimeline(w io.Writer, s layout.Style, d documents.Timeline) error {
	out := layout.NewWriter(w)
	out.Line(layout.Clean(d.Type.Type), ", ", layout.Plural(d.Stats.Profiles, "profile", "profiles"), ", ",
		timeText(d.From), " to ", timeText(d.From.Add(d.Step*time.Duration(len(d.Totals)))), " UTC, a column is ",
		unit.Duration(d.Step))
	if err := out.Result(); err != nil {
		return err
	}
	sum := int64(0)
	for _, x := range d.Totals {
		sum += x
	}
	most := int64(0)
	for _, l := range d.Lines {
		most = max(most, slices.Max(l.Values))
	}
	t := layout.Table{Align: "rrll", Head: []string{"cost", "share", "over time", "line"}, Wide: 3, Least: 20}
	for _, l := range d.Lines {
		where := layout.ShortName(l.Function)
		if l.File != "" {
			where += " " + path.Base(l.File) + fmt.Sprintf(":%d", l.Line)
		}
		t.Rows = append(t.Rows, []string{
			unit.Of(l.Total, d.Type.Unit).String(), unit.Percent(l.Total, sum), bar(l.Values, most), where,
		})
	}
	return table(w, s, t)
}

// bar draws values; the columns of long ones are sums of several.
func bar(values []int64, most int64) string {
	const columns = 60
	per := (len(values) + columns - 1) / columns
	levels := []rune(bars)
	var b strings.Builder
	for len(values) > 0 {
		n := min(per, len(values))
		v := slices.Max(values[:n])
		values = values[n:]
		level := 0
		if v > 0 && most > 0 {
			level = 1 + int(float64(v)/float64(most)*float64(len(levels)-2))
		}
		b.WriteRune(levels[min(level, len(levels)-1)])
	}
	return b.String()
}

// WritePush writes the document as text.
func WritePush(w io.Writer, s layout.Style, d documents.Push) error {
	t := layout.Table{
		Head:  []string{"file", "part", "kind", "samples", "start (UTC)", "id"},
		Align: "lllrll", Wide: 0, Least: 10,
	}
	for _, x := range d.Profiles {
		t.Rows = append(t.Rows, []string{
			x.File, x.Part, x.Kind, unit.Count(x.Samples).String(), timeText(x.Start), x.ID.String(),
		})
	}
	more := func(out *layout.Writer) {
		for _, x := range d.Results {
			commit := ""
			if x.Revision != "" {
				commit = " at " + x.Revision[:min(len(x.Revision), 12)]
			}
			out.Line(layout.Clean(x.File + ": " + x.Kind + " of " + x.Service + commit + ": " + x.About))
		}
		for _, x := range d.Recordings {
			out.Line("the recording ", layout.Clean(x.File), " (", unit.Bytes(x.Size).String(), ") has the id ", x.ID.String())
		}
	}
	if len(d.Profiles) == 0 {
		out := layout.NewWriter(w)
		more(out)
		return out.Result()
	}
	return table(w, s, t, more)
}

// WriteStats writes the document as text.
func WriteStats(w io.Writer, s layout.Style, d documents.Stats) error {
	t := layout.Table{
		Head:  []string{"service", "series", "profiles", "samples", "size", "symbols", "first (UTC)", "last (UTC)"},
		Align: "lrrrrrll", Wide: 0, Least: 10,
	}
	for _, x := range d.Services {
		name := x.Service
		if x.Tenant != "" {
			name = x.Tenant + "/" + name
		}
		t.Rows = append(t.Rows, []string{
			name, unit.Count(x.Series).String(), unit.Count(x.Profiles).String(), unit.Count(x.Samples).String(),
			unit.Bytes(x.Bytes).String(), unit.Bytes(x.Symbols).String(), minuteText(x.First), minuteText(x.Last),
		})
	}
	return table(w, s, t, func(out *layout.Writer) {
		facts := layout.Facts{unit.Bytes(d.Bytes).String() + " in use"}
		facts.If(d.Free > 0, ", %s of free pages", unit.Bytes(d.Free))
		facts.If(d.Results > 0, ", %s of measurements", layout.Plural(d.Results, "result", "results"))
		facts.If(d.Recordings > 0, ", %s of %s", layout.Plural(d.Recordings, "recording", "recordings"),
			unit.Bytes(d.RecordingBytes))
		facts.Add(", format %d", d.Format)
		out.Line(facts)
	})
}

// WriteCheck writes the document as text.
func WriteCheck(w io.Writer, s layout.Style, d documents.Check) error {
	out := layout.NewWriter(w)
	lead := layout.Clean(d.Store) + ": " + layout.Plural(d.Profiles, "profile", "profiles") + " and the symbols of " +
		layout.Plural(d.Dictionaries, "dictionary", "dictionaries")
	if d.Recordings > 0 {
		lead += " and " + layout.Plural(d.Recordings, "recording", "recordings")
	}
	lead += " read, "
	if len(d.Damage) == 0 {
		out.Line(lead, "no damage")
		return out.Result()
	}
	out.Line(lead, s.Paint(layout.Red, layout.Plural(len(d.Damage), "part is damaged", "parts are damaged")), ":")
	for _, x := range d.Damage {
		out.Line("  ", layout.Clean(x.Where), ": ", layout.Clean(x.Text))
	}
	if d.More {
		out.Line("  and more")
	}
	return out.Result()
}

// Selected returns what a query has selected, for a heading.
func Selected(stats store.Stats) string {
	return layout.Plural(stats.Profiles, "profile", "profiles") + " of " +
		layout.Plural(stats.Series, "series", "series") + ", " + timeText(stats.First) + " to " +
		timeText(stats.Last) + " UTC"
}

// WriteMigration writes the document as text.
func WriteMigration(w io.Writer, _ layout.Style, d documents.Migration) error {
	where := ""
	if d.Cluster != "" {
		where = " on cluster " + d.Cluster
	}
	what := fmt.Sprintf("is up to date: format %d", d.To)
	switch {
	case d.From == 0:
		what = fmt.Sprintf("was created: format %d", d.To)
	case d.From < d.To:
		what = fmt.Sprintf("was migrated from format %d to %d", d.From, d.To)
	}
	_, err := fmt.Fprintln(w, layout.Clean(d.Store+where+" "+what))
	return err
}
