package findings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/notes"
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/report/blocks"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/profiles"
	"github.com/whet-go/whet/unit"
)

// findLines is the number of unexplained hot lines in text; JSON has all.
const findLines = 10

// Find returns the report of findings with their diffs, the one that can save most first.
func Find(r *find.Result) *blocks.Document {
	d := &blocks.Document{Title: blocks.Text{
		blocks.Plain(foundText(r)), blocks.Dim(" in "), blocks.Name(r.Module),
	}}
	if totals := findTotals(r); totals != "" {
		d.Blocks = append(d.Blocks, blocks.Prose{blocks.Plain(totals + ".")})
	}
	groups := alike(r.Findings)
	for i, g := range groups {
		d.Blocks = append(d.Blocks, findingSection(i+1, g, r.PerRequest, groupNumbers(groups)))
	}
	d.Blocks = append(d.Blocks, adviceSections(r.Advice)...)
	d.Blocks = append(d.Blocks, candidateSection(r.Candidates, proveCandidates)...)
	d.Blocks = append(d.Blocks, dependencySection(r.Dependencies)...)
	d.Blocks = append(d.Blocks, upstreamSections(r.Upstream)...)
	tests, hot := []find.HotLine{}, []find.HotLine{}
	for _, h := range r.Unexplained {
		if strings.HasSuffix(h.File, "_test.go") {
			tests = append(tests, h)
		} else {
			hot = append(hot, h)
		}
	}
	saving := func(h *find.HotLine) string { return layout.SharePercent(h.Saving) }
	d.Add("hot", "Hot lines without a finding", hotLines(r, hot, saving))
	d.Add("tests", "Hot lines of tests and benchmarks", hotLines(r, tests, saving))
	if len(r.Waiting) > 0 {
		d.Add("waiting", waitingHead, blocks.Note{blocks.Plain(upperFirst(waitingNote) + ".")},
			hotLines(r, r.Waiting, func(h *find.HotLine) string {
				if len(h.Waits) == 0 {
					return ""
				}
				return layout.SharePercent(waitedShare(h.Waits))
			}))
	}
	if a := r.Against; a != nil {
		d.Blocks = append(d.Blocks, againstSection(a))
	}
	stale := blocks.Entries{Most: findLines}
	for _, x := range r.Stale {
		stale.List = append(stale.List, blocks.Entry{
			Share: layout.SharePercent(x.Share), Location: blocks.Location{Where: layout.ShortName(x.Function)}, Text: x.Reason,
		})
	}
	d.Add("stale", "Changed since the recording: these functions are skipped", stale)
	return d
}

