package findings

import (
	"fmt"
	"strings"

	"github.com/whet-go/whet/internal/report/blocks"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/prove"
)

// Prove returns the report of a proof: the outcome and its reason, what is missing, the figures, what
// supports the outcome, and what changed.
func Prove(r *prove.Result) *blocks.Document {
	d := &blocks.Document{Title: blocks.Text{
		blocks.Strong(r.Outcome), blocks.Dim(": "), blocks.Name(r.Module), blocks.Dim(", from "), blocks.Name(r.A),
		blocks.Dim(" to "), blocks.Name(r.B),
	}}
	if strings.Contains(r.Reason, "\n") {
		d.Blocks = append(d.Blocks, blocks.Output(r.Reason))
	} else {
		d.Blocks = append(d.Blocks, blocks.Items("why: "+r.Reason))
	}
	section := func(id, title string, fold bool, list ...blocks.Block) {
		d.Blocks = append(d.Blocks, blocks.Section{ID: id, Title: blocks.Text{blocks.Plain(title)}, Fold: fold, Blocks: list})
	}
	if p := r.Reproducer; p != nil {
		section("reproducer", "How to reproduce it", false, reproducerList(p))
		if p.Source != "" {
			d.Blocks = append(d.Blocks, blocks.Section{
				ID: "test", Title: blocks.Text{blocks.Plain(p.File)}, Fold: true, Brief: true,
				Blocks: []blocks.Block{blocks.Code(p.Source)},
			})
		}
	}
	if len(r.Missing) > 0 {
		section("missing", "What is missing", false, missingList(r))
	}
	if v := r.Verdict; v != nil && v.Measured != nil && v.Measured.AB != nil {
		section("figures", "A against B", false, measuredBlocks(v.Measured, true)...)
	}
	if len(r.SideCosts) > 0 {
		section("costs", "Costs elsewhere", false, costList(r))
	}
	if list := provedList(r); len(list) > 0 {
		section("proof", "What was checked", false, list)
	}
	if v := r.Verdict; v != nil && v.Strength != nil && len(v.Strength.Survivors) > 0 {
		section("survivors", "Errors that nothing noticed", false, survivorBlocks(v.Strength)...)
	}
	if list := unjudgedList(r); len(list) > 0 {
		section("unjudged", "Not judged", false, list)
	}
	section("changed", "What changed", true, changedList(&r.Changed))
	if v := r.Verdict; v != nil && v.Measured != nil && v.Measured.Written != "" {
		section("benchmark", "The benchmark that whet wrote", true, blocks.Code(v.Measured.Written))
	}
	return d
}

// maxInput is the length of a fuzzer's input that is shown.
const maxInput = 256

// reproducerList is the test that shows a difference, or why there is none.
func reproducerList(p *prove.Reproducer) blocks.List {
	if p.NoTest != "" {
		list := blocks.PrintedItems("whet wrote no test: " + p.NoTest)
		if n := len(p.Input); n > 0 && n <= maxInput {
			list = append(list, blocks.Text{blocks.Plain("the fuzzer's input: "), blocks.Plain(fmt.Sprintf("%q", p.Input))})
		}
		return list
	}
	var list blocks.List
	if p.Source != "" {
		list = append(list, blocks.Text{
			blocks.Plain("a test that passes with version A and fails with version B: "), blocks.Strong("--reproducer FILE"),
			blocks.Plain(" writes it, such as to "), blocks.Name(p.File),
		})
	}
	return append(list, blocks.Text{blocks.Plain("run "), blocks.Command(p.Command)})
}

// missingList is what is needed to decide.
func missingList(r *prove.Result) blocks.List {
	var list blocks.List
	for _, m := range r.Missing {
		text := blocks.Printed(m.What)
		if m.Do != "" {
			text = append(text, blocks.Plain(" ("), blocks.Strong(m.Do), blocks.Plain(")"))
		}
		list = append(list, text)
	}
	return list
}

// costList is what the change costs that its benchmarks do not show.
func costList(r *prove.Result) blocks.List {
	var lines []string
	for _, c := range r.SideCosts {
		lines = append(lines, c.String())
	}
	return blocks.Items(lines...)
}

