package findings

import (
	"cmp"
	"fmt"
	"math"
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
	v := cmp.Or(r.Verdict, &prove.Verdict{})
	if p := r.Reproducer; p != nil {
		d.Add("reproducer", "How to reproduce it", reproducerList(p))
		if p.Source != "" {
			d.AddSection(blocks.Section{
				ID: "test", Title: blocks.Text{blocks.Plain(p.File)}, Fold: true, Brief: true,
				Blocks: []blocks.Block{blocks.Code(p.Source)},
			})
		}
	}
	d.Add("missing", "What is missing", missingList(r))
	d.Add("figures", "A against B", measuredBlocks(v.Measured, true)...)
	d.Add("costs", "Costs elsewhere", costList(r))
	if r.Verdict != nil {
		change := blocks.Section{
			Title: blocks.Text{blocks.Plain("The change")}, Fold: true, Open: true, Brief: true,
			Blocks: []blocks.Block{blocks.Diff(r.Changed.Diff)},
		}
		checked := []blocks.Block{provedList(r)}
		if r.Changed.Diff != "" {
			checked = []blocks.Block{blocks.Pair{First: checked, Second: []blocks.Block{change}}}
		}
		d.Add("proof", "What was checked", checked...)
	}
	if v.Strength != nil && len(v.Strength.Survivors) > 0 {
		d.Add("survivors", "Errors that nothing noticed", survivorBlocks(v.Strength)...)
	}
	d.Add("unjudged", "Not judged", unjudgedList(r))
	folded := func(id, title string, b blocks.Block) {
		d.AddSection(blocks.Section{ID: id, Title: blocks.Text{blocks.Plain(title)}, Fold: true, Blocks: []blocks.Block{b}})
	}
	folded("changed", "What changed", changedList(&r.Changed))
	if v.Measured != nil && v.Measured.Written != "" {
		folded("benchmark", "The benchmark that whet wrote", blocks.Code(v.Measured.Written))
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
	for i, m := range r.Missing {
		text := blocks.Printed(m.What)
		if again := i+1 < len(r.Missing) && r.Missing[i+1].Do == m.Do; m.Do != "" && !again {
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
	var facts, how layout.Facts
	if r.Cost != nil {
		facts.Add("the recording charges %s of the CPU time to the changed lines", layout.SharePercent(r.Cost.Share))
	}
	how.If(r.TestsOf == "b", ", which are those of version B")
	how.If(v.Raced, ", also with the race detector")
	tests := testsText(v.Tested, v.Ignored, how.String())
	if r.Sandboxed {
		tests += "; all code ran in the sandbox"
	}
	facts.If(v.Tested > 0 || v.Answers != nil, "%s", tests)
	facts.If(v.SameCode > 0, "builds; vet reports nothing new; before and after, the compiler makes the same machine "+
		"code and data of all %s that the change can affect in this build",
		layout.Plural(v.SameCode, "function", "functions"))
	facts = append(facts, answersText(v.Answers)...)
	facts = append(facts, configsText(v.Configs)...)
	facts = append(facts, strengthText(v.Strength)...)
	facts = append(facts, measuringText(v.Measured, "the change", v.Open)...)
	facts = append(facts, predictedText(r.Predicted)...)
	facts = append(facts, ignoredText("set aside: ", v.IgnoredLosses)...)
	facts.If(len(r.Base.Failing) > 0, "tests that already failed, and were ignored: %s",
		strings.Join(r.Base.Failing, ", "))
	facts.If(len(r.Base.Flaky) > 0, "flaky tests, which were ignored: %s", strings.Join(r.Base.Flaky, ", "))
	return blocks.PrintedItems(facts...)
}

// predictedText is the change of the recorded program's CPU time that the benchmarks predict.
func predictedText(p *prove.Prediction) []string {
	if p == nil {
		return nil
	}
	var facts, text layout.Facts
	text.Add("prediction for the recorded program: %+.1f%% CPU time", 100*float64(p.Change))
	if low, high := float64(p.Low), float64(p.High); !math.IsInf(low, 0) && !math.IsInf(high, 0) {
		text.Add(" (%+.1f to %+.1f%%)", 100*low, 100*high)
	}
	text.Add(", from %s", p.Benchmark)
	text.If(p.Inputs != "", " with %s", p.Inputs)
	text.Add(": the changed functions and what they call take %s of the recording's CPU time and %s of the benchmark's",
		layout.SharePercent(p.Share), layout.SharePercent(p.Below))
	text.If(p.Other >= 0.001, "; %s of the recording's is in what the benchmark replaces, and taken to stay as it is",
		layout.SharePercent(p.Other))
	text.If(p.Unknown == "", "; below them, the CPU profiles agree on %.0f%% of the time", 100*p.Similar)
	text.If(p.Unknown != "", "; the similarity of their profiles is not known: %s", p.Unknown)
	facts.Add("%s", text)
	return facts
}

// configsText is where else the change builds, and where not.
func configsText(builds []prove.ConfigBuild) []string {
	var built []string
	var lines, all layout.Facts
	for _, b := range builds {
		lines.If(!b.Built, "not built for %s: %s", b.Config, b.NotBuilt)
		if b.Built {
			built = append(built, b.Config)
		}
	}
	all.If(len(built) > 0, "builds, and vet reports nothing new, for %s", strings.Join(built, ", "))
	return append(all, lines...)
}

// strengthText is how many mutants were noticed, and what was not mutated.
func strengthText(s *prove.Strength) []string {
	if s == nil {
		return nil
	}
	var facts, text layout.Facts
	text.Add("tests and inputs noticed %d of %s (small errors made in the changed lines): %d by inputs, %d by tests",
		s.Noticed, layout.Plural(s.Mutants, "mutant", "mutants"), s.ByInputs, s.ByTests)
	text.If(s.TimedOut > 0, "; %d because a run did not end", s.TimedOut)
	text.If(s.Unreached > 0, "; no test or input runs %d of the others", s.Unreached)
	facts.If(s.Mutants > 0, "%s", text)
	facts.If(s.Untried > 0, "%s not tried for lack of time (--mutant-time)",
		layout.Plural(s.Untried, "mutant was", "mutants were"))
	return append(facts, s.Skipped...)
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
	var lines layout.Facts
	c := &r.Changed
	lines.If(r.TestsOf == "a" && len(c.Tests) > 0, "changes to tests, which are used only with --tests b: %s",
		someOf(c.Tests))
	lines.If(len(c.NotJudged) > 0, "changes in other packages: %s", someOf(c.NotJudged))
	lines.If(len(c.Other) > 0, "files that are not compiled: %s", someOf(c.Other))
	lines.If(len(c.Unused) > 0, "documentation, and files for other tools: %s", someOf(c.Unused))
	lines.If(len(c.Outside) > 0, "files outside the module: %s", someOf(c.Outside))
	return blocks.Items(lines...)
}

// changedList is what changed.
func changedList(c *prove.Changed) blocks.List {
	var lines layout.Facts
	lines.If(len(c.Files) > 0, "files: %s", someOf(c.Files))
	lines.If(len(c.Functions) > 0, "functions: %s", someOf(c.Functions))
	lines.If(len(c.Added) > 0, "added: %s", someOf(c.Added))
	lines.If(len(c.Removed) > 0, "removed: %s", someOf(c.Removed))
	lines.If(len(c.Declarations) > 0, "declarations: %s", someOf(c.Declarations))
	lines.If(len(lines) == 0, "nothing that is compiled")
	return blocks.Items(lines...)
}

// someOf lists the first names and the number of the others.
func someOf(names []string) string {
	if len(names) <= maxNames {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), len(names)-maxNames)
}