// findingSection describes a finding: where, what it can save, why, and the rewrite.
func findingSection(
	n int, g *group, request time.Duration, number func(id string) string,
) blocks.Section {
	f, title := &g.Finding, g.Title
	if len(g.members) > 1 {
		title += fmt.Sprintf(" (%d places)", len(g.members))
	}
	s := blocks.Section{
		ID: fmt.Sprintf("f%d", n), Kind: f.Rule, Title: blocks.Text{blocks.Plain(fmt.Sprintf("%d. %s", n, title))},
		Blocks: []blocks.Block{
			placeOf(f),
			blocks.Bar{Share: f.Saving, Label: "saves at most " + layout.SharePercent(f.Saving) + " of the CPU time"},
		},
	}
	s.Badges.If(f.Known, "known")
	s.Badges.If(f.Needs != rules.Free, "%s", strings.Trim(needText(f.Needs), " ()"))
	facts := blocks.List{{
		blocks.Plain("saves at most "), blocks.Strong(layout.SharePercent(f.Saving)), blocks.Plain(savedFrom(f)),
	}}
	if f.PerRequest > 0 {
		facts = append(facts, blocks.Text{
			blocks.Plain("CPU time per request: " + unit.Duration(f.PerRequest) + " of " + unit.Duration(request)),
		})
	}
	add := func(lead, text string) {
		if text != "" {
			facts = append(facts, blocks.Text{blocks.Plain(lead + text)})
		}
	}
	add("", sharedText(f, number))
	add("calls ", calleesText(f.Evidence))
	add("", lineWaitsText(f.Waits))
	switch {
	case len(g.members) > 1:
		facts = append(facts, g.places()...)
	default:
		add("why: ", f.Why)
	}
	if len(g.members) == 1 && len(f.Places) > 1 {
		facts = append(facts, alsoAt(f.Places[1:]))
	}
	for _, x := range f.Notes[:min(len(f.Notes), findNotes)] {
		add("", compilerNote(x))
	}
	fold := blocks.Section{Fold: true, Title: blocks.Text{blocks.Plain("Why it is safe")}}
	var rewrite []blocks.Block
	switch {
	case f.Fix != nil && f.Fix.Setting != nil:
		facts = append(facts, blocks.Text{
			blocks.Plain("setting: " + f.Fix.Message + " (caveats: "),
			blocks.Command("whet rules " + f.Rule), blocks.Plain(")"),
		})
		fold.Title = blocks.Text{blocks.Plain("Caveats")}
	case f.Fix != nil:
		add("fix: ", f.Fix.Message)
		rewrite = append(rewrite, blocks.Diff(f.Fix.Diff))
	default:
		if len(f.Places) > 0 && f.Places[0].Code != "" {
			rewrite = append(rewrite, blocks.Code(f.Places[0].Code))
		}
		if f.NoFix != "" {
			rewrite = append(rewrite, blocks.Note{blocks.Plain("no rewrite: " + f.NoFix)})
		}
	}
	s.Blocks = append(s.Blocks, blocks.Pair{First: []blocks.Block{facts}, Second: rewrite})
	if f.Safe != "" {
		fold.Blocks = append(fold.Blocks, blocks.Prose{blocks.Plain(strings.ReplaceAll(f.Safe, "\n", " "))})
	}
	if len(f.Notes) > findNotes {
		fold.Title = append(fold.Title, blocks.Plain(", and more compiler notes"))
		var more []string
		for _, x := range f.Notes[findNotes:] {
			more = append(more, compilerNote(x))
		}
		fold.Blocks = append(fold.Blocks, blocks.Items(more...))
	}
	if len(fold.Blocks) > 0 {
		s.Blocks = append(s.Blocks, fold)
	}
	return s
}

// placeOf describes where a finding is.
func placeOf(f *find.Finding) blocks.Block {
	if len(f.Places) == 0 {
		return blocks.Prose{blocks.Plain(f.Where())}
	}
	return blocks.Location{Where: f.Where(), Function: f.Function}
}

// alsoAt lists more places of a finding.
func alsoAt(places []find.Place) blocks.Text {
	var text blocks.Text
	lead := "also at "
	for _, p := range places {
		text = append(text, blocks.Plain(lead), blocks.Name(fmt.Sprintf("%s:%d", p.File, p.Line)))
		lead = ", "
	}
	return text
}

// againstSection describes how findings compare with a baseline.
func againstSection(a *find.BaselineComparison) blocks.Section {
	s := blocks.Section{ID: "against", Title: blocks.Text{
		blocks.Plain("Compared with the baseline "), blocks.Name(a.Baseline),
		blocks.Plain(fmt.Sprintf(": %d new, %d known", a.New, a.Known)),
	}}
	if len(a.Stale) > 0 {
		var stale blocks.List
		for _, id := range a.Stale {
			stale = append(stale, blocks.Text{blocks.Name(id.String())})
		}
		s.Blocks = []blocks.Block{
			blocks.Prose{blocks.Plain("No longer found (changed, or not hot in this recording):")}, stale,
		}
	}
	return s
}

// hotLines lists lines with the share that is in front of each.
func hotLines(r *find.Result, lines []find.HotLine, share func(*find.HotLine) string) blocks.Entries {
	entries := blocks.Entries{Most: findLines}
	for i := range lines {
		h := &lines[i]
		entries.List = append(entries.List, blocks.Entry{
			Share: share(h), Location: blocks.Location{Where: fmt.Sprintf("%s:%d", h.File, h.Line)}, Code: h.Code,
			Text: joined(hotLineText(h, diagnosis.On(r.Diagnoses, h.File, h.Line)), candidateAt(r, h.File, h.Line)),
		})
	}
	return entries
}

// joined joins facts that are not empty.
func joined(facts ...string) string {
	return strings.Join(slices.DeleteFunc(facts, func(s string) bool { return s == "" }), " · ")
}

