package stores

import (
	"fmt"
	"io"
	"path"
	"strconv"

	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/store/regressions"
	"github.com/whet-go/whet/unit"
)

// WriteRegressions writes the document as text.
func WriteRegressions(w io.Writer, s layout.Style, d documents.Regressions) error {
	out := layout.NewWriter(w)
	deploys, profiles := 0, 0
	for _, x := range d.Services {
		deploys += len(x.Deploys)
		profiles += x.Profiles
	}
	out.Line(layout.Clean(d.Kind), " of ", layout.Plural(len(d.Services), "service", "services"), ", ",
		layout.Plural(profiles, "profile", "profiles"), ", ", minuteText(d.From), " to ", minuteText(d.To),
		" UTC in steps of ", unit.Duration(d.Step), ": ", layout.Plural(deploys, "deploy", "deploys"), ", ",
		layout.Plural(d.Tested, "test", "tests"))
	if len(d.Regressions)+len(d.Improvements)+len(d.Shifts)+len(d.Gone) == 0 {
		out.Line("no change beyond noise")
	}
	changes(out, s, "more expensive", layout.Red, d.Regressions)
	changes(out, s, "less expensive", layout.Cyan, d.Improvements)
	if len(d.Shifts) > 0 {
		out.Line()
		out.Line("moved between functions:")
		var all []regressions.Change
		for _, x := range d.Shifts {
			all = append(append(all, x.To), x.From...)
		}
		table := changeTable(all)
		table.Write(out, s)
	}
	changes(out, s, "went away again", "", d.Gone)
	commits(out, d)
	return out.Result()
}

// changes writes a list with its title.
func changes(out *layout.Writer, s layout.Style, title string, color layout.Color, list []regressions.Change) {
	if len(list) == 0 {
		return
	}
	out.Line()
	out.Line(s.Paint(color, title), ":")
	table := changeTable(list)
	table.Write(out, s)
}

func changeTable(list []regressions.Change) layout.Table {
	t := layout.Table{
		Head:  []string{"before", "after", "change", "95% interval", "since (UTC)", "cause", "service", "where"},
		Align: "rrrrllll", Wide: 7, Least: 20, HeadColor: layout.Dim,
	}
	for _, c := range list {
		cause := "no deploy"
		if c.Deploy != nil {
			cause = short(c.Deploy.Before) + " → " + short(c.Deploy.After)
		}
		where := layout.ShortName(c.Function)
		if c.File != "" {
			where += " " + path.Base(c.File)
		}
		t.Rows = append(t.Rows, row(c.Effect, minuteText(c.At), cause, c.Service, where))
		const most = 3
		for i, l := range c.Lines {
			if i == most {
				break
			}
			t.Rows = append(t.Rows, row(l.Effect, "", "", "", "  "+lineText(c.File, l)))
		}
	}
	for _, r := range t.Rows {
		for i := range r {
			r[i] = layout.Clean(r[i])
		}
	}
	return t
}

// short returns a version, or the beginning of a long one such as a build ID.
func short(version string) string {
	const most = 20
	if len(version) > most {
		return version[:12] + "…"
	}
	return version
}

func row(e regressions.Effect, at, cause, service, where string) []string {
	change := fmt.Sprintf("%+.1f%%", 100*e.Relative)
	if e.Relative == 0 {
		change = "new"
	}
	return []string{
		percent(e.Before), percent(e.After), change, fmt.Sprintf("%+.3f to %+.3f", 100*e.Low, 100*e.High), at, cause, service,
		where,
	}
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 3, 64) + "%" }

// lineText returns which line changed, under both of its numbers if it moved.
func lineText(file string, l regressions.LineChange) string {
	name := path.Base(file)
	text := fmt.Sprintf("%s:%d", name, l.LineAfter)
	switch {
	case l.LineAfter == 0:
		text = fmt.Sprintf("%s:%d (before)", name, l.LineBefore)
	case l.LineBefore != 0 && l.LineBefore != l.LineAfter:
		text += fmt.Sprintf(" (was :%d)", l.LineBefore)
	}
	if l.Code != "" {
		text += " " + l.Code
	}
	return text
}

// commits lists those of deploys at which something became more expensive.
func commits(out *layout.Writer, d documents.Regressions) {
	seen := map[string]bool{}
	for _, c := range d.Regressions {
		if c.Deploy == nil || len(c.Deploy.Commits) == 0 || seen[c.Service+c.Deploy.After] {
			continue
		}
		seen[c.Service+c.Deploy.After] = true
		out.Line()
		out.Line("commits of ", layout.Clean(c.Service), " from ", layout.Clean(short(c.Deploy.Before)), " to ",
			layout.Clean(short(c.Deploy.After)), ":")
		for _, x := range c.Deploy.Commits {
			out.Line("  ", x.Hash[:min(10, len(x.Hash))], " ", layout.Clean(x.Subject))
		}
		if c.Deploy.More > 0 {
			out.Line("  and ", strconv.Itoa(c.Deploy.More), " or more before them")
		}
	}
}