// provedList is how far the proof got, and by what.
func provedList(r *prove.Result) blocks.List {
	v := r.Verdict
	if v == nil {
		return nil
	}
	var lines []string
	if r.Cost != nil {
		lines = append(lines,
			"the recording charges "+layout.SharePercent(r.Cost.Share)+" of the CPU time to the changed lines")
	}
	if v.Tested > 0 {
		line := "builds; vet reports nothing new; the tests of " + layout.Plural(v.Tested, "package", "packages") + " pass"
		if r.TestsOf == "b" {
			line += ", which are those of version B"
		}
		if v.Raced {
			line += ", also with the race detector"
		}
		if v.Ignored > 0 {
			line += fmt.Sprintf(", except for %d that already failed or are flaky", v.Ignored)
		}
		if r.Sandboxed {
			line += "; all code ran in the sandbox"
		}
		lines = append(lines, line)
	}
	lines = append(lines, answersText(v.Answers)...)
	lines = append(lines, configsText(v.Configs)...)
	lines = append(lines, strengthText(v.Strength)...)
	if v.Measured != nil && v.Measured.Written != "" {
		lines = append(lines,
			"no benchmark of the module runs the change: measured by a generated one, with generated inputs")
		lines = append(lines, v.Measured.Paths...)
	}
	if len(v.Open) > 0 {
		lines = append(lines, "undecided because of noise: "+strings.Join(v.Open, "; "))
	}
	for _, loss := range v.IgnoredLosses {
		lines = append(lines, "set aside: "+loss)
	}
	if len(r.Base.Failing) > 0 {
		lines = append(lines, "tests that already failed, and were ignored: "+strings.Join(r.Base.Failing, ", "))
	}
	if len(r.Base.Flaky) > 0 {
		lines = append(lines, "flaky tests, which were ignored: "+strings.Join(r.Base.Flaky, ", "))
	}
	return blocks.PrintedItems(lines...)
}

// configsText is where else the change builds, and where not.
func configsText(builds []prove.ConfigBuild) []string {
	var built, lines []string
	for _, b := range builds {
		if b.Built {
			built = append(built, b.Config)
		} else {
			lines = append(lines, "not built for "+b.Config+": "+b.NotBuilt)
		}
	}
	if len(built) > 0 {
		lines = append([]string{"builds, and vet reports nothing new, for " + strings.Join(built, ", ")}, lines...)
	}
	return lines
}

// strengthText is how many mutants were noticed, and what was not mutated.
func strengthText(s *prove.Strength) []string {
	if s == nil {
		return nil
	}
	var lines []string
	if s.Mutants > 0 {
		text := fmt.Sprintf("tests and inputs noticed %d of %s (small errors made in the changed lines): %d by inputs, %d "+
			"by tests", s.Noticed, layout.Plural(s.Mutants, "mutant", "mutants"), s.ByInputs, s.ByTests)
		if s.TimedOut > 0 {
			text += fmt.Sprintf("; %d because a run did not end", s.TimedOut)
		}
		if s.Unreached > 0 {
			text += fmt.Sprintf("; no test or input runs %d of the others", s.Unreached)
		}
		lines = append(lines, text)
	}
	if s.Untried > 0 {
		lines = append(lines, layout.Plural(s.Untried, "mutant was", "mutants were")+
			" not tried for lack of time (--mutant-time)")
	}
	return append(lines, s.Skipped...)
}

// survivorBlocks are the mutants that were not noticed.
func survivorBlocks(s *prove.Strength) []blocks.Block {
	var diffs strings.Builder
	for _, one := range s.Survivors {
		diffs.WriteString(one.Diff)
	}
	list := []blocks.Block{
		blocks.Prose{blocks.Plain("Tests and inputs pass with each of these errors in version B. Some may be " +
			"equivalent: they do not change behavior.")},
		blocks.Diff(diffs.String()),
	}
	if more := s.Mutants - s.Noticed - len(s.Survivors); more > 0 {
		list = append(list, blocks.Prose{blocks.Plain(fmt.Sprintf("and %d more", more))})
	}
	return list
}

// maxNames is the number of files that a line lists.
const maxNames = 10

// unjudgedList is what changed but is not judged.
func unjudgedList(r *prove.Result) blocks.List {
	var lines []string
	add := func(what string, names []string) {
		if len(names) > 0 {
			lines = append(lines, what+": "+someOf(names))
		}
	}
	if r.TestsOf == "a" {
		add("changes to tests, which are used only with --tests b", r.Changed.Tests)
	}
	add("changes in other packages", r.Changed.NotJudged)
	add("files that are not compiled", r.Changed.Other)
	add("files outside the module", r.Changed.Outside)
	return blocks.Items(lines...)
}

// changedList is what changed.
func changedList(c *prove.Changed) blocks.List {
	var lines []string
	for _, one := range []struct {
		what  string
		names []string
	}{
		{"files", c.Files},
		{"functions", c.Functions},
		{"added", c.Added},
		{"removed", c.Removed},
		{"declarations", c.Declarations},
	} {
		if len(one.names) > 0 {
			lines = append(lines, one.what+": "+someOf(one.names))
		}
	}
	if len(lines) == 0 {
		lines = append(lines, "nothing that is compiled")
	}
	return blocks.Items(lines...)
}

// someOf lists the first names and the number of the others.
func someOf(names []string) string {
	if len(names) <= maxNames {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), len(names)-maxNames)
}
