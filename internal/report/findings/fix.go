package findings

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/whet-go/whet/bench"
	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/report/benchmarks"
	"github.com/whet-go/whet/internal/report/blocks"
	"github.com/whet-go/whet/internal/report/layout"
)

// Fix returns the report of the outcome of findings: the original against all kept rewrites, the
// kept ones with their proofs, the dropped ones with the reasons, settings, and what was not tried.
func Fix(r *fix.Result) *blocks.Document {
	d := &blocks.Document{Title: blocks.Text{
		blocks.Plain(fixHeadline(r)), blocks.Dim(" in "), blocks.Name(r.Module),
	}}
	for _, note := range fixNotes(r) {
		d.Blocks = append(d.Blocks, blocks.Prose{blocks.Plain(note)})
	}
	// What users see comes first.
	const against = "The original against everything kept"
	d.Add("", against+", as a service under load", measuredBlocks(r.Service, true)...)
	d.Add("", against, measuredBlocks(r.Total, true)...)
	d.Add("", against+", with the settings below", measuredBlocks(r.WithSettings, true)...)
	add := func(id, kind, title string, list []blocks.Block) {
		d.AddSection(blocks.Section{ID: id, Kind: kind, Title: blocks.Text{blocks.Plain(title)}, Blocks: list})
	}
	for i, a := range r.Kept() {
		title := "Kept: " + a.Finding.Title
		if a.Finding.Tier == find.Proposed {
			title = "Kept candidate: " + a.Finding.Title
		}
		add(fmt.Sprintf("k%d", i+1), "kept", title, keptBlocks(a))
	}
	var needing blocks.Entries
	dropped := 0
	for i := range r.Attempts {
		switch a := &r.Attempts[i]; {
		case a.Kept():
		case a.Stage == fix.StageNeeds:
			needing.List = append(needing.List, blocks.Entry{
				Location: blocks.Location{Where: a.Finding.Where(), Function: a.Finding.Function},
				Text:     a.Finding.Title + ": " + a.Reason,
			})
		default:
			title, kind := "Dropped: ", "dropped"
			switch {
			case a.Stage == fix.StageUnproven:
				title, kind = "Unproven: ", "unproven"
			case a.Outcome != "":
				title = "Dropped candidate, " + string(a.Outcome) + ": "
			}
			dropped++
			add(fmt.Sprintf("d%d", dropped), kind, title+a.Finding.Title, droppedBlocks(a))
		}
	}
	for i := range r.Settings {
		a := &r.Settings[i]
		add(fmt.Sprintf("s%d", i+1), "settings", settingVerdict(a), settingBlocks(a))
	}
	d.Add("needs", "Not tried: needs a manual step", needing)
	untried := blocks.Entries{Most: maxUntried}
	for i := range r.Untried {
		untried.List = append(untried.List, untriedEntry(&r.Untried[i]))
	}
	d.Add("untried", "Without a rewrite", untried)
	d.Blocks = append(d.Blocks, upstreamFixes(r.Upstream)...)
	return d
}

// keptBlocks describe a kept rewrite and its proof.
func keptBlocks(a *fix.Attempt) []blocks.Block {
	proved := []blocks.Block{append(whyItems(a), proof(a)...)}
	return []blocks.Block{placeOf(&a.Finding), blocks.Pair{
		First: append(proved, measuredBlocks(a.Measured, false)...), Second: []blocks.Block{blocks.Diff(a.Diff)},
	}}
}

// whyItems describe why a rewrite may be faster, and what one assumes that was only proposed.
func whyItems(a *fix.Attempt) blocks.List {
	items := blocks.Items("why: " + a.Finding.Why)
	if a.Finding.Tier == find.Proposed && a.Finding.Safe != "" {
		items = append(items, blocks.Items(lowerFirst(strings.TrimSuffix(a.Finding.Safe, ".")))...)
	}
	return items
}

// droppedBlocks describe why a rewrite was dropped.
func droppedBlocks(a *fix.Attempt) []blocks.Block {
	list := append([]blocks.Block{placeOf(&a.Finding)}, reasonBlocks(a)...)
	if a.Diff != "" {
		list = append(list, blocks.Section{
			Fold: true, Title: blocks.Text{blocks.Plain("The rewrite")},
			Blocks: []blocks.Block{whyItems(a), blocks.Diff(a.Diff)},
		})
	}
	return list
}

// reasonBlocks describe where an attempt was dropped, and why.
func reasonBlocks(a *fix.Attempt) []blocks.Block {
	list := []blocks.Block{
		blocks.Prose{blocks.Plain("dropped at "), blocks.Strong(a.Stage), blocks.Plain(":")},
		blocks.Output(a.Reason),
	}
	if a.Hint != "" {
		list = append(list, blocks.Note{blocks.Plain("hint: " + a.Hint)})
	}
	facts := append(ignoredText("slower: ", a.IgnoredLosses), answersText(a.Answers)...)
	list = append(list, blocks.PrintedItems(facts...))
	return append(list, measuredBlocks(a.Measured, false)...)
}

