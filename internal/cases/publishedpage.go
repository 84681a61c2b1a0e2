package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/whet-go/whet/bench/ab"
)

// publishedPageName is the page about the services as published, next to the directory of the others.
const publishedPageName = "published.md"

// publishedPageText renders the page about the services as published from the results in dir, as far as
// there are any.
func publishedPageText(dir string) ([]byte, error) {
	text, err := fs.ReadFile(pages, "pages/"+publishedPageName)
	if err != nil {
		return nil, err
	}
	data := map[string]*pageData{}
	var commands, runs []string
	for _, s := range publishedStudies() {
		r, err := read(dir, s)
		if errors.Is(err, fs.ErrNotExist) {
			data[s.published.service] = nil
			continue
		}
		if err != nil {
			return nil, err
		}
		p := &pageData{study: s, results: r}
		data[s.published.service] = p
		for _, step := range p.compared() {
			commands = append(commands, "$ "+r.Comparisons[step].Command+"\n")
		}
		run, err := p.measured()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.published.service, err)
		}
		for line := range strings.Lines(run + "\n") { // the machine may be the same
			line = strings.TrimSuffix(line, "\n")
			line = strings.Replace(line, "- `", "- "+s.published.service+", `", 1)
			if !slices.Contains(runs, line) {
				runs = append(runs, line)
			}
		}
	}
	// of makes a function of a service's name from one of its data.
	of := func(f func(*pageData) (string, error)) func(string) (string, error) {
		return func(service string) (string, error) {
			p, ok := data[service]
			switch {
			case !ok:
				return "", fmt.Errorf("no service %q", service)
			case p == nil:
				return "Not measured yet.\n", nil
			}
			return f(p)
		}
	}
	return render(publishedPageName, string(text), template.FuncMap{
		"figures":  of((*pageData).figures),
		"changes":  of((*pageData).changes),
		"fixes":    of((*pageData).tried),
		"settings": of((*pageData).settings),
		"left":     of((*pageData).left),
		"commands": func() string { return "```\n" + strings.Join(commands, "") + "```" },
		"measured": func() string { return strings.Join(runs, "\n") },
	}, nil)
}

func writePublished(dir string) error {
	text, err := publishedPageText(dir)
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, "..", publishedPageName), text, 0o644)
}

// compared returns the steps that compare, in the order measured.
func (p *pageData) compared() (steps []string) {
	for _, st := range p.study.steps {
		if _, ok := p.results.Comparisons[st.name]; ok {
			steps = append(steps, st.name)
		}
	}
	return steps
}

// figures compares the gain of whet with the author's, for each figure of a service.
func (p *pageData) figures() (string, error) {
	g := grid{head: []string{"figure", "original", "whet", "with settings", "author", "whet's gain is"}}
	for _, f := range p.study.published.figures {
		side := func(name string) (*ab.Unit, error) { return p.results.unit(point{f.step + name, f.subject, f.unit}) }
		whet, err := side(whetSide)
		if err != nil {
			return "", err
		}
		author, err := side(authorSide)
		if err != nil {
			return "", err
		}
		settings := ""
		best := whet
		if u, err := side(settingsSide); err == nil {
			settings, best = gainCell(u), u
		}
		g.add(f.name, value(float64(whet.A.Median), f.unit), gainCell(whet), settings, gainCell(author),
			compareGains(best, author))
	}
	g.drop(3)
	return g.String(), nil
}

// gainCell formats a gain with its interval.
func gainCell(u *ab.Unit) string {
	gained, interval := verdict(u)
	if low, high, _ := strings.Cut(interval, " – "); interval == "" || low == high {
		return gained
	}
	return gained + " (" + interval + ")"
}

// compareGains reports whether whet's gain is larger than the author's. Both are compared with the
// original, in separate runs.
func compareGains(whet, author *ab.Unit) string {
	ours, low, high := gain(whet)
	theirs, authorLow, authorHigh := gain(author)
	switch {
	case ours == theirs:
		return "equal"
	case math.IsNaN(ours) || math.IsNaN(theirs) || math.IsInf(high, 1) || math.IsInf(authorHigh, 1):
		return "not known"
	case low > authorHigh:
		return "larger"
	case high < authorLow:
		return "smaller"
	}
	return "not distinguishable"
}

// changes lists what the author changed, and what whet did about it.
func (p *pageData) changes() (string, error) {
	g := grid{head: []string{"the author", "whet"}, text: true}
	for _, c := range p.study.published.changes {
		g.add(c.text, c.outcome(p.results))
	}
	return g.String(), nil
}

// about reports whether a finding is about the change.
func (c *change) about(a attempt) bool {
	return strings.HasPrefix(a.Place, c.file) &&
		slices.ContainsFunc(c.titles, func(title string) bool { return strings.Contains(a.Title, title) })
}

// outcome is the best outcome of the findings about the change, with the note.
func (c *change) outcome(r *results) string {
	var about []attempt
	for _, a := range slices.Concat(r.Fixes[fixStep], r.Left[fixStep]) {
		if c.about(a) {
			about = append(about, a)
		}
	}
	text := ""
	switch i := slices.IndexFunc(about, attempt.kept); {
	case i >= 0:
		text = about[i].became()
	case len(about) > 0:
		text = about[0].became()
	case len(c.titles) > 0:
		text = "no finding"
	}
	switch {
	case text == "":
		return c.note
	case c.note == "":
		return text
	}
	return text + ". " + c.note
}

// became describes the outcome of a finding.
func (a attempt) became() string {
	reason, _, _ := strings.Cut(a.Reason, "\n")
	switch {
	case a.kept() && a.Review:
		return "kept, for review"
	case a.Stage == "":
		return "no rewrite: " + reason
	case a.Stage == "needs":
		return "not tried: " + reason
	case a.Reason != "":
		return "dropped: " + reason
	}
	return a.Stage
}

// tried lists the rewrites that whet tried.
func (p *pageData) tried() (string, error) {
	if len(p.results.Fixes[fixStep]) == 0 {
		return p.list(nil, nil)
	}
	return p.fixTable(fixStep)
}

// settings lists the settings that whet tried.
func (p *pageData) settings() (string, error) {
	return p.list(p.results.Settings[fixStep], func(a attempt) string {
		setting := strings.Join(slices.Concat(a.Build, a.Run), " ")
		return fmt.Sprintf("`%s` (%s): %s", setting, a.Title, a.became())
	})
}

// left lists the findings without a rewrite.
func (p *pageData) left() (string, error) {
	return p.list(p.results.Left[fixStep], func(a attempt) string {
		return fmt.Sprintf("`%s`, %s: %s", a.Place, a.Title, a.Reason)
	})
}

func (p *pageData) list(all []attempt, format func(attempt) string) (string, error) {
	if len(all) == 0 {
		return "- none\n", nil
	}
	var out strings.Builder
	for _, a := range all {
		out.WriteString("- " + format(a) + "\n")
	}
	return out.String(), nil
}
