package benchmarks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/diagnosis"
)

// benchmark has work in its body, in a helper, and in the code that it measures.
const benchmark = `package p

import (
	"fmt"
	"regexp"
	"testing"
)

func BenchmarkMatch(b *testing.B) {
	for i := 0; i < b.N; i++ {
		re := regexp.MustCompile("^[a-z]+\\[[0-9]+\\]$")
		if !re.MatchString("adam[23]") {
			b.Fatal("no match")
		}
		sink = fmt.Sprintf("%s-%d", name, i)
	}
}

var (
	sink string
	name = "x"
)

func helper(n int) string { return fmt.Sprintf("%d!", n) }
`

// TestPropose proposes changes of lines in the body of a benchmark, by rules and generators, and not of helpers.
func TestPropose(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/p\n\ngo 1.26\n", "p.go": "package p\n", "p_test.go": benchmark,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	line := func(n int, function string, kind diagnosis.Kind, share float64) diagnosis.Line {
		return diagnosis.Line{File: "p_test.go", Line: n, Function: function, Test: true, Costs: []diagnosis.Diagnosis{
			{Kind: kind, Share: share, Line: share},
		}}
	}
	r := &find.Result{Dir: dir, Diagnoses: []diagnosis.Line{
		line(11, "BenchmarkMatch", diagnosis.Regexp, 0.6), line(15, "BenchmarkMatch", diagnosis.Formatting, 0.2),
		line(12, "BenchmarkMatch", diagnosis.Regexp, 0.04), line(24, "helper", diagnosis.Formatting, 0.2),
	}}
	if err := Propose(t.Context(), r, find.Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, c := range r.Candidates {
		found[c.Generator] = c.Change.Diff
		if c.Tier != find.Proposed || c.Function != "BenchmarkMatch" || !strings.Contains(c.Assumes, assumes) ||
			c.Place.Line != 11 && c.Place.Line != 15 || c.Place.Code == "" {
			t.Errorf("%+v", c)
		}
	}
	if !strings.Contains(found["percall"], "+var ") {
		t.Errorf("the expression is compiled in each iteration: %v", found)
	}
	if diff := found["format"] + found["sprintf"]; !strings.Contains(diff, "strconv.Itoa(i)") {
		t.Errorf("the text is formatted in each iteration: %v", found)
	}

	none := &find.Result{Dir: dir, Diagnoses: r.Diagnoses[2:]}
	if err := Propose(t.Context(), none, find.Options{Dir: dir}); err != nil || len(none.Candidates) > 0 {
		t.Errorf("cheap lines and helpers: %+v, %v", none.Candidates, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte("package p\n\nvar x int = 1.5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.Candidates = nil
	if err := Propose(t.Context(), r, find.Options{Dir: dir}); err != nil || len(r.Candidates) > 0 {
		t.Errorf("a package that does not build: %d candidates, %v", len(r.Candidates), err)
	}
}
