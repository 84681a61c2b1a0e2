package findings

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/prove"
)

// A proveRule is an outcome that is reported for code scanning.
type proveRule struct {
	outcome      prove.Outcome
	level, title string
}

func proveRules() []proveRule {
	return []proveRule{
		{prove.OutcomeDifferent, "error", "the changed code behaves differently"},
		{prove.OutcomeBroken, "error", "the changed code does not build, or go vet has a new complaint"},
		{prove.OutcomeSlower, "warning", "the changed code is slower"},
		{prove.OutcomeUnproven, "note", "it is not proven that the changed code behaves the same"},
	}
}

// WriteProveSARIF writes the outcome of a proof for code scanning: one result, or none if the change
// behaves the same and is not slower. Files are relative to the module.
func WriteProveSARIF(w io.Writer, r *prove.Result, version string) error {
	run := newSARIF(version)
	for i, rule := range proveRules() {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: string(rule.outcome), Short: sarifMessage{rule.title}, Full: sarifMessage{rule.title},
			Help: sarifMessage{"`whet prove` shows what was compared, and how."},
		})
		if rule.outcome != r.Outcome {
			continue
		}
		file, region := provePlace(r)
		run.Results = append(run.Results, sarifResult{
			RuleID: string(rule.outcome), RuleIndex: i, Level: rule.level,
			Message:      sarifMessage{proveMessage(r)},
			Locations:    []sarifPlace{{sarifPhysical{sarifAt(file), region}}},
			Fingerprints: sarifID("whetProve", fmt.Sprintf("%s\x00%s\x00%s", r.Outcome, r.Module, r.Reason)),
		})
	}
	return run.write(w)
}

// proveMessage is the reason and what is missing.
func proveMessage(r *prove.Result) string {
	lines := []string{upperFirst(string(r.Outcome)) + ": " + r.Reason}
	for _, m := range r.Missing {
		if m.What == r.Reason {
			continue
		}
		line := layout.Facts{"- " + m.What}
		line.If(m.Do != "", " (%s)", m.Do)
		lines = append(lines, line.String())
	}
	return strings.Join(lines, "\n")
}

// provePlace returns where the difference is, or else the first changed file: code scanning shows no
// result without a location.
func provePlace(r *prove.Result) (file string, region sarifRegion) {
	if p := r.Place; p != nil {
		return p.File, sarifRegion{StartLine: p.Line, EndLine: p.EndLine}
	}
	file = "go.mod"
	if len(r.Changed.Files) > 0 {
		file = slices.Min(r.Changed.Files)
	}
	return file, sarifRegion{StartLine: 1}
}
