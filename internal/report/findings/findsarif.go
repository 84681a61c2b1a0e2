package findings

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/internal/report"
)

// SARIF 2.1.0, the part that findings need:
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool                `json:"tool"`
		Bases   map[string]sarifLocation `json:"originalUriBaseIds,omitempty"`
		Results []sarifResult            `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Version        string      `json:"version,omitempty"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string       `json:"id"`
		Short sarifMessage `json:"shortDescription"`
		Full  sarifMessage `json:"fullDescription"`
		Help  sarifMessage `json:"help"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Rank         float64           `json:"rank"` // 0 to 100
		Message      sarifMessage      `json:"message"`
		Locations    []sarifPlace      `json:"locations"`
		Related      []sarifPlace      `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Baseline     string            `json:"baselineState,omitempty"`
		Fixes        []sarifFix        `json:"fixes,omitempty"`
	}
	sarifPlace struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifLocation `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifLocation struct {
		URI    string `json:"uri"`
		BaseID string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine   int  `json:"startLine,omitempty"`
		StartColumn int  `json:"startColumn,omitempty"`
		EndLine     int  `json:"endLine,omitempty"`
		ByteOffset  *int `json:"byteOffset,omitempty"`
		ByteLength  *int `json:"byteLength,omitempty"`
	}
	sarifFix struct {
		Description sarifMessage  `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifLocation      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion  `json:"deletedRegion"`
		Inserted sarifMessage `json:"insertedContent"`
	}
)

// sarifBase names the module's directory.
const sarifBase = "MODULE"

// WriteFindSARIF writes findings for code scanning. list has the rules that were applied.
func WriteFindSARIF(w io.Writer, r *find.Result, list []*rules.Rule, version string) error {
	run := newSARIF(version)
	run.Bases = map[string]sarifLocation{sarifBase: {URI: fileURI(r.Dir) + "/"}}
	for _, rule := range list {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: rule.Analyzer.Name, Short: sarifMessage{rule.Doc.Title}, Full: sarifMessage{rule.Doc.Text},
			Help: sarifMessage{rule.Doc.Evidence + "\n\n" + rule.Doc.Safety},
		})
	}
	run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
		ID: sarifWait, Short: sarifMessage{waitingHead}, Full: sarifMessage{"Lines at which requests or goroutines wait: " +
			waitingNote + "."},
		Help: sarifMessage{"`whet trace contention` shows who holds what they wait for, and `whet trace requests` each " +
			"request's time."},
	})
	if len(r.Advice) > 0 {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: sarifAdvice, Short: sarifMessage{"Causes across time and lines"},
			Full: sarifMessage{"What execution traces, heap and goroutine profiles show together with the source."},
			Help: sarifMessage{"No rewrite is offered: what to change is a matter of design."},
		})
	}
	candidateRule := len(run.Tool.Driver.Rules)
	if len(r.Candidates) > 0 {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: sarifCandidate, Short: sarifMessage{"Candidates, unproven"},
			Full: sarifMessage{"Proposed changes of hot lines that no rule can rewrite. " + unprovenNote},
			Help: sarifMessage{"`whet fix` tries them, and keeps those that it proves."},
		})
	}
	number := findingNumbers(r)
	for i := range r.Findings {
		run.Results = append(run.Results, sarifOf(&r.Findings[i],
			slices.IndexFunc(list, func(rule *rules.Rule) bool { return rule.Analyzer.Name == r.Findings[i].Rule }), number))
		if r.Against != nil {
			run.Results[i].Baseline = map[bool]string{true: "unchanged", false: "new"}[r.Findings[i].Known]
		}
	}
	waiting := slices.DeleteFunc(slices.Clone(r.Unexplained), func(h find.HotLine) bool { return len(h.Waits) == 0 })
	run.Results = append(run.Results, sarifWaits(slices.Concat(waiting, r.Waiting), len(list))...)
	run.Results = append(run.Results, sarifAdvices(r.Advice, len(list)+1)...)
	run.Results = append(run.Results, sarifCandidates(r.Candidates, candidateRule)...)
	return run.write(w)
}

// newSARIF returns a run of whet without rules and results.
func newSARIF(version string) *sarifRun {
	return &sarifRun{Results: []sarifResult{}, Tool: sarifTool{Driver: sarifDriver{
		Name: "whet", InformationURI: "https://github.com/whet-go/whet", Version: version, Rules: []sarifRule{},
	}}}
}

// write writes a log of the run.
func (r *sarifRun) write(w io.Writer) error {
	return report.JSON(w, sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{*r},
	})
}

// sarifID returns the fingerprint of a result, by what identifies it.
func sarifID(kind, identity string) map[string]string {
	sum := sha256.Sum256([]byte(identity))
	return map[string]string{kind + "/v1": hex.EncodeToString(sum[:16])}
}

