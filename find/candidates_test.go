package find_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/recording"
)

// TestCandidates lists candidates only for lines without a rewrite that is free, and only those of the
// generators that are to run.
func TestCandidates(t *testing.T) {
	t.Parallel()
	rec, err := recording.Open("../recording/testdata/slug.whet")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rec.Close() }() // was only read
	profiles, o, err := find.FromRecording(rec)
	if err != nil {
		t.Fatal(err)
	}
	o.Dir = "testdata/slug"
	r, err := find.Find(t.Context(), profiles, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Candidates) != 2 || r.Candidates[1].Generator != "results" || !r.Candidates[1].Keeps {
		t.Fatalf("%d candidates: %+v", len(r.Candidates), r.Candidates)
	}
	c := r.Candidates[0]
	if c.Tier != find.Proposed || c.Generator != "format" || c.Place.Line != 23 || c.Function != "handle" ||
		!strings.Contains(c.Change.Diff, "io.WriteString(w, ") ||
		c.Share <= 0 || c.Share > 1 {
		t.Errorf("%+v", c)
	}
	free := 0
	for _, f := range r.Findings {
		if f.Tier == find.Proposed || f.Tier == find.Free != (f.Rewrites() && f.Needs == "") {
			t.Errorf("%s has the tier %q", f.ID, f.Tier)
		}
		if f.Tier != find.Free {
			continue
		}
		free++
		for _, p := range f.Places {
			if p.File == c.Place.File && p.Line <= c.Place.Line && c.Place.Line <= p.EndLine {
				t.Errorf("a candidate on %s, which has a rewrite", f.Where())
			}
		}
	}
	if free == 0 {
		t.Error("no rewrite is free")
	}
	text, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(text), `"tier":"proposed"`) ||
		!strings.Contains(string(text), `"tier":"free"`) {
		t.Errorf("the JSON has no tiers: %v", err)
	}

	o.Generators = func(name string) bool { return name != "format" && name != "results" }
	if r, err = find.Find(t.Context(), profiles, o); err != nil || len(r.Candidates) != 0 {
		t.Errorf("%+v, %v", r.Candidates, err)
	}
	if !slices.Contains(find.Generators(), "format") {
		t.Errorf("generators: %q", find.Generators())
	}
}
