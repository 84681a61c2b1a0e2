package findings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/internal/report/blocks"
	"github.com/whet-go/whet/internal/report/layout"
)

// findCandidates is the number of candidates whose change is shown; JSON has all.
const findCandidates = 10

// unprovenNote explains candidates.
const unprovenNote = "Each of these changes compiles, but may behave differently, or be slower. "

// proveCandidates is the command that tries candidates.
const proveCandidates = "whet fix"

// candidateSection describes the proposed rewrites of hot lines. They are not numbered like findings: nothing
// about them is known. prove is the command that tries them.
func candidateSection(list []find.Candidate, prove string) []blocks.Block {
	if len(list) == 0 {
		return nil
	}
	s := blocks.Section{
		ID: "candidates", Kind: "candidates",
		Title: blocks.Text{blocks.Plain("Candidates, unproven")},
		Blocks: []blocks.Block{blocks.Note{
			blocks.Plain(unprovenNote), blocks.Command(prove + " RECORDING"),
			blocks.Plain(" tries them after the rewrites above, and keeps those that it proves."),
		}},
	}
	for i := range list[:min(len(list), findCandidates)] {
		c := &list[i]
		one := blocks.Section{
			ID: fmt.Sprintf("c%d", i+1), Kind: string(c.Tier),
			Title: blocks.Text{
				blocks.Plain(fmt.Sprintf("C%d. Candidate, unproven: %s", i+1, lowerFirst(c.Change.Message))),
			},
			Blocks: []blocks.Block{
				blocks.Location{Where: candidateWhere(c), Function: c.Function},
				blocks.Pair{
					First: []blocks.Block{blocks.List{
						{
							blocks.Plain("cost: " + c.Title + ", at most "),
							blocks.Strong(layout.SharePercent(c.Share)),
							blocks.Plain(" of a profile"),
						},
						{blocks.Plain("may be faster: " + c.Why)},
						{blocks.Plain("assumes: " + c.Assumes)},
						{
							blocks.Plain("prove it: "),
							blocks.Command(prove + " --rule '^" + c.Generator + "$' RECORDING"),
						},
					}},
					Second: []blocks.Block{blocks.Diff(c.Change.Diff)},
				},
			},
		}
		s.Blocks = append(s.Blocks, one)
	}
	if more := len(list) - findCandidates; more > 0 {
		s.Blocks = append(s.Blocks, blocks.Note{blocks.Plain(
			layout.Plural(more, "more candidate is", "more candidates are") + " in the JSON document",
		)})
	}
	return []blocks.Block{s}
}

func candidateWhere(c *find.Candidate) string {
	where := fmt.Sprintf("%s:%d", c.Place.File, c.Place.Line)
	for _, p := range c.Also {
		where += fmt.Sprintf(", %s:%d", p.File, p.Line)
	}
	return where
}

// isAbout reports whether a candidate is about a line.
func isAbout(c *find.Candidate, file string, line int) bool {
	return slices.ContainsFunc(append([]find.Place{c.Place}, c.Also...), func(p find.Place) bool {
		return p.File == file && p.Line == line
	})
}

// candidateAt returns what is proposed for a line; "" if nothing is.
func candidateAt(r *find.Result, file string, line int) string {
	var list []string
	for i := range r.Candidates {
		if c := &r.Candidates[i]; isAbout(c, file, line) {
			list = append(list, lowerFirst(c.Change.Message))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "candidate, unproven: " + strings.Join(list, "; or ")
}

// sarifCandidate is the rule id of candidates.
const sarifCandidate = "candidate"

// sarifCandidates converts candidates. They have no fix and the lowest rank, because nothing is proven.
func sarifCandidates(list []find.Candidate, rule int) []sarifResult {
	var out []sarifResult
	for i := range list {
		c := &list[i]
		out = append(out, sarifResult{
			RuleID: sarifCandidate, RuleIndex: rule, Level: "note",
			Message: sarifMessage{"Candidate, unproven: " + lowerFirst(c.Change.Message) + ". It may be faster: " +
				c.Why +
				". It assumes that " + c.Assumes + "."},
			Locations:    []sarifPlace{sarifLine(c.Place.File, c.Place.Line)},
			Fingerprints: sarifID("whetFinding", sarifCandidate+"\x00"+c.ID),
		})
	}
	return out
}
