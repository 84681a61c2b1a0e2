package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/modproxy"
	"github.com/whet-go/whet/internal/report/layout"
)

//go:embed reach.md
var reachText string

// reachSchema is the schema of reaches as JSON.
const reachSchema = "whet.reach/1"

// A reachModule is a module whose hot lines are counted.
type reachModule struct {
	module
	// seen is set for modules that generators have been written with since they were first measured.
	seen bool
}

// reachModules are the modules whose hot lines are counted. Each was chosen before whet ran on it, and is held back
// until it is seen.
func reachModules() []reachModule {
	return []reachModule{
		{module: module{
			name: "copier", path: "github.com/jinzhu/copier", version: "v0.4.0", packages: []string{"."},
			about: "values copied between structs, by reflection",
		}, seen: true},
		{module: module{
			name: "markdown", path: "github.com/gomarkdown/markdown", version: "v0.0.0-20261107153045-a51d70be185e",
			packages: []string{"./..."}, about: "Markdown to HTML, by a syntax tree",
		}, seen: true},
		{module: module{
			name: "gval", path: "github.com/PaesslerAG/gval", version: "v1.2.4", packages: []string{"."},
			about: "expressions evaluated",
		}, seen: true},
		{module: module{
			name: "memdb", path: "github.com/hashicorp/go-memdb", version: "v1.3.5", packages: []string{"."},
			about: "a database in memory, on immutable trees",
		}, seen: true},
		{module: module{
			name: "pongo2", path: "github.com/flosch/pongo2/v6", version: "v6.0.0", packages: []string{"."},
			about: "templates in the syntax of Django",
		}, seen: true},
		{module: module{
			name: "mimetype", path: "github.com/gabriel-vasile/mimetype", version: "v1.4.16", packages: []string{"./..."},
			about: "the type of a file, by its first bytes",
		}, seen: true},
		{module: module{
			name: "csvutil", path: "github.com/jszwec/csvutil", version: "v1.10.0", packages: []string{"./..."},
			about: "CSV to structs and back, by reflection",
		}, seen: true},
	}
}

// A reaches is the reach of candidates on all modules.
type reaches struct {
	Schema  string  `json:"schema"`
	Modules []reach `json:"modules"`
}

// A reach is what whet says about the hot lines of a module.
type reach struct {
	Name    string `json:"name"`
	Version string `json:"version"`

	Elapsed time.Duration `json:"elapsed_ns"`
	Machine string        `json:"machine,omitempty"`
	Budget  time.Duration `json:"budget_ns"` // for trying candidates

	// Hot counts own lines outside tests with 2% or more of the CPU time, or of the allocated bytes.
	Hot       int `json:"hot"`
	Diagnosed int `json:"diagnosed"` // of these, with a diagnosis
	Rewritten int `json:"rewritten"` // with a rewrite of a rule
	Proposed  int `json:"proposed"`  // with a candidate, and no rewrite
	// Candidates are all candidates, those of colder lines included.
	Candidates []candidate `json:"candidates"`
	Silent     []silent    `json:"silent"` // hot lines with neither
}

// A candidate is a candidate with its outcome.
type candidate struct {
	ID        string  `json:"id"`
	Generator string  `json:"generator"`
	Place     string  `json:"place"` // file:line
	Hot       bool    `json:"hot"`   // the line has 2% or more
	Message   string  `json:"message"`
	Share     float64 `json:"share"`
	Outcome   outcome `json:"outcome"`
	Reason    string  `json:"reason,omitempty"`
}

// A silent is a hot line without a rewrite or a candidate.
type silent struct {
	Place string         `json:"place"`
	Share float64        `json:"share"` // the largest of any profile
	Kind  diagnosis.Kind `json:"kind"`
}

// looked adds the output of whet find.
func (r *reach) looked(f *find.Result) {
	hot := map[string]float64{}
	for i := range f.Diagnoses {
		l := &f.Diagnoses[i]
		for _, d := range l.Costs {
			if !l.Test && d.Line >= diagnosis.MinShare {
				hot[fmt.Sprintf("%s:%d", l.File, l.Line)] = max(hot[fmt.Sprintf("%s:%d", l.File, l.Line)], d.Line)
			}
		}
	}
	for i := range f.Unexplained {
		if x := unexplained(&f.Unexplained[i]); x.Why == "" && max(x.CPU, x.Alloc) >= diagnosis.MinShare {
			hot[x.Place] = max(hot[x.Place], x.CPU, x.Alloc)
		}
	}
	rewritten, proposed := map[string]bool{}, map[string]bool{}
	for i := range f.Findings {
		for _, p := range f.Findings[i].Places {
			at := fmt.Sprintf("%s:%d", p.File, p.Line)
			rewritten[at] = rewritten[at] || f.Findings[i].Fix != nil
		}
	}
	for i := range f.Candidates {
		c := &f.Candidates[i]
		at := fmt.Sprintf("%s:%d", c.Place.File, c.Place.Line)
		proposed[at] = true
		for _, p := range c.Also {
			proposed[fmt.Sprintf("%s:%d", p.File, p.Line)] = true
		}
		r.Candidates = append(r.Candidates, candidate{
			ID: c.ID, Generator: c.Generator, Place: at, Hot: hot[at] > 0, Message: c.Change.Message, Share: c.Share,
			Outcome: untried,
		})
	}
	r.Hot, r.Silent = len(hot), []silent{}
	for at, share := range hot {
		kind := kindAt(f.Diagnoses, at)
		if kind != "" {
			r.Diagnosed++
		}
		switch {
		case rewritten[at]:
			r.Rewritten++
		case proposed[at]:
			r.Proposed++
		default:
			r.Silent = append(r.Silent, silent{at, share, kind})
		}
	}
	slices.SortFunc(r.Silent, func(a, b silent) int { return strings.Compare(a.Place, b.Place) })
	slices.SortStableFunc(r.Silent, func(a, b silent) int {
		if a.Share > b.Share {
			return -1
		}
		if a.Share < b.Share {
			return 1
		}
		return 0
	})
}

