package profile_test

import (
	"bytes"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/whet-go/whet/profile"
)

// TestFiltered compares the views of what was filtered, written and read again with the filtered views.
func TestFiltered(t *testing.T) {
	files, err := filepath.Glob("../find/testdata/*.pb.gz")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	queries := map[string]profile.Query{
		"focus":      {Focus: regexp.MustCompile(`runtime\.`)},
		"ignore":     {Ignore: regexp.MustCompile(`mallocgc`)},
		"hide":       {Hide: regexp.MustCompile(`^runtime\.|strings\.`)},
		"show":       {Show: regexp.MustCompile(`^main\.|strings\.`)},
		"show-from":  {ShowFrom: regexp.MustCompile(`^main\.`)},
		"prune-from": {PruneFrom: regexp.MustCompile(`mallocgc`)},
		"none":       {},
	}
	for _, file := range files {
		p, err := profile.ReadFile(file, profile.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for name, q := range queries {
			q.Relative = true // shares are of what is kept, as in a profile of only that
			v, err := p.View(q)
			if err != nil {
				t.Fatal(err)
			}
			f, err := v.Filtered()
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := f.Write(&b); err != nil {
				t.Fatal(err)
			}
			again, err := profile.Parse(b.Bytes(), profile.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			w, err := again.View(profile.Query{})
			if err != nil {
				t.Fatal(err)
			}
			if w.Total() != v.Total() || len(again.SampleTypes) != len(p.SampleTypes) || again.Duration != p.Duration {
				t.Errorf("%s, %s: total %d, want %d", file, name, w.Total(), v.Total())
			}
			for _, cum := range []bool{false, true} {
				want := costs(v, cum)
				got := costs(w, cum)
				for n, c := range want {
					if got[n] != c {
						t.Errorf("%s, %s, %s: %d, want %d", file, name, n, got[n], c)
					}
				}
				if len(got) != len(want) {
					t.Errorf("%s, %s: %d nodes, want %d", file, name, len(got), len(want))
				}
			}
		}
	}
}

// costs returns the cost of each function that has one.
func costs(v *profile.View, cum bool) map[string]int64 {
	all := map[string]int64{}
	for _, w := range v.Nodes(cum) {
		c := w.Flat
		if cum {
			c = w.Cum
		}
		if c != 0 {
			all[v.Node(w.ID).Name] += c
		}
	}
	return all
}
