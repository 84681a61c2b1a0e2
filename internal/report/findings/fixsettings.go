package findings

import (
	"fmt"
	"strings"

	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/report/layout"
)

// settingVerdict describes the outcome of a setting in one line.
func settingVerdict(a *fix.Attempt) string {
	set := a.Finding.Fix.Setting
	if !a.Kept() {
		return "not proven: " + set.String()
	}
	var how []string
	if len(set.Build) > 0 {
		how = append(how, "build with "+strings.Join(set.Build, " "))
	}
	if len(set.Run) > 0 {
		how = append(how, "run with "+strings.Join(set.Run, " "))
	}
	return "proven: " + strings.Join(how, ", ")
}

// writeFixSettings writes the outcomes of settings.
func writeFixSettings(t *layout.Writer, s layout.Style, r *fix.Result) {
	for i := range r.Settings {
		a := &r.Settings[i]
		t.Line()
		layout.Wrap(t, s, "", s.Paint(layout.Bold, settingVerdict(a)), 3)
		layout.Wrap(t, s, "   ", "for: "+a.Finding.Title+" ("+layout.Clean(a.Finding.Where())+"), saves at most "+
			savingText(&a.Finding), 3)
		if !a.Kept() {
			t.Line("   at ", s.Paint(layout.Bold, string(a.Stage)), ":")
			for line := range strings.Lines(a.Reason) {
				layout.Wrap(t, s, "     ", layout.CleanSource(strings.TrimRight(line, "\n")), 5)
			}
		} else {
			layout.Wrap(t, s, "   ", "caveats: `whet rules "+a.Finding.Rule+"`. Nothing was changed: set it yourself", 3)
		}
		writeAnswers(t, s, a)
		writeMeasured(t, s, a.Measured)
	}
}

// writeAnswers describes how answers were compared.
func writeAnswers(t *layout.Writer, s layout.Style, a *fix.Attempt) {
	if a.Answers == nil {
		return
	}
	if len(a.Answers.Functions) > 0 {
		layout.Wrap(t, s, "   ", answersText(a.Answers), 3)
	}
	for _, not := range a.Answers.Not {
		layout.Wrap(t, s, "   ", "not compared: "+layout.Clean(not), 3)
	}
}

// answersText describes the number of inputs on which two builds answered alike.
func answersText(a *fix.Answers) string {
	text := fmt.Sprintf("%s returned the same results for %d inputs", strings.Join(a.Functions, ", "), a.Inputs)
	if a.ErrorTexts > 0 {
		text += fmt.Sprintf(", except for the texts of errors for %d of them", a.ErrorTexts)
	}
	return text
}

// writeFixSettingsMarkdown writes the same as GitHub's Markdown; table writes a comparison.
func writeFixSettingsMarkdown(t *layout.Writer, r *fix.Result, table func(*fix.Measured)) {
	for i := range r.Settings {
		a := &r.Settings[i]
		set := a.Finding.Fix.Setting.String()
		t.Line()
		if a.Kept() {
			t.Line("### Proven setting: ", layout.CodeSpan(set))
		} else {
			t.Line("### Setting not proven: ", layout.CodeSpan(set))
		}
		t.Line()
		t.Line(a.Finding.Title, ": ", a.Finding.Why, ".")
		if a.Answers != nil && len(a.Answers.Functions) > 0 {
			t.Line()
			t.Line(answersText(a.Answers), ".")
		}
		if !a.Kept() {
			t.Line()
			t.Line("Dropped at “", string(a.Stage), "”:")
			t.Line()
			layout.WriteFence(t, "", a.Reason)
		}
		table(a.Measured)
	}
}
