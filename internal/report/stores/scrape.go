package stores

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/scrape"
	"github.com/whet-go/whet/unit"
)

// WriteScrape writes a scrape as one line.
func WriteScrape(w io.Writer, s layout.Style, d scrape.Event) error {
	out := layout.NewWriter(w)
	state, about := d.State, fmt.Sprintf("%d profiles in %s", d.Stored(), unit.Duration(d.Took))
	if d.Trigger != "" {
		state = d.Trigger
	}
	if d.Recording != "" {
		about += ", recording " + d.Recording
	}
	if d.RecordingBuffered {
		about += " in the buffer"
	}
	if d.Error != "" {
		about = d.Error
	}
	out.Line(d.Time.UTC().Format(time.DateTime), "  ", s.Paint(layout.Bold, layout.Clean(state)), "  ",
		layout.Clean(d.Service), "  ", layout.Clean(d.Target), "  ", layout.Clean(about))
	return out.Result()
}

// WriteTargets writes the state of all targets as a table.
func WriteTargets(w io.Writer, s layout.Style, d scrape.Status) error {
	t := layout.Table{
		Head:  []string{"state", "service", "scrapes", "profiles", "last (UTC)", "next (UTC)", "target"},
		Align: "llrrlll", Wide: 6, Least: 10,
	}
	for _, one := range d.Targets {
		target := one.Target
		if one.Owner != "" {
			target += " by " + one.Owner
		}
		if one.Error != "" {
			target += ": " + one.Error
		}
		t.Rows = append(t.Rows, []string{
			one.State, one.Service, strconv.FormatInt(one.Scrapes, 10), strconv.FormatInt(one.Profiles, 10), timeText(one.Last),
			timeText(one.Next), target,
		})
	}
	return table(w, s, t, func(out *layout.Writer) {
		out.Line(fmt.Sprintf("profiles: %d stored, %d waiting, %d dropped, %d refused", d.Profiles.Stored, d.Profiles.Waiting,
			d.Profiles.Dropped, d.Profiles.Refused))
		for _, m := range d.Members {
			about := layout.Plural(m.Targets, "target", "targets")
			if m.Left <= 0 {
				about = "its lease has ended"
			}
			out.Line(layout.Clean(fmt.Sprintf("process %s of %s: %s", m.Member, m.Group, about)))
		}
	})
}

// WriteScrapeCheck writes what a configuration means.
func WriteScrapeCheck(w io.Writer, s layout.Style, d scrape.Check) error {
	t := layout.Table{Head: []string{"job", "interval", "profiles", "targets"}, Align: "lrll", Wide: 3, Least: 10}
	for _, j := range d.Jobs {
		var targets []string
		for _, one := range j.Targets {
			targets = append(targets, one.Target)
		}
		if extra := len(targets) - 3; extra > 0 {
			targets = append(targets[:3], fmt.Sprintf("%d more", extra))
		}
		t.Rows = append(t.Rows, []string{
			j.Job, unit.Duration(j.Interval), strings.Join(j.Profiles, " "), strings.Join(append(targets, j.Sources...), ", "),
		})
	}
	return table(w, s, t)
}