// kindAt returns the kind of cost of a line, file:line, in its first diagnosis; "" if it has none.
func kindAt(lines []diagnosis.Line, at string) diagnosis.Kind {
	for i := range lines {
		if l := &lines[i]; fmt.Sprintf("%s:%d", l.File, l.Line) == at && len(l.Costs) > 0 {
			return l.Costs[0].Kind
		}
	}
	return ""
}

// tried adds the output of whet fix.
func (r *reach) tried(f *fix.Result) {
	for i := range f.Attempts {
		a := &f.Attempts[i]
		if a.Measured != nil && a.Measured.AB != nil && r.Machine == "" {
			r.Machine = machine(a.Measured.AB.Machine)
		}
		at := slices.IndexFunc(r.Candidates, func(c candidate) bool { return c.ID == a.Finding.ID })
		if at < 0 || a.Finding.Tier != find.Proposed {
			continue
		}
		x := finding{Outcome: untried}
		x.tried(a)
		c := &r.Candidates[at]
		c.Outcome = x.Outcome
		c.Reason, _, _ = strings.Cut(strings.TrimSpace(x.Reason), "\n")
		if gain := bestGain(x.Units); x.Outcome == kept && gain != "" {
			c.Reason = gain
		}
	}
}

// reached measures the reach of candidates on a module.
func (s *session) reached(ctx context.Context, m module, budget time.Duration) (*reach, error) {
	began := time.Now()
	say := func(what string) { _, _ = fmt.Fprintf(s.log, "%s: %s\n", m.name, what) }
	dir, rec := filepath.Join(s.work, m.name), filepath.Join(s.work, m.name+".whet")
	say("copy " + m.path + " " + m.version)
	if err := modproxy.Copy(ctx, m.path, m.version, dir); err != nil {
		return nil, err
	}
	if err := modproxy.Fetch(ctx, dir); err != nil {
		return nil, err
	}
	say("record " + strings.Join(m.packages, " "))
	if err := s.record(ctx, m, dir, rec); err != nil {
		return nil, err
	}
	say("find")
	out, err := modproxy.Output(ctx, dir, s.whet, "find", "--json", "--min-share", minShare, rec)
	if err != nil {
		return nil, err
	}
	var looked find.Result
	if err := json.Unmarshal(out, &looked); err != nil {
		return nil, fmt.Errorf("read what whet find wrote: %w", err)
	}
	r := &reach{Name: m.name, Version: m.version, Budget: budget}
	if r.looked(&looked); len(r.Candidates) > 0 {
		say(fmt.Sprintf("fix: %d candidates", len(r.Candidates)))
		limited, cancel := context.WithTimeout(ctx, baseTime+2*budget)
		defer cancel()
		out, err := modproxy.Output(limited, dir, s.whet, "fix", "--settings=false", "--json", "--review=false",
			"--min-share", minShare, "--precision", fmt.Sprintf("%g%%", 100*precision), "--fuzz-time", fuzzTime,
			"--max-time", "10s", "--budget", budget.String(), rec)
		if err != nil && len(out) == 0 {
			return nil, err
		}
		var result fix.Result
		if err := json.Unmarshal(out, &result); err != nil {
			return nil, fmt.Errorf("read what whet fix wrote: %w", err)
		}
		r.tried(&result)
	}
	r.Elapsed = time.Since(began).Round(time.Second)
	say(fmt.Sprintf("%d hot lines, %d with a candidate, in %v", r.Hot, r.Proposed, r.Elapsed))
	return r, ctx.Err()
}

// measureReach measures the modules, and writes docs/measured/reach.md. Modules that were seen keep the results of
// their first look.
func (s *session) measureReach(ctx context.Context, dir string, budget time.Duration) error {
	all, err := readReaches(dir)
	if err != nil {
		return err
	}
	for _, m := range reachModules() {
		if m.seen && slices.ContainsFunc(all.Modules, func(x reach) bool { return x.Name == m.name }) {
			_, _ = fmt.Fprintf(s.log, "%s: has the results of the first look\n", m.name)
			continue
		}
		r, err := s.reached(ctx, m.module, budget)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		all.Modules = slices.DeleteFunc(all.Modules, func(x reach) bool { return x.Name == r.Name })
		all.Modules = append(all.Modules, *r)
		if err := writeReaches(dir, all); err != nil {
			return err
		}
	}
	return nil
}

