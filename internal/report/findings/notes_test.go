package findings

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/lines"
	"github.com/whet-go/whet/find/notes"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/reporttest"
)

func TestNotes(t *testing.T) {
	r := &lines.Result{
		Module: "example.com/m", Dir: "/src/m", Found: 3, Notes: []lines.Count{
			{Kind: lines.Escape, Notes: 2},
			{Kind: lines.Bounds, Notes: 1},
		},
		Totals: []find.Total{{Cost: find.CPU, Unit: "nanoseconds", Value: 2e9}}, Stale: []find.Stale{{}},
		Lines: []lines.Line{{
			File: "a.go", Line: 7, Code: "\tx := s[i]", Evidence: []find.Evidence{{Cost: find.CPU, Share: 0.5}},
			Notes: []lines.Note{
				{Group: lines.Escape, Note: notes.Note{
					Line: 7, Column: 2, Kind: "escape", Message: "x escapes to heap",
					Through: make([]notes.Step, 5),
				}},
				{Group: lines.Bounds, Note: notes.Note{
					Line: 7, Column: 12, Kind: "isInBounds",
					Inlined: []notes.At{{File: "/src/m/b/b.go", Line: 3}, {File: "/go/src/sort/sort.go", Line: 9}},
				}},
			},
		}},
	}
	reporttest.RoundTrip(t, r,
		func(w io.Writer, r *lines.Result) error { return WriteNotes(w, layout.Style{Width: 80}, r) })
	var out strings.Builder
	if err := WriteNotes(&out, layout.Style{Width: 80}, r); err != nil {
		t.Fatal(err)
	}
	want := `3 notes on 3 lines of example.com/m: escape 2, bounds 1
profiles: CPU 2s

a.go:7  CPU 50.00%
  x := s[i]
  escape    2: x escapes to heap
                (line 0)
                (line 0)
                (line 0)
                (line 0)
               and 1 step, in --json
  bounds   12: a bounds check is not eliminated, inlined from b/b.go:3, inlined
               from sort/sort.go:9

2 more lines (--number 0 shows all)

1 function has changed since the recording: their lines have no cost here
(--json lists them)
`
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", &out, want)
	}
}

// TestHostileNotes has nothing that a terminal obeys, whatever files and constants hold.
func TestHostileNotes(t *testing.T) {
	for _, name := range hostileNames() {
		r := &lines.Result{Module: name, Dir: name, Found: 1, Lines: []lines.Line{{
			File: name, Line: 1, Code: name,
			Notes: []lines.Note{{Group: lines.Other, Note: notes.Note{
				Kind: name, Message: name,
				Inlined: []notes.At{{File: name}}, Through: []notes.Step{{Message: name}},
			}}},
		}}}
		for _, kind := range []string{name, "escape", "leak", "cannotInlineCall", "canInlineFunction"} {
			r.Lines[0].Notes[0].Kind = kind
			var out strings.Builder
			if err := WriteNotes(&out, layout.Style{}, r); err != nil {
				t.Fatal(err)
			}
			if text := out.String(); strings.ContainsAny(text, "\x1b\u202e\u200e") || strings.Count(text, "\n") != 6 {
				t.Errorf("%q, %s: %s", name, kind, fmt.Sprintf("%q", text))
			}
		}
	}
}
