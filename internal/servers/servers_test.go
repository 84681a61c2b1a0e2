package main

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/dependencies"
	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/golden"
	"github.com/whet-go/whet/prove"
)

const docs = "../../docs/measured"

// TestPage renders the page from the stored results, as a run would.
func TestPage(t *testing.T) {
	t.Parallel()
	r, err := read(docs)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Servers) == 0 {
		t.Fatal("there are no results")
	}
	got, err := page(r)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join(docs, "servers.md"), got)
	for _, m := range r.Servers {
		if seen()[m.Name] == "" {
			t.Errorf("nothing says what was seen at the first look at %s (seen.go)", m.Name)
		}
	}
}

// TestServers loads only loopback, with distinct names and ports of distinct servers.
func TestServers(t *testing.T) {
	t.Parallel()
	names, ports := map[string]bool{}, map[string]string{}
	for _, s := range servers() {
		if names[s.name] || s.what == "" || s.version == "" || len(s.load) == 0 {
			t.Errorf("%+v", s)
		}
		names[s.name] = true
		for _, address := range slices.Concat(s.load, []string{"http://" + s.pprof}) {
			u, err := url.Parse(address)
			if err != nil || u.Hostname() != "127.0.0.1" || u.Port() == "" {
				t.Errorf("%s: %s is not a port of loopback: %v", s.name, address, err)
				continue
			}
			if of := ports[u.Port()]; of != "" && of != s.name {
				t.Errorf("%s and %s use port %s", s.name, of, u.Port())
			}
			ports[u.Port()] = s.name
		}
	}
	if _, err := choose([]string{"none"}); err == nil || !strings.Contains(err.Error(), "want Caddy") {
		t.Errorf("an unknown server: %v", err)
	}
	if chosen, err := choose([]string{"nsqd"}); err != nil || len(chosen) != 1 || chosen[0].name != "nsqd" {
		t.Errorf("%v %v", chosen, err)
	}
}

// TestMeasurement puts on the page what whet found and tried.
func TestMeasurement(t *testing.T) {
	t.Parallel()
	m := &measurement{Name: "Caddy", Module: "example.com/c", Version: "v1.0.0", Date: "2026-01-02", Build: time.Minute}
	m.found(&find.Result{
		PerRequest: 3 * time.Millisecond,
		Diagnoses: []diagnosis.Line{
			{File: "a_test.go", Line: 1, Test: true, Costs: []diagnosis.Diagnosis{{Kind: "regexp", Line: 0.5}}},
			{File: "a.go", Line: 7, Costs: []diagnosis.Diagnosis{{Cost: "cpu", Kind: "template", Line: 0.63}}},
		},
		Findings:   []find.Finding{{Title: "slow", Places: []find.Place{{File: "a.go", Line: 7}}, Saving: 0.25}},
		Candidates: []find.Candidate{{}, {}},
		Dependencies: []dependencies.Call{{
			File: "a.go", Line: 9, Callee: "example.com/d.Parse", CPU: dependencies.Amount{Share: 0.27},
			Hottest:      []dependencies.Line{{Module: "example.com/d", File: "d.go", Line: 3, Share: 0.2}},
			Counts:       []dependencies.Count{{What: "files opened", Times: 400, PerRequest: 40}},
			Alternatives: []dependencies.Alternative{{Name: "d.AppendParse"}},
		}},
		Upstream: []*find.Result{{
			Module: "example.com/d", Version: "v0.1.0", Totals: []find.Total{{}}, Candidates: []find.Candidate{{}},
		}},
	})
	m.tried(&fix.Result{
		Attempts: []fix.Attempt{{Outcome: prove.OutcomeDifferent}, {Stage: fix.StageTest}},
		Upstream: []*fix.Result{{Module: "example.com/d", Rounds: 1, Attempts: []fix.Attempt{{
			Stage: fix.StageKept, Finding: find.Finding{Title: "split", Places: []find.Place{{File: "d.go", Line: 3}}},
		}}}},
	})
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	again := &measurement{}
	if err := json.Unmarshal(data, again); err != nil {
		t.Fatal(err)
	}
	r := &results{}
	r.put(again)
	text, err := page(r)
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(string(text)), " ")
	for _, want := range []string{
		"`a.go:7`, 63.00%: template", "slow at a.go:7 (at most 25.00%)", "`a.go:9` calls `d.Parse` | 27.00%",
		"example.com/d/d.go:3 (20.00%)", "files opened: 40 per request", "`d.AppendParse`", "2 candidates proposed",
		"different 1, dropped at test 1", "`example.com/d` v0.1.0: 0 rewrites and 1 candidate; kept 1",
		"split at d.go:3", "3ms of CPU time per request",
	} {
		if !strings.Contains(words, want) {
			t.Errorf("the page has no %q:\n%s", want, text)
		}
	}
	if strings.Contains(words, "a_test.go") {
		t.Error("a line of a test is hot on the page")
	}
}