// ignoredText lists losses that do not count.
func ignoredText(lead string, losses []string) []string {
	lines := slices.Clone(losses)
	for i := range lines {
		lines[i] = lead + lines[i]
	}
	return lines
}

// settingVerdict describes the outcome of a setting.
func settingVerdict(a *fix.Attempt) string {
	set := a.Finding.Fix.Setting
	if !a.Kept() {
		return "Setting not proven: " + set.String()
	}
	var how layout.Facts
	how.If(len(set.Build) > 0, "build with %s", strings.Join(set.Build, " "))
	how.If(len(set.Run) > 0, "run with %s", strings.Join(set.Run, " "))
	return "Proven setting: " + strings.Join(how, ", ")
}

// settingBlocks describe a setting of build or run and its outcome.
func settingBlocks(a *fix.Attempt) []blocks.Block {
	facts := blocks.Items("for: "+a.Finding.Title+" ("+a.Finding.Where()+"), saves at most "+savingText(&a.Finding),
		"why: "+a.Finding.Why)
	if !a.Kept() {
		return append([]blocks.Block{facts}, reasonBlocks(a)...)
	}
	facts = append(facts, blocks.Text{
		blocks.Plain("caveats: "), blocks.Command("whet rules " + a.Finding.Rule),
		blocks.Plain(". Nothing was changed: set it yourself"),
	})
	facts = append(facts, blocks.PrintedItems(answersText(a.Answers)...)...)
	return append([]blocks.Block{facts}, measuredBlocks(a.Measured, false)...)
}

// maxUntried is the number of lines without a rewrite that a terminal lists.
const maxUntried = 20

// fixHeadline describes how many rewrites were kept, in how many rounds.
func fixHeadline(r *fix.Result) string {
	var kept, all [2]int // of rules, and candidates
	for i := range r.Attempts {
		of := 0
		if r.Attempts[i].Finding.Tier == find.Proposed {
			of = 1
		}
		all[of]++
		if r.Attempts[i].Kept() {
			kept[of]++
		}
	}
	line := fmt.Sprintf("%d of %s kept", kept[0], layout.Plural(all[0], "rewrite", "rewrites"))
	if all[1] > 0 {
		line += fmt.Sprintf(", %d of %s", kept[1], layout.Plural(all[1], "candidate", "candidates"))
	}
	if r.Rounds > 1 {
		line += fmt.Sprintf(" in %d passes", r.Rounds)
	}
	return line
}

// fixNotes returns what to know before the figures.
func fixNotes(r *fix.Result) []string {
	var notes layout.Facts
	notes.If(r.Interrupted, "Interrupted: not everything was tried, and the original was not compared with the result.")
	notes.If(r.Sandboxed, "All code of the module ran in the sandbox.")
	notes.If(len(r.Failing) > 0, "Tests that already failed, and were ignored: %s.", strings.Join(r.Failing, ", "))
	notes.If(len(r.Flaky) > 0, "Flaky tests, which were ignored: %s.", strings.Join(r.Flaky, ", "))
	for _, b := range r.Broken {
		reason, _, _ := strings.Cut(b.Reason, "\n")
		notes = append(notes, "Does not build, and was skipped: "+b.Package+" ("+reason+").")
	}
	return notes
}

// proof lists the cost without a kept rewrite, and its proof.
func proof(a *fix.Attempt) blocks.List {
	var facts layout.Facts
	facts.If(len(a.Finding.Evidence) > 0, "saves at most %s", savingText(&a.Finding))
	facts.If(len(a.Finding.Waits) > 0, "%s", lineWaitsText(a.Finding.Waits))
	facts.If(a.Round > 1, "found in pass %d, in code that earlier rewrites changed", a.Round)
	facts.If(a.Together > 0, "kept together with %s: alone, each gain is too small to measure",
		layout.Plural(a.Together, "other", "others"))
	facts.If(a.Tested > 0 || a.Answers != nil, "%s", testsText(a.Tested, a.Ignored, ""))
	facts = append(facts, answersText(a.Answers)...)
	facts.If(a.Unproven != "", "unproven, needs review: %s", a.Unproven)
	facts = append(facts, measuringText(a.Measured, "the line", a.Open)...)
	facts = append(facts, predictedText(a.Predicted)...)
	return blocks.Items(append(facts, ignoredText("slower: ", a.IgnoredLosses)...)...)
}

// testsText describes which tests passed, and how.
func testsText(tested, ignored int, how string) string {
	var text layout.Facts
	text.Add("builds; vet reports nothing new")
	if tested == 0 {
		return text.String() + "; no package that the change affects has tests"
	}
	text.Add("; the tests of %s pass", layout.Plural(tested, "package", "packages"))
	text = append(text, how)
	text.If(ignored > 0, ", except for %d that already failed or are flaky", ignored)
	return text.String()
}