func reachFile(dir string) string { return filepath.Join(dir, "precision", "reach.json") }

// readReaches returns the stored reaches; empty ones if there are none.
func readReaches(dir string) (*reaches, error) {
	data, err := os.ReadFile(reachFile(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return &reaches{Schema: reachSchema}, nil
	}
	if err != nil {
		return nil, err
	}
	var r reaches
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("read results %q: %w", reachFile(dir), err)
	}
	if r.Schema != reachSchema {
		return nil, fmt.Errorf("read results %q: schema %q (want %q): remove it and measure again (make reach)",
			reachFile(dir), r.Schema, reachSchema)
	}
	return &r, nil
}

// writeReaches stores reaches and the page.
func writeReaches(dir string, r *reaches) error {
	text, err := reachPage(r)
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(reachFile(dir)), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(reachFile(dir), append(data, '\n'), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "reach.md"), text, 0o644)
}

// reachPage renders docs/measured/reach.md.
func reachPage(r *reaches) ([]byte, error) {
	t, err := template.New("reach").Option("missingkey=error").Funcs(template.FuncMap{
		"lines": r.lines, "candidates": r.candidates, "silent": r.silent, "measured": r.measured,
	}).Parse(reachText)
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	if err := t.Execute(&out, nil); err != nil {
		return nil, err
	}
	return []byte(layout.WrapMarkdown(out.String(), 100)), nil
}

// lines counts hot lines by module, those that are held back first.
func (r *reaches) lines() string {
	rows := [][]string{{
		"module", "what it is", "hot lines", "with a diagnosis", "with a rewrite", "with a candidate", "with neither",
		"candidates tried", "kept",
	}}
	for _, seen := range []bool{false, true} {
		name := "**held back**"
		if seen {
			name = "**seen before**"
		}
		var sum reach
		tried, proven := 0, 0
		for _, h := range reachModules() {
			at := slices.IndexFunc(r.Modules, func(m reach) bool { return m.Name == h.name })
			if at < 0 || h.seen != seen {
				continue
			}
			m := &r.Modules[at]
			n, k := 0, 0
			for _, c := range m.Candidates {
				if c.Outcome != untried {
					n++
				}
				if c.Outcome == kept {
					k++
				}
			}
			sum.Hot, sum.Diagnosed, sum.Rewritten = sum.Hot+m.Hot, sum.Diagnosed+m.Diagnosed, sum.Rewritten+m.Rewritten
			sum.Proposed, tried, proven = sum.Proposed+m.Proposed, tried+n, proven+k
			rows = append(rows, reachRow(m.Name+" "+m.Version, h.about, m, n, k))
		}
		if sum.Hot > 0 {
			rows = append(rows, reachRow(name, "", &sum, tried, proven))
		}
	}
	return table(rows)
}

func reachRow(name, about string, m *reach, tried, proven int) []string {
	row := []string{name, about, fmt.Sprint(m.Hot)}
	for _, n := range []int{m.Diagnosed, m.Rewritten, m.Proposed, m.Hot - m.Rewritten - m.Proposed} {
		row = append(row, fmt.Sprintf("%d (%s)", n, percent(n, m.Hot)))
	}
	return append(row, fmt.Sprint(tried), fmt.Sprint(proven))
}

// candidates lists the candidates, by module.
func (r *reaches) candidates() string {
	rows := [][]string{{"module", "place", "generator", "candidate", "at most", "outcome", "reason"}}
	for i := range r.Modules {
		for _, c := range r.Modules[i].Candidates {
			rows = append(rows, []string{
				r.Modules[i].Name, code(c.Place), code(c.Generator), c.Message, share(c.Share), string(c.Outcome), c.Reason,
			})
		}
	}
	if len(rows) == 1 {
		return "None.\n"
	}
	return table(rows)
}

// silent lists hot lines with neither a rewrite nor a candidate.
func (r *reaches) silent() string {
	rows := [][]string{{"module", "place", "share", "kind of cost"}}
	for i := range r.Modules {
		for _, x := range r.Modules[i].Silent {
			rows = append(rows, []string{r.Modules[i].Name, code(x.Place), share(x.Share), string(x.Kind)})
		}
	}
	if len(rows) == 1 {
		return "None.\n"
	}
	return table(rows)
}

// measured describes the machine and the time taken.
func (r *reaches) measured() string {
	var times, machines []string
	for i := range r.Modules {
		m := &r.Modules[i]
		times = append(times, fmt.Sprintf("%v for %s (at most %v for candidates)", m.Elapsed, m.Name, m.Budget))
		if m.Machine != "" && !slices.Contains(machines, m.Machine) {
			machines = append(machines, m.Machine)
		}
	}
	if len(times) == 0 {
		return "Not measured yet.\n"
	}
	text := "Measured in " + strings.Join(times, ", ")
	if len(machines) > 0 {
		text += ", on " + strings.Join(machines, "; ")
	}
	return text + ".\n"
}