// sarifAt returns the location of a file as an escaped URI, relative to the module; absolute if the
// file is outside it.
func sarifAt(file string) sarifLocation {
	if name := slashed(file); path.IsAbs(name) || drive.MatchString(name) {
		return sarifLocation{URI: fileURI(file)}
	}
	// Without a scheme, String writes ./ before a name whose first part has a colon.
	return sarifLocation{URI: (&url.URL{Path: file}).String(), BaseID: sarifBase}
}

// drive matches the start of absolute names on Windows, with slashes.
var drive = regexp.MustCompile(`^[A-Za-z]:/`)

// slashed returns a Windows name with slashes. Elsewhere backslashes are ordinary characters.
func slashed(name string) string {
	if s := strings.ReplaceAll(name, `\`, "/"); drive.MatchString(s) || strings.HasPrefix(name, `\\`) {
		return s
	}
	return name
}

// fileURI returns the URI of an absolute name, also on Windows: file:///C:/a,
// file://server/share/a.
func fileURI(name string) string {
	u := url.URL{Scheme: "file", Path: slashed(name)}
	if drive.MatchString(u.Path) {
		u.Path = "/" + u.Path
	}
	if rest, ok := strings.CutPrefix(u.Path, "//"); ok && strings.HasPrefix(name, `\\`) {
		u.Host, u.Path, _ = strings.Cut(rest, "/")
		u.Path = "/" + u.Path
	}
	return u.String()
}

// sarifWait is the rule id of waiting lines.
const sarifWait = "wait"

// sarifWaits converts waiting lines. They have the lowest rank, as no saving is claimed, and
// baselines do not cover them.
func sarifWaits(lines []find.HotLine, rule int) []sarifResult {
	var out []sarifResult
	alike := map[string]int{}
	for i := range lines {
		h := &lines[i]
		key := strings.Join([]string{sarifWait, h.File, h.Function, strings.TrimSpace(h.Code)}, "\x00")
		one := sarifResult{
			RuleID: sarifWait, RuleIndex: rule, Level: "note",
			Message:      sarifMessage{upperFirst(hotLineText(h, nil)) + "."},
			Locations:    []sarifPlace{sarifLine(h.File, h.Line)},
			Fingerprints: sarifID("whetFinding", fmt.Sprintf("%s\x00%d", key, alike[key])),
		}
		alike[key]++
		for _, w := range h.Waits {
			for _, e := range w.Ended {
				if at := sarifLine(e.File, e.Line); e.Own && !slices.Contains(one.Related, at) {
					one.Related = append(one.Related, at)
				}
			}
		}
		out = append(out, one)
	}
	return out
}

func sarifLine(file string, line int) sarifPlace {
	return sarifPlace{sarifPhysical{sarifAt(file), sarifRegion{StartLine: line}}}
}

func sarifOf(f *find.Finding, rule int, number func(id string) string) sarifResult {
	out := sarifResult{
		RuleID: f.Rule, RuleIndex: rule, Level: "note", Rank: min(100, 100*f.Saving),
		Message: sarifMessage{fmt.Sprintf("%s%s: %s. It can save at most %s.", f.Title, needText(f.Needs), f.Why,
			savingText(f))},
		Fingerprints: sarifID("whetFinding", f.ID),
	}
	for _, more := range []string{sharedText(f, number), lineWaitsText(f.Waits)} {
		if more != "" {
			out.Message.Text += " " + upperFirst(more) + "."
		}
	}
	if f.Saving >= 0.05 {
		out.Level = "warning"
	}
	for i, p := range f.Places {
		place := sarifPlace{sarifPhysical{
			sarifAt(p.File),
			sarifRegion{StartLine: p.Line, StartColumn: p.Column, EndLine: p.EndLine},
		}}
		if i == 0 {
			out.Locations = append(out.Locations, place)
		} else {
			out.Related = append(out.Related, place)
		}
	}
	if len(f.Places) == 0 {
		// Code scanning shows no result without a location: go.mod stands for the program.
		out.Locations = []sarifPlace{{sarifPhysical{sarifAt("go.mod"), sarifRegion{StartLine: 1}}}}
	}
	if f.Fix == nil {
		return out
	}
	if f.Fix.Setting != nil {
		out.Message.Text += " " + f.Fix.Message + "."
		return out
	}
	fix := sarifFix{Description: sarifMessage{strings.TrimSuffix(f.Fix.Message, ".")}}
	for _, e := range f.Fix.Files {
		change := sarifChange{Artifact: sarifAt(e.File)}
		for _, edit := range e.Edits {
			from, length := edit.From, edit.To-edit.From
			change.Replacements = append(change.Replacements,
				sarifReplacement{sarifRegion{ByteOffset: &from, ByteLength: &length}, sarifMessage{edit.Text}})
		}
		fix.Changes = append(fix.Changes, change)
	}
	out.Fixes = []sarifFix{fix}
	return out
}
