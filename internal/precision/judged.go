package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed judged.json
var judgedJSON []byte

// A judgment is a reviewer's verdict on a finding that whet could not decide.
type judgment struct {
	Module  string  `json:"module"`
	ID      string  `json:"id"` // of the finding
	Verdict verdict `json:"verdict"`
	Why     string  `json:"why"` // one sentence
}

// judgments returns those of judged.json, by module and finding.
func judgments(data []byte) (map[[2]string]judgment, error) {
	var list []judgment
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil {
		return nil, fmt.Errorf("read judged.json: %w", err)
	}
	by := map[[2]string]judgment{}
	for i, j := range list {
		key := [2]string{j.Module, j.ID}
		where := fmt.Sprintf("judged.json, %d of %d (%s %s)", i+1, len(list), j.Module, j.ID)
		if _, err := choose([]string{j.Module}); err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		if j.Verdict != right && j.Verdict != wrong && j.Verdict != open {
			return nil, fmt.Errorf("%s: verdict %q: there are right, wrong and open", where, j.Verdict)
		}
		if !strings.HasSuffix(j.Why, ".") || strings.ContainsAny(j.Why, "\n|") {
			return nil, fmt.Errorf("%s: why is not a sentence: %q", where, j.Why)
		}
		if n := strings.Count(j.ID, "/"); n < 2 { // rule, place, function, number; rule, setting, number
			return nil, fmt.Errorf("%s: the id is not one of whet find", where)
		}
		if _, ok := by[key]; ok {
			return nil, fmt.Errorf("%s: judged twice", where)
		}
		by[key] = j
	}
	return by, nil
}

// judge returns the verdict on a finding and the reason: the measured one, else the reviewer's.
func judge(by map[[2]string]judgment, module string, x *finding) (v verdict, why string, read bool) {
	if v := x.measured(); v != open {
		return v, x.Reason, false
	}
	if j, ok := by[[2]string{module, x.ID}]; ok {
		return j.Verdict, j.Why, true
	}
	return open, x.Reason, false
}
