package findings

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/internal/report/layout"
)

// findResult has a finding about several places with a setting, one about the whole program, and one
// that nothing takes away.
func findResult() *find.Result {
	return &find.Result{
		Module: "example.com/slow", Dir: "/src/slow", GC: 0.1,
		Totals: []find.Total{
			{Cost: find.CPU, Unit: "nanoseconds", Value: 2e9, Own: 1e9},
			{Cost: find.AllocObjects, Unit: "count", Value: 31697752, Own: 31697752},
		},
		Findings: []find.Finding{
			{
				ID: "jsoncodec/jsonv2/1", Rule: "jsoncodec", Title: "old JSON", Why: "it decodes", Safe: "Texts of " +
					"errors\nchange.",
				Needs: rules.Settings, Saving: 0.3, Function: "Answer",
				Places:   []find.Place{{File: "a.go", Line: 7, EndLine: 7, Code: "decode()"}, {File: "b.go", Line: 8, EndLine: 8}},
				Evidence: []find.Evidence{{Cost: find.CPU, Value: 9e8, Share: 0.45}},
				Fix: &find.Fix{
					Message: "Build it with GOEXPERIMENT=jsonv2",
					Setting: &rules.Setting{Build: []string{"GOEXPERIMENT=jsonv2"}},
				},
			},
			{
				ID: "gogc/gogc/gogc", Rule: "gogc", Title: "collected often", Why: "it collects", Safe: "More memory.",
				Needs: rules.Settings, Saving: 0.1,
				Fix: &find.Fix{Message: "Run it with GOGC=400", Setting: &rules.Setting{Run: []string{"GOGC=400"}}},
			},
			{
				ID: "x/1", Rule: "x", Title: "slow", Why: "it is slow", Saving: 0.05, Function: "F",
				NoFix:  "n is not constant: with a constant, it is fast",
				Places: []find.Place{{File: "c.go", Line: 1, EndLine: 1, Code: "f()"}},
			},
		},
	}
}

// TestWriteFindSettings shows settings, with and without places, in each form.
func TestWriteFindSettings(t *testing.T) {
	r := findResult()
	var text, markdown, page, sarif strings.Builder
	if err := Find(r).Write(&text, layout.Style{Width: 80}); err != nil {
		t.Fatal(err)
	}
	if err := Find(r).WriteMarkdown(&markdown); err != nil {
		t.Fatal(err)
	}
	if err := Find(r).WritePage(&page); err != nil {
		t.Fatal(err)
	}
	if err := WriteFindSARIF(&sarif, r, nil, "v1"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		got  string
		have []string
	}{
		"text": {text.String(), []string{
			"objects 32M",
			"1. old JSON (needs a setting)\n   a.go:7  Answer\n   saves at most 30.00% of the CPU time: CPU 45.00%",
			"   also at b.go:8\n", "setting: Build it with GOEXPERIMENT=jsonv2 (caveats: `whet rules",
			"2. collected often (needs a setting)\n   the whole program\n   saves at most 10.00% of the CPU time\n",
			"why: it is slow\n     f()\n   no rewrite: n is not constant: with a constant, it is fast\n",
		}},
		"markdown": {markdown.String(), []string{
			"### 1. old JSON (needs a setting)\n\n`a.go:7` in `Answer`\n\n" +
				"- saves at most **30.00%** of the CPU time: CPU 45.00%\n" +
				"- why: it decodes\n- also at `b.go:8`\n" +
				"- setting: Build it with GOEXPERIMENT=jsonv2 (caveats: `whet rules jsoncodec`)\n",
			"<details><summary>Caveats</summary>\n\nTexts of errors change.\n\n</details>\n",
			"\n\nthe whole program\n\n- saves at most **10.00%** of the CPU time\n- why: it collects\n",
			"```go\nf()\n```\n\nno rewrite: n is not constant: with a constant, it is fast\n",
		}},
		"page": {page.String(), []string{
			`<code>a.go:7</code> <span class="dim">Answer</span>`, `<span class="badge">needs a setting</span>`,
			`aria-label="saves at most 30.00% of the CPU time"><i style="width:30.00%"></i>`,
			"<li>also at <code>b.go:8</code></li>", "<li>setting: Build it with GOEXPERIMENT=jsonv2 (caveats: " +
				"<code>whet rules",
			"<details><summary>Caveats</summary>\n<p>Texts of errors change.</p>", "<p>the whole program</p>",
			"Run it with GOGC=400", "<pre tabindex=\"0\">f()</pre>", "</html>",
		}},
	} {
		for _, part := range want.have {
			if !strings.Contains(want.got, part) {
				t.Errorf("%s: no %q in\n%s", name, part, want.got)
			}
		}
	}
	for line := range strings.Lines(text.String()) {
		if layout.Columns(strings.TrimRight(line, "\n")) > 80 {
			t.Errorf("wider than the terminal: %q", line)
		}
	}
	var log struct {
		Runs []struct {
			Results []struct {
				Message   struct{ Text string }
				Fixes     []any
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
				RelatedLocations []any
			}
		}
	}
	if err := json.Unmarshal([]byte(sarif.String()), &log); err != nil || len(log.Runs) != 1 ||
		len(log.Runs[0].Results) != 3 {
		t.Fatalf("%v: %s", err, sarif.String())
	}
	several, whole := log.Runs[0].Results[0], log.Runs[0].Results[1]
	if len(several.RelatedLocations) != 1 ||
		!strings.HasSuffix(several.Message.Text, "Build it with GOEXPERIMENT=jsonv2.") {
		t.Errorf("several places: %+v", several)
	}
	if len(whole.Locations) != 1 || whole.Locations[0].PhysicalLocation.ArtifactLocation.URI != "go.mod" ||
		whole.Locations[0].PhysicalLocation.Region.StartLine != 1 || len(whole.Fixes) != 0 {
		t.Errorf("the whole program: %+v", whole)
	}
}