// findTotals describes the totals of the profiles.
func findTotals(r *find.Result) string {
	var parts layout.Facts
	for _, x := range r.Totals {
		parts.Add("%s %s, %s from own code", costName(x.Cost), totalText(x), unit.Percent(x.Own, x.Value))
	}
	gc := documents.Collector{Share: r.GC, InProgram: r.GC - r.GCBackground}
	parts.If(r.GC > 0, "%s", profiles.CollectorText(gc))
	if q := r.Requests; q != nil {
		text := layout.Plural(q.Count, "request", "requests") + " in the trace, " + unit.Duration(q.Time) + " together"
		if waits := waitsText(q.Waits, false); waits != "" {
			text += ", waiting " + waits
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// waitText describes the cause of a wait, for use after "waiting".
func waitText(cause string) string {
	return cmp.Or(map[string]string{
		"lock": "for a lock", "channel": "for a channel", "downstream": "for another server",
		"network": "for the network", "runnable": "for a CPU", "waiting for GC": "for the garbage collector",
		"GC assist": "while they help the garbage collector", "sleep": "asleep", "syscall": "in system calls",
	}[cause], "for something else")
}

// waitsText describes what requests wait for and, with ended, where the wait ended.
func waitsText(waits []find.Wait, ended bool) string {
	var parts []string
	for _, w := range waits {
		text := waitText(w.Cause) + " " + layout.SharePercent(w.Share)
		if ended && len(w.Ended) > 0 {
			var at []string
			for _, e := range w.Ended {
				at = append(at, e.Where()+" ("+layout.ShortName(e.Function)+")")
			}
			did := ", ended at "
			if w.Cause == "lock" {
				did = ", released at "
			}
			text += did + strings.Join(at, ", ")
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// lineWaitsText describes how long requests wait at a line, and for what; "" if they do not.
func lineWaitsText(waits []find.Wait) string {
	if len(waits) == 0 {
		return ""
	}
	share := layout.SharePercent(waitedShare(waits))
	if len(waits) == 1 { // whose share is that of all
		return "requests wait here for " + share + " of their time, " +
			strings.Replace(waitsText(waits, true), " "+share, "", 1)
	}
	return "requests wait here for " + share + " of their time: " + waitsText(waits, true)
}

// waitedShare returns the share of their time that requests wait.
func waitedShare(waits []find.Wait) float64 {
	sum := 0.0
	for _, w := range waits {
		sum += w.Share
	}
	return sum
}

// hotLineText describes a line that no rule explains; without d, it has no diagnosis.
func hotLineText(h *find.HotLine, d *diagnosis.Line) string {
	var parts layout.Facts
	parts.If(len(h.Waits) > 0, "%s", lineWaitsText(h.Waits))
	parts.If(len(h.Evidence) > 0, "%s", evidenceText(h.Evidence))
	calls := calleesText(h.Evidence)
	parts.If(calls != "", "calls %s", calls)
	parts.If(h.Why != "", "not analyzed: %s", h.Why)
	parts.If(d != nil, "%s", diagnosisText(d))
	return strings.Join(parts, " · ")
}

// diagnosisText describes what kind of cost a line has: one sentence for each profile, and once why
// there is or is no rewrite. "" without a diagnosis.
func diagnosisText(d *diagnosis.Line) string {
	if d == nil {
		return ""
	}
	var parts []string
	said := map[string]bool{}
	for i := range d.Costs {
		one := &d.Costs[i]
		text := costName(find.Cost(one.Cost)) + " is " + string(one.Kind)
		for j, also := range one.Also {
			lead := ", "
			if j == 0 {
				text += " " + layout.SharePercent(one.Share)
			}
			text += lead + string(also.Kind) + " " + layout.SharePercent(also.Share)
		}
		for _, more := range []string{one.Text, one.Why} {
			if more != "" && !said[more] {
				text += ": " + more
				said[more] = true
			}
		}
		if !d.Test {
			text += "; a change saves at most " + layout.SharePercent(one.Saves)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " · ")
}

// waitingNote explains the shares of lines that wait.
const (
	waitingHead = "Lines that wait"
	waitingNote = "they use hardly any CPU time, and no rewrite is offered. For requests, the share is of all their " +
		"time; mutex and block profiles count all goroutines, including those that wait for work"
)

// totalText formats the total of a profile. Numbers of objects are large, and are rounded.
func totalText(x find.Total) string {
	if x.Unit == "count" {
		return unit.Count(x.Value).Short()
	}
	return unit.Of(x.Value, x.Unit).String()
}

func costName(c find.Cost) string {
	return cmp.Or(map[find.Cost]string{
		find.CPU: "CPU", find.AllocSpace: "allocated", find.AllocObjects: "objects", find.Mutex: "waiting for mutexes",
		find.Block: "blocked",
	}[c], string(c))
}

// evidenceText describes what profiles charge, in one line.
func evidenceText(evidence []find.Evidence) string {
	var parts []string
	for _, e := range evidence {
		parts = append(parts, costName(e.Cost)+" "+layout.SharePercent(e.Share))
	}
	return strings.Join(parts, " · ")
}

// calleesText lists what a line called, with shares of the first profile that has some.
func calleesText(evidence []find.Evidence) string {
	for _, e := range evidence {
		if len(e.Callees) == 0 {
			continue
		}
		var parts []string
		for _, c := range e.Callees {
			parts = append(parts, layout.ShortName(c.Function)+" "+layout.SharePercent(c.Share))
		}
		return strings.Join(parts, ", ")
	}
	return ""
}

// savingText describes what a finding can save, and of what.
func savingText(f *find.Finding) string { return layout.SharePercent(f.Saving) + savedFrom(f) }

// savedFrom describes what a finding can save a share of.
func savedFrom(f *find.Finding) string {
	text := " of the CPU time"
	if len(f.Evidence) > 0 {
		text += ": " + evidenceText(f.Evidence)
	}
	return text
}

// sharedText describes the samples of a finding that count for others too; "" if there are none.
// number maps an id to a finding's number.
func sharedText(f *find.Finding, number func(id string) string) string {
	if len(f.Shared) == 0 {
		return ""
	}
	var parts []string
	for _, x := range f.Shared {
		with := "findings about lines"
		if x.With != "" {
			with = number(x.With)
		}
		parts = append(parts, evidenceText(x.Evidence)+" (counted in "+with+")")
	}
	text := layout.Facts{"the same samples as others: " + strings.Join(parts, "; ")}
	text.If(f.Alone > f.Saving, "; as the only fix it saves at most %s", layout.SharePercent(f.Alone))
	return text.String()
}

// groupNumbers returns a function that maps ids of findings to the numbers of their groups.
func groupNumbers(groups []*group) func(id string) string {
	return func(id string) string {
		for i, g := range groups {
			if slices.ContainsFunc(g.members, func(f *find.Finding) bool { return f.ID == id }) {
				return fmt.Sprintf("finding %d", i+1)
			}
		}
		return id
	}
}

// findingNumbers returns a function that maps ids to numbers in a result.
func findingNumbers(r *find.Result) func(id string) string {
	return func(id string) string {
		i := slices.IndexFunc(r.Findings, func(f find.Finding) bool { return f.ID == id })
		if i < 0 {
			return id
		}
		return fmt.Sprintf("finding %d", i+1)
	}
}

func needText(n rules.Need) string {
	if n == rules.Free {
		return ""
	}
	if n == rules.Review {
		return " (needs review)"
	}
	return " (needs a " + string(n) + ")"
}

// findNotes is the number of compiler notes shown with a line.
const findNotes = 3

// compilerNote describes a compiler note with its line.
func compilerNote(n notes.Note) string {
	return fmt.Sprintf("compiler, line %d: %s", n.Line, noteText(n))
}

// noteText describes the compiler's kind and message.
func noteText(n notes.Note) string {
	switch n.Kind {
	case "escape", "escapes":
		return n.Message
	case "isInBounds", "isSliceInBounds":
		return "a bounds check is not eliminated"
	case "cannotInlineFunction":
		return "the function is not inlined: " + n.Message
	case "cannotInlineCall":
		return "the call is not inlined: " + n.Message
	case "canInlineFunction":
		return "the function can be inlined, " + n.Message
	case "nilcheck":
		return "a nil check is not eliminated"
	}
	return n.Kind + ": " + n.Message
}

// upperFirst capitalizes a text that starts with an ASCII letter.
func upperFirst(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func lowerFirst(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToLower(s[:1]) + s[1:]
}