// measuringText describes a generated benchmark, of the line or the change, and the figures that noise
// leaves open.
func measuringText(m *fix.Measured, of string, open []string) []string {
	var facts layout.Facts
	if m != nil && m.Written != "" {
		facts.Add("no benchmark of the module runs %s: measured by a generated one, with %s inputs", of, inputsOf(m))
		facts = append(facts, m.Paths...)
	}
	facts.If(len(open) > 0, "undecided because of noise: %s", strings.Join(open, "; "))
	return facts
}

// inputsOf returns what the inputs of a generated benchmark are: captured, if those of the program are among them.
func inputsOf(m *fix.Measured) string {
	for _, inputs := range m.Generated() {
		if strings.Contains(inputs, "captured inputs") {
			return "captured"
		}
	}
	return "generated"
}

// answersText describes on how many inputs two builds returned the same results, and what was not
// compared.
func answersText(a *fix.Answers) []string {
	if a == nil {
		return nil
	}
	var facts, text layout.Facts
	text.Add("before and after, %s returned the same results for %d inputs",
		strings.Join(a.Functions, ", "), a.Inputs)
	text.If(a.Distinct > 0, ", with %d distinct answers", a.Distinct)
	text.If(a.ErrorTexts > 0, ", except for the texts of errors for %d of them", a.ErrorTexts)
	facts.If(len(a.Functions) > 0, "%s", text)
	facts.If(a.Blocks > 0, "inputs ran %d of %s on changed lines", a.Reached, layout.Plural(a.Blocks, "block", "blocks"))
	for _, separate := range a.Separate {
		facts = append(facts, "compared in two processes, without guidance by coverage: "+separate)
	}
	for _, not := range a.NotCompared {
		facts = append(facts, "not compared: "+not)
	}
	return facts
}

// untriedEntry describes the cost of a line, and why nothing was tried.
func untriedEntry(u *fix.Untried) blocks.Entry {
	e := blocks.Entry{Location: blocks.Location{Where: u.File, Function: u.Function}, Text: u.Reason}
	if u.Line != 0 {
		e.Where = fmt.Sprintf("%s:%d", u.File, u.Line)
	}
	if u.Title != "" {
		e.Text = u.Title + ": " + e.Text
	}
	if u.Waiting != nil {
		e.Text = hotLineText(u.Waiting, nil) + ": " + e.Text
	} else {
		e.Share = layout.SharePercent(u.Share)
	}
	return e
}

// measuredBlocks are a table of the subjects and units that a comparison decided or was for, and
// what could not be measured. With all, it has bytes and allocations as well.
func measuredBlocks(m *fix.Measured, all bool) []blocks.Block {
	if m == nil || m.AB == nil {
		return nil
	}
	table := blocks.Table{
		Table: layout.Table{
			Head:  []string{"benchmark", "unit", "before", "after", "change", "95%", "verdict"},
			Align: "llrrrrl", Least: 12, HeadColor: layout.Dim,
		},
		BarHead: "remaining",
	}
	var notes, varied, shared []string
	for _, s := range m.AB.Subjects {
		if s.VariedLayout {
			varied = append(varied, s.Name)
		}
		if slices.ContainsFunc(s.Units, func(u ab.Unit) bool { return u.Shared }) {
			shared = append(shared, s.Name)
		}
		for i := range s.Units {
			u := &s.Units[i]
			decided := u.Verdict == ab.Better || u.Verdict == ab.Worse
			if i > 0 && !decided && !(all && (u.Unit == "B/op" || u.Unit == "allocs/op")) {
				continue
			}
			row := benchmarks.ABRowOf(s.Name, len(u.Rounds[ab.A]), u)
			half, verdict := row[4], row[7]
			if half != "" {
				half = "±" + half
			}
			if times := timesLess(u); times != "" {
				verdict += ", " + times
			}
			remaining := -1.0
			if ratio := float64(u.Ratio); benchmarks.IsFinite(ratio) && u.Better != bench.Higher {
				remaining = min(1, ratio)
			}
			table.Rows = append(table.Rows, []string{row[0], u.Unit, row[1], row[2], row[3], half, verdict})
			table.Marks = append(table.Marks, benchmarks.VerdictMark(u.Verdict))
			table.Bars = append(table.Bars, remaining)
		}
		if s.Error != "" {
			notes = append(notes, s.Name+": not fully measured: "+s.Error)
		}
	}
	if len(shared) > 0 {
		notes = append(notes, "noisy: CPU time was measured while both versions shared a CPU: "+strings.Join(shared, ", "))
	}
	if len(varied) > 0 {
		notes = append(notes, "slight differences, measured with the program's functions in another order in each pair: "+
			strings.Join(varied, ", "))
	}
	return []blocks.Block{table, blocks.Items(notes...)}
}

// timesLess formats a gain as a factor, "8.4x"; "" if there is none, or hardly any.
func timesLess(u *ab.Unit) string {
	factor := 1 / float64(u.Ratio)
	if u.Better == bench.Higher {
		factor = float64(u.Ratio)
	}
	if u.Verdict != ab.Better || math.IsInf(factor, 0) || math.IsNaN(factor) || factor < 1.1 {
		return ""
	}
	return fmt.Sprintf("%.1fx", factor)
}
