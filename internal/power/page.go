package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/prove"
)

//go:embed page.md
var pageText string

// A half is the records of the cases that are held back, or of the others.
type half struct {
	cases  int // in the corpus
	judged []*record
	failed []*record // could not be judged
}

func (r *results) half(held bool) *half {
	h := &half{cases: r.Open}
	if held {
		h.cases = r.Held
	}
	for _, x := range r.Cases {
		switch {
		case x.Held != held:
		case x.Error != "":
			h.failed = append(h.failed, x)
		default:
			h.judged = append(h.judged, x)
		}
	}
	return h
}

// page renders docs/measured/prove-power.md.
func page(r *results) ([]byte, error) {
	t, err := template.New("page").Option("missingkey=error").Funcs(template.FuncMap{
		"counts": (*half).counts, "wrong": (*half).wrong, "unproven": (*half).unproven, "failures": (*half).failures,
		"compared": comparedTable, "outcomes": (*half).outcomes, "stages": (*half).stages, "kills": (*half).kills,
		"left": (*half).left,
	}).Parse(pageText)
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	if err := t.Execute(&out, map[string]any{
		"Cases": r.Open + r.Held, "Open": r.half(false), "Held": r.half(true), "Compared": r.Compared,
	}); err != nil {
		return nil, err
	}
	return []byte(layout.WrapMarkdown(out.String(), 100)), nil
}

// markdown writes a table; "None." without rows.
func markdown(head []string, align string, rows [][]string) (string, error) {
	if len(rows) == 0 {
		return "None.\n", nil
	}
	var out strings.Builder
	w := layout.NewWriter(&out)
	t := layout.Table{Head: head, Align: align, Rows: rows}
	t.WriteMarkdown(w)
	return out.String(), w.Result()
}

// percent formats a part of a whole.
func percent(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	return fmt.Sprintf("%d (%.1f%%)", part, 100*float64(part)/float64(whole))
}

// counts is the table of outcomes by kind of case and label.
func (h *half) counts() (string, error) {
	var rows [][]string
	for _, kind := range []string{"release", "mutant", "hand-made", ""} {
		for _, l := range []label{same, different, cheat} {
			if row := h.count(kind, l); row != nil {
				rows = append(rows, row)
			}
		}
	}
	if len(h.judged) == 0 {
		return fmt.Sprintf("None of the %d cases was run.\n", h.cases), nil
	}
	return markdown([]string{
		"cases", "label", "judged", "faster", "same speed", "slower", "different", "broken", "unproven", "wrong",
	}, "llrrrrrrrr", rows)
}

// count is a row of counts; nil without cases.
func (h *half) count(kind string, l label) []string {
	n, wrong := 0, 0
	by := map[prove.Outcome]int{}
	for _, x := range h.judged {
		if kind != "" && x.Kind != kind || x.Label != l {
			continue
		}
		n++
		by[x.Outcome]++
		if x.isFalseAccept() || x.isFalseReject() {
			wrong++
		}
	}
	if n == 0 {
		return nil
	}
	row := []string{cmp.Or(kind, "all"), string(l), fmt.Sprint(n)}
	for _, o := range []prove.Outcome{
		prove.OutcomeFaster, prove.OutcomeSameSpeed, prove.OutcomeSlower, prove.OutcomeDifferent, prove.OutcomeBroken,
	} {
		row = append(row, fmt.Sprint(by[o]))
	}
	return append(row, percent(by[prove.OutcomeUnproven], n), percent(wrong, n))
}

// wrong lists the false accepts and the false rejects.
func (h *half) wrong() (string, error) {
	var rows [][]string
	for _, x := range h.judged {
		if x.isFalseAccept() || x.isFalseReject() {
			rows = append(rows, []string{x.Name, string(x.Label), string(x.Outcome), x.Why, firstLine(x.Reason)})
		}
	}
	return markdown([]string{"case", "label", "outcome", "what it is", "what whet says"}, "lllll", rows)
}

// failures lists the cases that could not be judged.
func (h *half) failures() (string, error) {
	var rows [][]string
	for _, x := range h.failed {
		rows = append(rows, []string{x.Name, firstLine(x.Error)})
	}
	return markdown([]string{"case", "why"}, "ll", rows)
}

// left says how many cases have no result.
func (h *half) left() string {
	if n := h.cases - len(h.judged) - len(h.failed); n > 0 {
		return fmt.Sprintf("%d of %d cases have no result yet", n, h.cases)
	}
	return "all cases have a result"
}

// unproven is the table of reasons, by label.
func (h *half) unproven() (string, error) {
	type count struct{ all, same int }
	by := map[string]*count{}
	n := 0
	for _, x := range h.judged {
		if x.Outcome != prove.OutcomeUnproven {
			continue
		}
		n++
		why := x.class()
		if by[why] == nil {
			by[why] = &count{}
		}
		by[why].all++
		if x.Label == same {
			by[why].same++
		}
	}
	var rows [][]string
	for why, c := range by {
		rows = append(rows, []string{why, fmt.Sprint(c.all), fmt.Sprint(c.same)})
	}
	slices.SortFunc(rows, func(a, b []string) int {
		return cmp.Or(cmp.Compare(by[b[0]].all, by[a[0]].all), cmp.Compare(a[0], b[0]))
	})
	return markdown([]string{"first reason", "cases", "labeled same"}, "lrr", rows)
}