// checkSARIFWaits has a result for each line that waits, at its place, with the module's lines that end the waits, and
// what requests wait for in the message of a finding.
func checkSARIFWaits(t *testing.T, r *find.Result) {
	t.Helper()
	var out strings.Builder
	if err := WriteFindSARIF(&out, r, nil, "v1"); err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal([]byte(out.String()), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if text := run.Results[0].Message.Text; !strings.Contains(text,
		"Requests wait here for 36.00% of their time: for a lock 31.00%") {
		t.Errorf("the finding: %q", text)
	}
	type result struct {
		at, message, ended string
	}
	var got []result
	prints := map[string]bool{}
	for _, one := range run.Results[len(r.Findings):] {
		at := one.Locations[0].Physical
		x := result{at: fmt.Sprintf("%s:%d", at.Artifact.URI, at.Region.StartLine), message: one.Message.Text}
		for _, e := range one.Related {
			x.ended += fmt.Sprintf("%s:%d ", e.Physical.Artifact.URI, e.Physical.Region.StartLine)
		}
		got = append(got, x)
		if one.RuleID != run.Tool.Driver.Rules[one.RuleIndex].ID || one.RuleID != "wait" || one.Level != "note" ||
			one.Rank != 0 {
			t.Errorf("%+v", one)
		}
		prints[one.Fingerprints["whetFinding/v1"]] = true
	}
	want := []result{
		// work.go is another module's
		{
			"hot.go:3",
			"Requests wait here for 5.00% of their time, for a channel, ended at work.go:4 (main.work) · CPU " +
				"20.00%.", "",
		},
		{
			"wait.go:5",
			"Requests wait here for 31.00% of their time, for a lock, released at store.go:9 (slow.(*Store).Save).",
			"store.go:9 ",
		},
		{"idle.go:6", "Blocked 90.00%.", ""},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if len(prints) != len(want) {
		t.Errorf("%d fingerprints of %d results", len(prints), len(want))
	}
}

// TestWriteFindWaits shows the waits of requests with a finding and hot lines, and under a separate
// heading, in each form.
func TestWriteFindWaits(t *testing.T) {
	r := findResult()
	lock := find.Wait{
		Cause: "lock", Count: 9, Time: 31e8, Share: 0.31,
		Ended: []find.Waker{{
			File: "store.go", Line: 9, Own: true, Function: "example.com/slow.(*Store).Save", Share: 0.31,
		}},
	}
	channel := find.Wait{
		Cause: "channel", Share: 0.05,
		Ended: []find.Waker{{File: "work.go", Line: 4, Function: "main.work", Share: 0.05}},
	}
	r.Requests = &find.Requests{
		Count: 50, Time: 10e9,
		Waits: []find.Wait{{Cause: "lock", Share: 0.31}, {Cause: "runnable", Share: 0.02}},
	}
	r.Findings[0].Waits = []find.Wait{lock, channel}
	r.Unexplained = []find.HotLine{{
		Place: find.Place{File: "hot.go", Line: 3, Code: "burn()"}, Saving: 0.2,
		Waits: []find.Wait{channel}, Evidence: []find.Evidence{{Cost: find.CPU, Share: 0.2}},
	}}
	r.Waiting = []find.HotLine{
		{Place: find.Place{File: "wait.go", Line: 5, Code: "mu.Lock()"}, Waits: []find.Wait{lock}},
		{
			Place:    find.Place{File: "idle.go", Line: 6, Code: "<-jobs"},
			Evidence: []find.Evidence{{Cost: find.Block, Share: 0.9}},
		},
	}
	checkSARIFWaits(t, r)
	for name, write := range map[string]func(*strings.Builder) error{
		"text":     func(w *strings.Builder) error { return Find(r).Write(w, layout.Style{Width: 200}) },
		"markdown": func(w *strings.Builder) error { return Find(r).WriteMarkdown(w) },
		"page":     func(w *strings.Builder) error { return Find(r).WritePage(w) },
	} {
		var out strings.Builder
		if err := write(&out); err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(strings.Join(strings.Fields(out.String()), " "), `\*`, "*")
		for _, want := range []string{
			"50 requests in the trace, 10s together, waiting for a lock 31.00%; for a CPU 2.00%",
			"equests wait here for 36.00% of their time: for a lock 31.00%, released at store.go:9 " +
				"(slow.(*Store).Save); for a channel 5.00%, ended at work.go:4 (main.work)",
			"equests wait here for 5.00% of their time, for a channel, ended at work.go:4 (main.work)",
			"Lines that wait", "no rewrite is offered",
			"equests wait here for 31.00% of their time, for a lock, released at store.go:9 " +
				"(slow.(*Store).Save)", "wait.go:5",
			"idle.go:6", "blocked 90.00%",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", name, want, out.String())
			}
		}
	}
}

// TestWriteFindDiagnoses shows the diagnosis of a hot line in each form, and the lines of tests apart from
// the others.
func TestWriteFindDiagnoses(t *testing.T) {
	r := findResult()
	line := func(file string) find.HotLine {
		return find.HotLine{
			Place: find.Place{File: file, Line: 3, Code: "work()"}, Saving: 0.2,
			Evidence: []find.Evidence{{Cost: find.CPU, Share: 0.2}},
		}
	}
	r.Unexplained = []find.HotLine{line("hot_test.go"), line("hot.go"), line("cheap.go")}
	sorting := diagnosis.Diagnosis{
		Cost: "cpu", Kind: diagnosis.Sorting, Share: 0.15, Line: 0.2, Saves: 0.15,
		Text: "it sorts", Why: "no rewrite: it is fast",
		Also: []diagnosis.Part{{Kind: diagnosis.Own, Share: 0.05}},
	}
	bytes := diagnosis.Diagnosis{
		Cost: "alloc_space", Kind: diagnosis.Escape, Share: 0.3, Line: 0.3, Saves: 0.3,
		Text: "it escapes", Why: sorting.Why,
	}
	test := diagnosis.Diagnosis{
		Cost: "cpu", Kind: diagnosis.Own, Share: 0.2, Line: 0.2, Text: "it loops", Why: "test code",
	}
	r.Diagnoses = []diagnosis.Line{
		{File: "hot.go", Line: 3, Costs: []diagnosis.Diagnosis{sorting, bytes}},
		{File: "hot_test.go", Line: 3, Test: true, Costs: []diagnosis.Diagnosis{test}},
	}
	for name, write := range map[string]func(*strings.Builder) error{
		"text":     func(w *strings.Builder) error { return Find(r).Write(w, layout.Style{Width: 300}) },
		"markdown": func(w *strings.Builder) error { return Find(r).WriteMarkdown(w) },
		"page":     func(w *strings.Builder) error { return Find(r).WritePage(w) },
	} {
		var out strings.Builder
		if err := write(&out); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(strings.Fields(out.String()), " ")
		for _, want := range []string{
			"CPU is sorting 15.00%, own instructions 5.00%: it sorts: no rewrite: it is fast; a change saves at " +
				"most 15.00% · allocated is escape to the heap: it escapes; a change saves at most 30.00%",
			"CPU is own instructions: it loops: test code",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in\n%s", name, want, out.String())
			}
		}
		if _, main, ok := strings.Cut(got, "<main"); ok { // after the contents
			got = main
		}
		at := func(text string) int { return strings.Index(got, text) }
		tests := at("Hot lines of tests and benchmarks")
		if tests < 0 || at("hot.go:3") > tests || at("hot_test.go:3") < tests ||
			strings.Contains(got, "test code; a change") {
			t.Errorf("%s: lines of tests are not apart:\n%s", name, out.String())
		}
	}
}
