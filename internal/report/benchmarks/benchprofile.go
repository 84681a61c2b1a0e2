package benchmarks

import (
	"fmt"
	"io"
	"strings"

	"github.com/whet-go/whet/internal/bench/rounds"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/profile/owncode"
	"github.com/whet-go/whet/internal/report/layout"
)

// ProfilesSchema is the schema of BenchProfiles.
const ProfilesSchema = "whet.bench-profile/1"

// Profiles is the document of whet bench profile.
type Profiles struct {
	Schema      string           `json:"schema"`
	Recordings  []Profile        `json:"recordings"`
	Failures    []rounds.Failure `json:"failures,omitempty"`
	Interrupted bool             `json:"interrupted,omitempty"` // the remaining benchmarks were not recorded
	Warnings    diag.Warnings    `json:"warnings,omitempty"`
}

// A Profile is the recording of a benchmark.
type Profile struct {
	Package   string        `json:"package"`
	Benchmark string        `json:"benchmark"`
	Path      string        `json:"path"`              // of the file
	Hottest   *owncode.Line `json:"hottest,omitempty"` // of CPU; nil without own code in the profile
}

// WriteProfile writes the file of a recording and, below it, the hottest own line.
func WriteProfile(w io.Writer, s layout.Style, p Profile) error {
	t := layout.NewWriter(w)
	t.Line(s.Paint(layout.Bold, layout.Clean(p.Path)))
	if h := p.Hottest; h != nil {
		share := fmt.Sprintf("  %5.1f%%  ", h.Share*100)
		place := fmt.Sprintf("%s:%d", layout.Clean(h.Path), h.Line)
		callees := ""
		if len(h.Callees) > 0 {
			callees = " → " + layout.Clean(h.Callees[0].Function)
		}
		words := s.Remaining(layout.Columns(share), 20)
		place = layout.CutMiddle(place, words)
		t.Line(s.Paint(layout.Heat(h.Share), share), place,
			strings.TrimRight(layout.Cut(callees, max(words-layout.Columns(place), 0)), " "))
	} else {
		t.Line("  no own code in its CPU profile")
	}
	return t.Result()
}
