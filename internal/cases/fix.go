package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/find/rules"
)

// A fixResult is the part of whet fix's result that is needed here.
type fixResult struct {
	Schema   string       `json:"schema"`
	Attempts []fixAttempt `json:"attempts"`
	Settings []fixAttempt `json:"settings"`
	Untried  []struct {
		Title  string `json:"title"`
		File   string `json:"file"`
		Line   int    `json:"line"`
		Reason string `json:"reason"`
	} `json:"untried"`
	Total *struct {
		AB *ab.Result `json:"ab"`
	} `json:"total"`
}

type fixAttempt struct {
	Finding struct {
		Rule   string `json:"rule"`
		Title  string `json:"title"`
		Needs  string `json:"needs"`
		Places []struct {
			File string `json:"file"`
			Line int    `json:"line"`
		} `json:"places"`
		Fix *struct {
			Setting *rules.Setting `json:"setting"`
		} `json:"fix"`
	} `json:"finding"`
	Stage  string `json:"stage"`
	Reason string `json:"reason"`
}

// attempt returns what is kept of a.
func (a *fixAttempt) attempt() attempt {
	f := &a.Finding
	one := attempt{Rule: f.Rule, Title: f.Title, Review: f.Needs == "review", Stage: a.Stage, Reason: a.Reason}
	if len(f.Places) > 0 {
		one.Place = fmt.Sprintf("%s:%d", f.Places[0].File, f.Places[0].Line)
	}
	if f.Fix != nil && f.Fix.Setting != nil {
		one.Build, one.Run = f.Fix.Setting.Build, f.Fix.Setting.Run
	}
	return one
}

// The location of the copy of an example that whet fixes: below the directory of a study's files,
// and as in the commands on the pages.
const (
	fixedDir     = "fixed"
	fixedExample = "./fixed"
)

// fixSchema is the schema of whet fix's result.
const fixSchema = "whet.fix/2"

// fix has whet rewrite a copy of the example, proven by benchmarks, and builds the result.
func (b *session) fix(ctx context.Context, s study, st step, dir string, r *results) error {
	example := filepath.Join(dir, fixedDir, s.name)
	if err := os.CopyFS(example, os.DirFS(filepath.Join(b.root, s.example()))); err != nil {
		return err
	}
	recording := st.name + ".whet"
	record := []string{"record", "-o", recording, ".", "--bench", "."}
	if _, err := b.whet(ctx, example, record...); err != nil {
		return err
	}
	fix := append([]string{"fix", recording, "--apply"}, st.fix...)
	// The recording is in the copy, which is not under version control.
	out, err := b.whet(ctx, example, append(fix, "--force", "--json")...)
	if err != nil {
		return err
	}
	f, err := decodeFix(out)
	if err != nil {
		return err
	}
	c, err := f.comparison()
	if err != nil {
		return err
	}
	c.Command = "cd examples/" + s.name + " && " + shellLine(append([]string{"whet"}, record...), true) + "\n$ " +
		shellLine(append([]string{"whet"}, fix...), true)
	r.Comparisons[st.name], r.Fixes[st.name] = *c, attempts(f.Attempts)
	if !s.services {
		return nil
	}
	_, err = command(ctx, b.log, example, "go", "build", "-o", filepath.Join(b.bin, s.name+"-fixed"), ".")
	return err
}

// decodeFix decodes the output of whet fix --json.
func decodeFix(data []byte) (*fixResult, error) {
	var f fixResult
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("read result of whet fix: %w", err)
	}
	if f.Schema != fixSchema {
		return nil, fmt.Errorf("read result of whet fix: schema %q (want %s)", f.Schema, fixSchema)
	}
	return &f, nil
}

// comparison returns the comparison of the original with everything kept.
func (f *fixResult) comparison() (*comparison, error) {
	if f.Total == nil || f.Total.AB == nil {
		return nil, errors.New("whet fix kept nothing")
	}
	dropRounds(f.Total.AB)
	return &comparison{Result: f.Total.AB}, nil
}

func attempts(all []fixAttempt) []attempt {
	var kept []attempt
	for i := range all {
		kept = append(kept, all[i].attempt())
	}
	return kept
}

// left returns the findings without a rewrite.
func (f *fixResult) left() []attempt {
	var left []attempt
	for _, u := range f.Untried {
		if u.Title != "" { // otherwise it is a line that rules do not analyze
			left = append(left, attempt{Place: fmt.Sprintf("%s:%d", u.File, u.Line), Title: u.Title, Reason: u.Reason})
		}
	}
	return left
}
