package report

import (
	"fmt"
	"strings"

	"github.com/whet-go/whet/fix"
)

// settingVerdict says in a line what became of a setting.
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

// writeFixSettings says what became of the settings.
func writeFixSettings(t *text, s Style, r *fix.Result) {
	for i := range r.Settings {
		a := &r.Settings[i]
		t.line()
		loadWrap(t, s, "", s.paint(bold, settingVerdict(a)), 3)
		loadWrap(t, s, "   ", "for: "+a.Finding.Title+" ("+Clean(a.Finding.Where())+"), saves at most "+savingText(&a.Finding), 3)
		if !a.Kept() {
			t.line("   at ", s.paint(bold, string(a.Stage)), ":")
			for line := range strings.Lines(a.Reason) {
				loadWrap(t, s, "     ", cleanSource(strings.TrimRight(line, "\n")), 5)
			}
		} else {
			loadWrap(t, s, "   ", "what to mind: `whet rules "+a.Finding.Rule+"`. It is yours to set: nothing was changed", 3)
		}
		writeAnswers(t, s, a)
		writeMeasured(t, s, a.Measured)
	}
}

// writeAnswers says how answers were compared.
func writeAnswers(t *text, s Style, a *fix.Attempt) {
	if a.Answers == nil {
		return
	}
	if len(a.Answers.Functions) > 0 {
		loadWrap(t, s, "   ", answersText(a.Answers), 3)
	}
	for _, not := range a.Answers.Not {
		loadWrap(t, s, "   ", "not compared: "+Clean(not), 3)
	}
}

// answersText says on how many inputs two builds answered alike.
func answersText(a *fix.Answers) string {
	text := fmt.Sprintf("%s answered alike on %d inputs", strings.Join(a.Functions, ", "), a.Inputs)
	if a.ErrorTexts > 0 {
		text += fmt.Sprintf(", but for the texts of errors on %d of them", a.ErrorTexts)
	}
	return text
}

// writeFixSettingsMarkdown renders the same as GitHub's Markdown; table writes a comparison.
func writeFixSettingsMarkdown(t *text, r *fix.Result, table func(*fix.Measured)) {
	for i := range r.Settings {
		a := &r.Settings[i]
		set := a.Finding.Fix.Setting.String()
		t.line()
		if a.Kept() {
			t.line("### Proven setting: ", code(set))
		} else {
			t.line("### Setting not proven: ", code(set))
		}
		t.line()
		t.line(a.Finding.Title, ": ", a.Finding.Why, ".")
		if a.Answers != nil && len(a.Answers.Functions) > 0 {
			t.line()
			t.line(answersText(a.Answers), ".")
		}
		if !a.Kept() {
			t.line()
			t.line("Dropped at “", string(a.Stage), "”:")
			t.line()
			markdownFence(t, "", a.Reason)
		}
		table(a.Measured)
	}
}
