package findings

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/notes"
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/profiles"
	"github.com/whet-go/whet/unit"
)

// findLines is the number of unexplained hot lines in text; JSON has all.
const findLines = 10

// WriteFind writes findings with their diffs, the one that can save most first.
func WriteFind(w io.Writer, s layout.Style, r *find.Result) error {
	t := layout.NewWriter(w)
	t.Line(s.Paint(layout.Bold, layout.Plural(len(r.Findings), "finding", "findings")), " in ", layout.Clean(r.Module))
	layout.Wrap(t, s, "", findTotals(r), 0)
	for i, f := range r.Findings {
		t.Line()
		writeFinding(t, s, i+1, &f, findingNumbers(r))
	}
	writeUnexplained(t, s, r)
	writeAgainst(t, s, r.Against)
	if len(r.Stale) > 0 {
		t.Line()
		t.Line(s.Paint(layout.Bold, "Changed since the recording"), ": these functions are skipped")
		for _, x := range r.Stale[:min(len(r.Stale), findLines)] {
			t.Line("  ", layout.Right(layout.SharePercent(x.Share), 6), "  ",
				layout.CutMiddle(layout.Clean(layout.ShortName(x.Function)), s.Remaining(10, 20)))
			t.Line("          ", layout.Cut(layout.Clean(x.Reason), s.Remaining(10, 20)))
		}
		if n := len(r.Stale) - findLines; n > 0 {
			t.Line(fmt.Sprintf("  and %d more", n))
		}
	}
	return t.Result()
}

// writeAgainst writes how findings compare with a baseline, if there is one.
func writeAgainst(t *layout.Writer, s layout.Style, a *find.BaselineComparison) {
	if a == nil {
		return
	}
	t.Line()
	t.Line(s.Paint(layout.Bold, "Compared with the baseline"), " ", layout.Clean(a.Baseline),
		fmt.Sprintf(": %d new, %d known", a.New, a.Known))
	if len(a.Stale) > 0 {
		t.Line("  no longer found (changed, or not hot in this recording):")
	}
	for _, id := range a.Stale {
		t.Line("    ", layout.Cut(layout.Clean(id.String()), s.Remaining(4, 20)))
	}
}

// findTotals describes the totals of the profiles.
func findTotals(r *find.Result) string {
	var parts []string
	for _, x := range r.Totals {
		parts = append(parts, fmt.Sprintf("%s %s, %s from own code", costName(x.Cost), totalText(x),
			unit.Percent(x.Own, x.Value)))
	}
	if r.GC > 0 {
		parts = append(parts, profiles.CollectorText(profiles.Collector{Share: r.GC, InProgram: r.GC - r.GCBackground}))
	}
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
	switch cause {
	case "lock":
		return "for a lock"
	case "channel":
		return "for a channel"
	case "downstream":
		return "for another server"
	case "network":
		return "for the network"
	case "runnable":
		return "for a CPU"
	case "waiting for GC":
		return "for the garbage collector"
	case "GC assist":
		return "while they help the garbage collector"
	case "sleep":
		return "asleep"
	case "syscall":
		return "in system calls"
	}
	return "for something else"
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
	return layout.Clean(strings.Join(parts, "; "))
}

// lineWaitsText describes how long requests wait at a line, and for what; "" if they do not.
func lineWaitsText(waits []find.Wait) string {
	if len(waits) == 0 {
		return ""
	}
	if len(waits) == 1 {
		return "requests wait here for " + layout.SharePercent(waits[0].Share) + " of their time, " +
			strings.Replace(waitsText(waits, true), " "+layout.SharePercent(waits[0].Share), "", 1)
	}
	return "requests wait here for " + layout.SharePercent(waitedShare(waits)) + " of their time: " +
		waitsText(waits, true)
}

// waitedShare returns the share of their time that requests wait.
func waitedShare(waits []find.Wait) float64 {
	sum := 0.0
	for _, w := range waits {
		sum += w.Share
	}
	return sum
}

// hotLineText describes a line that no rule explains.
func hotLineText(h *find.HotLine) string {
	var parts []string
	for _, text := range []string{lineWaitsText(h.Waits), evidenceText(h.Evidence)} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	if calls := calleesText(h.Evidence); calls != "" {
		parts = append(parts, "calls "+calls)
	}
	if h.Why != "" {
		parts = append(parts, "not analyzed: "+layout.Clean(h.Why))
	}
	return strings.Join(parts, " · ")
}

// waitingShare is the column before a waiting line; waitingNote explains it.
func waitingShare(h *find.HotLine) string {
	if len(h.Waits) == 0 {
		return ""
	}
	return layout.SharePercent(waitedShare(h.Waits))
}

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
	switch c {
	case find.CPU:
		return "CPU"
	case find.AllocSpace:
		return "allocated"
	case find.AllocObjects:
		return "objects"
	case find.Mutex:
		return "waiting for mutexes"
	case find.Block:
		return "blocked"
	}
	return string(c)
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
		return layout.Clean(strings.Join(parts, ", "))
	}
	return ""
}

