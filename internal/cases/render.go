package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"text/template"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/internal/report/layout"
)

//go:embed pages/*.md
var pages embed.FS

// pageData is the data of a page's template.
type pageData struct {
	study   study
	results *results
}

// functions returns the template's functions, which fail for a figure that does not exist.
func (p *pageData) functions() template.FuncMap {
	return template.FuncMap{
		// Tables.
		"times":  func(step string) (string, error) { return p.unitTable(step, "fast", secOp) },
		"allocs": func(step string) (string, error) { return p.allocTable(step, "fast") },
		// For a step in which whet makes the rewrites.
		"fixes":       p.fixTable,
		"fixedTimes":  func(step string) (string, error) { return p.unitTable(step, "fixed", secOp) },
		"fixedAllocs": func(step string) (string, error) { return p.allocTable(step, "fixed") },
		"service":     p.serviceTable,
		// Single figures, in a sentence.
		"gain": func(step, subject, unit string) (string, error) {
			u, err := p.results.unit(point{step, subject, unit})
			if err != nil {
				return "", err
			}
			gained, _ := verdict(u)
			return gained, nil
		},
		"slow": func(step, subject, unit string) (string, error) {
			u, err := p.results.unit(point{step, subject, unit})
			if err != nil {
				return "", err
			}
			return value(float64(u.A.Median), unit), nil
		},
		"fast": func(step, subject, unit string) (string, error) {
			u, err := p.results.unit(point{step, subject, unit})
			if err != nil {
				return "", err
			}
			return value(float64(u.B.Median), unit), nil
		},
		// share returns B as a part of A, such as 0.72, with its interval.
		"share": func(step, unit string) (string, error) {
			u, err := p.results.unit(point{step, "", unit})
			if err != nil {
				return "", err
			}
			text := fmt.Sprintf("%.2f", float64(u.Ratio))
			if !math.IsInf(float64(u.High), 0) {
				text += fmt.Sprintf(" (%.2f – %.2f)", float64(u.Low), float64(u.High))
			}
			return text, nil
		},
		"console":  p.console,
		"measured": p.measured,
	}
}

// console shows commands and the output of views.
func (p *pageData) console(steps ...string) (string, error) {
	var out strings.Builder
	out.WriteString("```\n")
	for _, step := range steps {
		if c, ok := p.results.Comparisons[step]; ok {
			fmt.Fprintf(&out, "$ %s\n", c.Command)
			continue
		}
		o, ok := p.results.Outputs[step]
		if !ok {
			return "", fmt.Errorf("no step %q in the results", step)
		}
		fmt.Fprintf(&out, "$ %s\n%s", o.Command, o.Text)
	}
	out.WriteString("```")
	return out.String(), nil
}

// measured describes the machine and the settings of the page's comparisons.
func (p *pageData) measured() (string, error) {
	if len(p.results.Comparisons) == 0 {
		return "", errors.New("no comparison in the results")
	}
	var lines []string
	steps := slices.Sorted(maps.Keys(p.results.Comparisons))
	lines = append(lines, machine(p.results.Comparisons[steps[0]].Result.Machine))
	for _, step := range steps {
		r := p.results.Comparisons[step].Result
		pairs := 0
		for _, s := range r.Subjects {
			pairs += s.Pairs
		}
		of := ""
		if len(r.Subjects) > 1 {
			of = fmt.Sprintf(" of %d benchmarks", len(r.Subjects))
		}
		text := fmt.Sprintf("`%s`: %s pairs of rounds%s; whet chose %v", step, thousands(int64(pairs)), of, r.Plan)
		if r.Machine.Load != "" {
			text += "; load averages at the end " + r.Machine.Load
		}
		lines = append(lines, text+".")
		for _, w := range p.results.Comparisons[step].Warnings {
			lines = append(lines, fmt.Sprintf("`%s`, warning about %s", step, w))
		}
	}
	return "- " + strings.Join(lines, "\n- "), nil
}

func machine(m ab.Machine) string {
	text := fmt.Sprintf("%s, %d CPUs, %s, %s/%s", m.CPU, m.Processors, m.Go, m.GOOS, m.GOARCH)
	if m.Kernel != "" {
		text += ", kernel " + m.Kernel
	}
	return text + "."
}

// page renders a study.
func page(s study, r *results) ([]byte, error) {
	p := &pageData{study: s, results: r}
	text, err := fs.ReadFile(pages, "pages/"+s.name+".md")
	if err != nil {
		return nil, err
	}
	return render(s.name, string(text), p.functions(), s)
}

// index renders the page that links to the others.
func index(dir string) ([]byte, error) {
	text, err := fs.ReadFile(pages, "pages/README.md")
	if err != nil {
		return nil, err
	}
	g := grid{head: []string{"case", "what gets better", "gain", "95% interval", "the article's gain"}}
	var ran []string
	for _, s := range studies() {
		r, err := read(dir, s)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for i, p := range s.headline {
			u, err := r.unit(p.point)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.name, err)
			}
			gained, interval := verdict(u)
			article := ""
			if q, ok := s.quoted(p.point); ok {
				article = quotedTimes(q, u.Better)
			}
			name := ""
			if i == 0 {
				name = fmt.Sprintf("[%s](%s.md)", s.title, s.name)
			}
			g.add(name, p.name, gained, interval, article)
			if m := machine(r.Comparisons[p.step].Result.Machine); !slices.Contains(ran, m) {
				ran = append(ran, m)
			}
		}
	}
	return render("README", string(text), template.FuncMap{
		"summary": g.String,
		"machine": func() string { return strings.Join(ran, "\n") },
	}, nil)
}

func render(name, text string, functions template.FuncMap, data any) ([]byte, error) {
	t, err := template.New(name).Funcs(functions).Parse(text)
	if err != nil {
		return nil, fmt.Errorf("page %s: %w", name, err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	return []byte(layout.WrapMarkdown(out.String(), 100)), nil
}
