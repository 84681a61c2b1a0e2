package main

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/whet-go/whet/internal/report/layout"
)

//go:embed page.md
var pageText string

// share formats a share as a percentage.
func share(x float64) string { return layout.SharePercent(x) }

// page renders docs/measured/servers.md.
func page(r *results) ([]byte, error) {
	t, err := template.New("page").Option("missingkey=error").Parse(pageText)
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	if err := t.Execute(&out, map[string]string{
		"Limit": proofTime, "Summary": summary(r), "Conditions": conditions(r), "Seen": seenText(r), "Servers": sections(r),
	}); err != nil {
		return nil, err
	}
	return []byte(layout.WrapMarkdown(strings.TrimSpace(out.String())+"\n", 100)), nil
}

// table formats rows in Markdown; the first is the head.
func table(rows [][]string) string {
	var out strings.Builder
	for i, row := range rows {
		for j, cell := range row {
			row[j] = strings.ReplaceAll(cell, "|", `\|`)
		}
		out.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			out.WriteString("|" + strings.Repeat("---|", len(row)) + "\n")
		}
	}
	return out.String()
}

// summary is a table of all servers.
func summary(r *results) string {
	rows := [][]string{{
		"server", "hottest own line", "named", "proposed in the module", "proposed for upstream", "proven",
	}}
	for _, m := range r.Servers {
		hot := "–"
		if len(m.Hottest) > 0 {
			hot = fmt.Sprintf("`%s`, %s: %s", m.Hottest[0].Where, share(m.Hottest[0].Share), m.Hottest[0].Kind)
		}
		upstream, kept := 0, len(m.Kept)
		for _, u := range m.Upstream {
			upstream += u.Findings + u.Candidates
			kept += len(u.Kept)
		}
		rows = append(rows, []string{
			m.Name + " " + m.Version, hot,
			fmt.Sprintf("%s, %s, %s", layout.Plural(len(m.Findings), "finding", "findings"),
				layout.Plural(len(m.Advice), "piece of advice", "pieces of advice"),
				layout.Plural(len(m.Calls), "call of a dependency", "calls of dependencies")),
			fmt.Sprint(m.Candidates), fmt.Sprint(upstream), fmt.Sprint(kept),
		})
	}
	return table(rows)
}

// conditions describe when and how busy the machine was.
func conditions(r *results) string {
	if len(r.Servers) == 0 {
		return "Nothing was measured yet."
	}
	var dates, loads []string
	for _, m := range r.Servers {
		dates, loads = append(dates, m.Date), append(loads, m.Name+" "+m.Load)
	}
	slices.Sort(dates)
	dates = slices.Compact(dates)
	return "Measured on " + strings.Join(dates, " and ") + ", on a machine with two CPUs. Its load average before each " +
		"recording, where 2 is all of it: " + strings.Join(loads, ", ") + "."
}

// seenText has what a reader saw in the results of each server when they were first made.
func seenText(r *results) string {
	var out strings.Builder
	for _, m := range r.Servers {
		if text := seen()[m.Name]; text != "" {
			out.WriteString("- **" + m.Name + "**: " + text + "\n")
		}
	}
	return out.String()
}

// sections describe each server.
func sections(r *results) string {
	var out strings.Builder
	for _, m := range r.Servers {
		i := slices.IndexFunc(servers(), func(s server) bool { return s.name == m.Name })
		if i < 0 {
			continue
		}
		fmt.Fprintf(&out, "## %s %s\n\n%s. Built in %v from `%s`.", m.Name, m.Version, upperFirst(servers()[i].what),
			m.Build.Round(time.Second), m.Module)
		if m.PerRequest > 0 {
			fmt.Fprintf(&out, " %v of CPU time per request.", m.PerRequest.Round(time.Microsecond))
		}
		out.WriteString("\n\n")
		m.section(&out)
	}
	return out.String()
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// section describes what was named, proposed and proven.
func (m *measurement) section(out *strings.Builder) {
	if len(m.Hottest) > 0 {
		rows := [][]string{{"own line", "share", "kind of cost"}}
		for _, l := range m.Hottest {
			of := "of the CPU time"
			if l.Cost == memory {
				of = "of the allocated bytes"
			}
			rows = append(rows, []string{"`" + l.Where + "`", share(l.Share) + " " + of, l.Kind})
		}
		out.WriteString(table(rows) + "\n")
	}
	list(out, "Findings", m.Findings)
	list(out, "Advice", m.Advice)
	if len(m.Calls) > 0 {
		rows := [][]string{{"call of a dependency", "CPU", "allocated", "hottest line there", "counted", "other ways"}}
		for _, c := range m.Calls {
			var ways []string
			for _, a := range c.Alternatives {
				ways = append(ways, "`"+a+"`")
			}
			rows = append(rows, []string{
				"`" + c.Where + "` calls `" + layout.ShortName(c.Callee) + "`", share(c.Share), share(c.Memory),
				"`" + c.Hottest + "`", strings.Join(c.Counts, ", "), strings.Join(ways, ", "),
			})
		}
		out.WriteString(table(rows) + "\n")
	}
	fmt.Fprintf(out, "In the module: %s proposed; %s.\n\n", layout.Plural(m.Candidates, "candidate", "candidates"),
		outcomesText(m.Outcomes))
	list(out, "Proven in the module", m.Kept)
	for _, u := range m.Upstream {
		if u.Skipped != "" {
			fmt.Fprintf(out, "For upstream, `%s`: %s.\n\n", u.Module, strings.TrimSuffix(u.Skipped, "."))
			continue
		}
		fmt.Fprintf(out, "For upstream, `%s` %s: %s and %s; %s.\n\n", u.Module, u.Version,
			layout.Plural(u.Findings, "rewrite", "rewrites"), layout.Plural(u.Candidates, "candidate", "candidates"),
			outcomesText(u.Outcomes))
		list(out, "Proven for upstream", u.Kept)
	}
	if m.Ended {
		out.WriteString("The time ended before all were tried.\n\n")
	}
}

// list writes a list with a head, unless it is empty.
func list(out *strings.Builder, head string, items []string) {
	if len(items) == 0 {
		return
	}
	out.WriteString(head + ":\n\n")
	for _, item := range items {
		out.WriteString("- " + item + "\n")
	}
	out.WriteString("\n")
}

// outcomesText lists outcomes with their numbers.
func outcomesText(by map[string]int) string {
	if len(by) == 0 {
		return "nothing was tried"
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(by)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, by[name]))
	}
	return strings.Join(parts, ", ")
}
