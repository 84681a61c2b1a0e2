package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/whet-go/whet/bench/ab"
)

// A fixResult is the part of whet fix's result that is needed here.
type fixResult struct {
	Schema   string `json:"schema"`
	Attempts []struct {
		Finding struct {
			Title  string `json:"title"`
			Needs  string `json:"needs"`
			Places []struct {
				File string `json:"file"`
				Line int    `json:"line"`
			} `json:"places"`
		} `json:"finding"`
		Stage  string `json:"stage"`
		Reason string `json:"reason"`
	} `json:"attempts"`
	Total *struct {
		AB *ab.Result `json:"ab"`
	} `json:"total"`
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
	if err := os.CopyFS(example, os.DirFS(filepath.Join(b.root, "examples", s.name))); err != nil {
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
	c, attempts, err := decodeFix(out)
	if err != nil {
		return err
	}
	c.Command = "cd examples/" + s.name + " && " + shellLine(append([]string{"whet"}, record...), true) + "\n$ " +
		shellLine(append([]string{"whet"}, fix...), true)
	r.Comparisons[st.name], r.Fixes[st.name] = *c, attempts
	if !s.services {
		return nil
	}
	_, err = command(ctx, b.log, example, "go", "build", "-o", filepath.Join(b.bin, s.name+"-fixed"), ".")
	return err
}

// decodeFix decodes the output of whet fix --json.
func decodeFix(data []byte) (*comparison, []attempt, error) {
	var f fixResult
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, nil, fmt.Errorf("read result of whet fix: %w", err)
	}
	if f.Schema != fixSchema {
		return nil, nil, fmt.Errorf("read result of whet fix: schema %q (want %s)", f.Schema, fixSchema)
	}
	if f.Total == nil || f.Total.AB == nil {
		return nil, nil, errors.New("whet fix kept nothing")
	}
	c := &comparison{Result: f.Total.AB}
	dropRounds(c.Result)
	var attempts []attempt
	for _, a := range f.Attempts {
		one := attempt{Title: a.Finding.Title, Review: a.Finding.Needs == "review", Stage: a.Stage, Reason: a.Reason}
		if len(a.Finding.Places) > 0 {
			one.Place = fmt.Sprintf("%s:%d", a.Finding.Places[0].File, a.Finding.Places[0].Line)
		}
		attempts = append(attempts, one)
	}
	return c, attempts, nil
}