// class returns the kind of the first reason for which a case is unproven.
func (x *record) class() string {
	text := x.Reason
	if len(x.Missing) > 0 {
		text = x.Missing[0]
	}
	for _, c := range []struct{ contains, class string }{
		{suspectMark, "the change adds or drops something that tests and benchmarks do not see"},
		{"the proof ended before", "the budget is used up"},
		{"the time for that was up", "the budget is used up"},
		{"cost elsewhere", "it costs more elsewhere"},
		{"behaves differently with arguments that", "an unexported function differs, for which its callers do not show it"},
		{"inputs only", "compared on too few inputs"},
		{"same answer to all", "all calls gave one answer"},
		{"no input reached", "no input reached the changed lines"},
		{"converts more integers", "a conversion to 16 bits is new"},
		{"budget", "the budget is used up"},
		{"cannot be called", "a changed function cannot be called"},
		{"could not be called", "a changed function cannot be called"},
		{"no call returned", "no call returned"},
		{"panics on", "calls only panic"},
		{"one answer", "all calls gave one answer"},
		{"mutants was noticed", "no mutant was noticed"},
		{"only generated benchmarks", "a written benchmark is slower, and there is no other"},
		{"a trade-off", "a written benchmark gains with some inputs and loses with others"},
		{"noise", "noise hides the gain"},
		{"benchmark", "no benchmark runs the change"},
		{"nothing but tests", "nothing was compared"},
		{"in other packages were not compared", "an exported declaration has changed"},
		{"other modules can use it", "an exported declaration has changed"},
		{"other modules get its values", "an exported declaration has changed"},
		{"as an interface", "an exported declaration has changed"},
		{"effect was not compared", "a directive or a dependency has changed"},
		{"is gone", "a function is gone"},
		{"is new", "a method is new"},
		{"do not build with the change", "the tests do not build with the change"},
		{"cannot be compared", "old and new code cannot be compared"},
		{"cannot be measured", "it cannot be measured"},
	} {
		if strings.Contains(text, c.contains) {
			return c.class
		}
	}
	return firstLine(text)
}

// comparedTable is the table of what the comparison alone finds.
func comparedTable(all []*comparison) (string, error) {
	var rows [][]string
	for _, held := range []bool{false, true} {
		for _, kind := range []string{"release", "mutant"} {
			for _, l := range []label{same, different} {
				by := map[answer]int{}
				n := 0
				for _, x := range all {
					if x.Held == held && x.Kind == kind && x.Label == l && x.Error == "" {
						by[x.Answer]++
						n++
					}
				}
				if n == 0 {
					continue
				}
				called := by[alike] + by[unlike]
				rows = append(rows, []string{
					map[bool]string{true: "held back", false: "open"}[held], kind, string(l), fmt.Sprint(n),
					fmt.Sprint(by[notCalled]), fmt.Sprint(by[alike]), percent(by[unlike], called),
				})
			}
		}
	}
	return markdown([]string{
		"half", "cases", "label", "all", "not compared", "no difference found", "difference found, of the compared",
	}, "lllrrrr", rows)
}

// outcomes is the table of the time by outcome.
func (h *half) outcomes() (string, error) {
	by := map[string][]time.Duration{}
	for _, x := range h.judged {
		if !x.Shared {
			by[string(x.Outcome)] = append(by[string(x.Outcome)], x.Elapsed)
		}
	}
	return times("outcome", by)
}

// stages is the table of the time by stage.
func (h *half) stages() (string, error) {
	by := map[string][]time.Duration{}
	for _, x := range h.judged {
		for _, t := range x.Took {
			if x.Shared {
				break
			}
			by[t.What] = append(by[t.What], t.Time)
		}
	}
	return times("stage", by)
}

// times is a table of durations, the largest median first.
func times(what string, by map[string][]time.Duration) (string, error) {
	var rows [][]string
	for name, list := range by {
		slices.Sort(list)
		rows = append(rows, []string{
			name, fmt.Sprint(len(list)),
			seconds(median(list)), seconds(list[(len(list)*9+9)/10-1]), seconds(list[len(list)-1]),
		})
	}
	slices.SortFunc(rows, func(a, b []string) int {
		return cmp.Or(cmp.Compare(median(by[b[0]]), median(by[a[0]])), cmp.Compare(a[0], b[0]))
	})
	return markdown([]string{what, "cases", "median", "90% within", "longest"}, "lrrrr", rows)
}

// median returns the median of a sorted list.
func median(list []time.Duration) time.Duration {
	return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// kills describes how many mutants of functions that were called the comparison notices.
func (h *half) kills() string {
	tried, noticed, byInputs, cases := 0, 0, 0, 0
	for _, x := range h.judged {
		if x.Called == 0 || x.Mutants == 0 {
			continue
		}
		cases++
		tried, noticed, byInputs = tried+x.Mutants, noticed+x.Noticed, byInputs+x.ByInputs
	}
	if tried == 0 {
		return "No mutants were tried.\n"
	}
	return fmt.Sprintf("Cases measured: %d. In these, whet tried %d mutants of changed functions that it could call. "+
		"Inputs noticed %s of them, inputs and tests together %s. The others include equivalent ones.\n", cases, tried,
		percent(byInputs, tried), percent(noticed, tried))
}