// savingText describes what a finding can save, and of what.
func savingText(f *find.Finding) string {
	text := layout.SharePercent(f.Saving) + " of the CPU time"
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
	text := "the same samples as others: " + strings.Join(parts, "; ")
	if f.Alone > f.Saving {
		text += "; as the only fix it saves at most " + layout.SharePercent(f.Alone)
	}
	return text
}

// findingNumbers returns a function that maps ids to numbers in a result.
func findingNumbers(r *find.Result) func(id string) string {
	return func(id string) string {
		i := slices.IndexFunc(r.Findings, func(f find.Finding) bool { return f.ID == id })
		if i < 0 {
			return layout.Clean(id)
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

func writeFinding(t *layout.Writer, s layout.Style, n int, f *find.Finding, number func(id string) string) {
	head := fmt.Sprintf("%d. %s", n, f.Title)
	if f.Known {
		head += " (known)"
	}
	layout.Wrap(t, s, "", layout.Join(s.Paint(layout.Bold, head), needText(f.Needs)), 3)
	t.Line("   ", s.Paint(layout.Cyan, layout.CutMiddle(layout.Clean(f.Where()), s.Remaining(3, 20))), "  ",
		layout.Clean(f.Function))
	layout.Wrap(t, s, "   ", "saves at most "+savingText(f), 3)
	if shared := sharedText(f, number); shared != "" {
		layout.Wrap(t, s, "   ", shared, 3)
	}
	if calls := calleesText(f.Evidence); calls != "" {
		layout.Wrap(t, s, "   ", "calls "+calls, 3)
	}
	if waits := lineWaitsText(f.Waits); waits != "" {
		layout.Wrap(t, s, "   ", waits, 3)
	}
	layout.Wrap(t, s, "   ", "why: "+f.Why, 3)
	for _, other := range f.Places[min(1, len(f.Places)):] {
		t.Line("   also ", layout.Cut(fmt.Sprintf("%s:%d", layout.Clean(other.File), other.Line), s.Remaining(8, 20)))
	}
	writeNotes(t, s, f.Notes)
	switch {
	case f.Fix != nil && f.Fix.Setting != nil:
		layout.Wrap(t, s, "   ", "setting: "+f.Fix.Message+" (caveats: `whet rules "+f.Rule+"`)", 3)
	case f.Fix != nil:
		t.Line("   fix: ", layout.Cut(f.Fix.Message, s.Remaining(8, 20)))
		layout.WriteDiff(t, s, f.Fix.Diff, 5)
	case f.NoFix != "":
		layout.Wrap(t, s, "   ", "no rewrite: "+f.NoFix, 3)
	default:
		t.Line("   ", s.Paint(layout.Dim, "no automatic rewrite is safe here"))
	}
}

// findNotes is the number of compiler notes shown with a line.
const findNotes = 3

func writeNotes(t *layout.Writer, s layout.Style, list []notes.Note) {
	for _, n := range list[:min(len(list), findNotes)] {
		layout.Wrap(t, s, "   ", fmt.Sprintf("compiler, line %d: %s", n.Line, noteText(n)), 3)
	}
}

// noteText describes the compiler's kind and message.
func noteText(n notes.Note) string {
	switch n.Kind {
	case "escape", "escapes":
		return layout.Clean(n.Message)
	case "isInBounds", "isSliceInBounds":
		return "a bounds check is not eliminated"
	case "cannotInlineFunction":
		return "the function is not inlined: " + layout.Clean(n.Message)
	case "cannotInlineCall":
		return "the call is not inlined: " + layout.Clean(n.Message)
	case "canInlineFunction":
		return "the function can be inlined, " + layout.Clean(n.Message)
	case "nilcheck":
		return "a nil check is not eliminated"
	}
	return layout.Clean(n.Kind) + ": " + layout.Clean(n.Message)
}

func writeUnexplained(t *layout.Writer, s layout.Style, r *find.Result) {
	if len(r.Unexplained) > 0 {
		t.Line()
		t.Line(s.Paint(layout.Bold, "Hot lines without a finding"))
		writeHotLines(t, s, r.Unexplained, func(h *find.HotLine) string { return layout.SharePercent(h.Saving) })
	}
	if len(r.Waiting) > 0 {
		t.Line()
		layout.Wrap(t, s, "", layout.Join(s.Paint(layout.Bold, waitingHead), ": ", waitingNote), 0)
		writeHotLines(t, s, r.Waiting, waitingShare)
	}
}

func writeHotLines(t *layout.Writer, s layout.Style, lines []find.HotLine, share func(*find.HotLine) string) {
	for i := range lines[:min(len(lines), findLines)] {
		h := &lines[i]
		t.Line(layout.Right(share(h), 6), "  ",
			s.Paint(layout.Cyan, layout.CutMiddle(fmt.Sprintf("%s:%d", layout.Clean(h.File), h.Line), s.Remaining(8, 20))))
		t.Line("        ", layout.Cut(layout.CleanSource(strings.TrimSpace(h.Code)), s.Remaining(8, 20)))
		layout.Wrap(t, s, "        ", hotLineText(h), 8)
	}
	if n := len(lines) - findLines; n > 0 {
		t.Line(fmt.Sprintf("        and %d more, in --json", n))
	}
}

// WriteFindMarkdown writes the same as GitHub's Markdown.
func WriteFindMarkdown(w io.Writer, r *find.Result) error {
	t := layout.NewWriter(w)
	t.Line("## ", layout.Plural(len(r.Findings), "finding", "findings"), " in ", layout.CodeSpan(r.Module))
	t.Line()
	t.Line(findTotals(r), ".")
	for i, f := range r.Findings {
		t.Line()
		known := ""
		if f.Known {
			known = " (known)"
		}
		t.Line(fmt.Sprintf("### %d. %s", i+1, f.Title), known, needText(f.Needs))
		t.Line()
		where := "The whole program"
		if len(f.Places) > 0 {
			where = layout.CodeSpan(f.Where())
		}
		if f.Function != "" {
			where += " in " + layout.CodeSpan(f.Function)
		}
		t.Line(where, ": ", f.Why, ".")
		t.Line()
		saves := "Saves at most **" + layout.SharePercent(f.Saving) + "** of the CPU time"
		if len(f.Evidence) > 0 {
			saves += ": " + evidenceText(f.Evidence)
		}
		t.Line(saves, ".")
		if shared := sharedText(&f, findingNumbers(r)); shared != "" {
			t.Line()
			t.Line(upperFirst(shared), ".")
		}
		if waits := lineWaitsText(f.Waits); waits != "" {
			t.Line()
			t.Line(layout.CodeSpan(waits))
		}
		if len(f.Places) > 1 {
			var also []string
			for _, p := range f.Places[1:] {
				also = append(also, layout.CodeSpan(fmt.Sprintf("%s:%d", p.File, p.Line)))
			}
			t.Line()
			t.Line("Also at ", strings.Join(also, ", "), ".")
		}
		switch {
		case f.Fix == nil:
		case f.Fix.Setting != nil:
			t.Line()
			t.Line("Setting: ", layout.CodeSpan(f.Fix.Setting.String()), ". ", strings.ReplaceAll(f.Safe, "\n", " "))
		default:
			t.Line()
			layout.WriteFence(t, "diff", f.Fix.Diff)
		}
	}
	if a := r.Against; a != nil {
		t.Line()
		t.Line("### Compared with the baseline ", layout.CodeSpan(a.Baseline))
		t.Line()
		t.Line(fmt.Sprintf("%d new, %d known.", a.New, a.Known))
		for i, id := range a.Stale {
			if i == 0 {
				t.Line()
				t.Line("No longer found:")
				t.Line()
			}
			t.Line("- ", layout.CodeSpan(id.String()))
		}
	}
	if len(r.Unexplained) > 0 {
		t.Line()
		t.Line("### Hot lines without a finding")
		t.Line()
		t.Line("| share | line | code | waits |")
		t.Line("|--:|---|---|---|")
		for _, h := range r.Unexplained {
			t.Line("| ", layout.SharePercent(h.Saving), " | ", cell(fmt.Sprintf("%s:%d", h.File, h.Line)), " | ",
				cell(strings.TrimSpace(h.Code)), " | ", optionalCell(lineWaitsText(h.Waits)), " |")
		}
	}
	if len(r.Waiting) > 0 {
		t.Line()
		t.Line("### ", waitingHead)
		t.Line()
		t.Line(upperFirst(waitingNote), ".")
		t.Line()
		t.Line("| share | line | code | what for |")
		t.Line("|--:|---|---|---|")
		for i := range r.Waiting {
			h := &r.Waiting[i]
			t.Line("| ", waitingShare(h), " | ", cell(fmt.Sprintf("%s:%d", h.File, h.Line)), " | ",
				cell(strings.TrimSpace(h.Code)), " | ", optionalCell(hotLineText(h)), " |")
		}
	}
	return t.Result()
}

// optionalCell returns text as code in a table; "" for "".
func optionalCell(text string) string {
	if text == "" {
		return ""
	}
	return cell(text)
}

// cell returns text as code in a table.
func cell(text string) string { return strings.ReplaceAll(layout.CodeSpan(text), "|", `\|`) }

// upperFirst capitalizes a text that starts with an ASCII letter.
func upperFirst(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
