package findings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/advice"
	"github.com/whet-go/whet/internal/report/blocks"
	"github.com/whet-go/whet/internal/report/layout"
)

// adviceSections describes the causes that no single line shows: where, how much, what to change.
func adviceSections(all []advice.Advice) []blocks.Block {
	var sections []blocks.Block
	for i := range all {
		a := &all[i]
		facts := blocks.List{
			{blocks.Strong(layout.SharePercent(a.Share)), blocks.Plain(" of " + a.Of)},
			{blocks.Plain(a.Evidence)},
		}
		for _, p := range a.Also {
			facts = append(facts, blocks.Text{
				blocks.Name(p.Where()), blocks.Plain(" " + p.What + ": "), blocks.Name(strings.TrimSpace(p.Code)),
			})
		}
		facts = append(facts, blocks.Text{blocks.Plain("advice: " + a.Do)})
		s := blocks.Section{
			ID: fmt.Sprintf("a%d", i+1), Kind: string(a.Kind),
			Title:  blocks.Text{blocks.Plain(fmt.Sprintf("Advice %d: %s", i+1, a.Title))},
			Blocks: []blocks.Block{blocks.Location{Where: a.Where(), Function: a.Function}, facts},
		}
		if a.Code != "" {
			s.Blocks = append(s.Blocks, blocks.Code(a.Code))
		}
		sections = append(sections, s)
	}
	return sections
}

// sarifAdvice is the rule id of advice.
const sarifAdvice = "advice"

// sarifAdvices converts advice. Its rank is the lowest, as no saving is claimed, and baselines do not
// cover it.
func sarifAdvices(all []advice.Advice, rule int) []sarifResult {
	var out []sarifResult
	alike := map[string]int{}
	for i := range all {
		a := &all[i]
		key := strings.Join([]string{sarifAdvice, string(a.Kind), a.File, a.Function, strings.TrimSpace(a.Code)}, "\x00")
		one := sarifResult{
			RuleID: sarifAdvice, RuleIndex: rule, Level: "note",
			Message:      sarifMessage{upperFirst(a.Title) + ": " + a.Evidence + ". " + upperFirst(a.Do) + "."},
			Locations:    []sarifPlace{sarifLine(a.File, a.Line)},
			Fingerprints: sarifID("whetFinding", fmt.Sprintf("%s\x00%d", key, alike[key])),
		}
		alike[key]++
		for _, p := range a.Also {
			if at := sarifLine(p.File, p.Line); !slices.Contains(one.Related, at) {
				one.Related = append(one.Related, at)
			}
		}
		out = append(out, one)
	}
	return out
}

// foundText counts what a result has.
func foundText(r *find.Result) string {
	text := layout.Plural(len(r.Findings), "finding", "findings")
	if n := len(r.Advice); n > 0 {
		text += " and " + layout.Plural(n, "piece of advice", "pieces of advice")
	}
	return text
}
