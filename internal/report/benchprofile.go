package report

import (
	"fmt"
	"io"
	"strings"
)

// BenchProfilesSchema is the schema of BenchProfiles.
const BenchProfilesSchema = "whet.bench-profile/1"

// BenchProfiles is what whet bench profile has recorded.
type BenchProfiles struct {
	Schema      string         `json:"schema"`
	Recordings  []BenchProfile `json:"recordings"`
	Failures    []BenchFailure `json:"failures,omitempty"`
	Interrupted bool           `json:"interrupted,omitempty"` // the others were not recorded
}

// A BenchProfile is the recording of a benchmark.
type BenchProfile struct {
	Package   string   `json:"package"`
	Benchmark string   `json:"benchmark"`
	Path      string   `json:"path"`              // of the file
	Hottest   *OwnLine `json:"hottest,omitempty"` // of CPU; nil without own code in the profile
}

// WriteBenchProfile renders a recording: its file, and below it the hottest own line.
func WriteBenchProfile(w io.Writer, s Style, p BenchProfile) error {
	t := &text{w: w}
	t.line(s.paint(bold, Clean(p.Path)))
	if h := p.Hottest; h != nil {
		share := fmt.Sprintf("  %5.1f%%  ", h.Share*100)
		place := fmt.Sprintf("%s:%d", Clean(h.Path), h.Line)
		callees := ""
		if len(h.Callees) > 0 {
			callees = " → " + Clean(h.Callees[0].Function)
		}
		words := s.room(columns(share), 20)
		place = middle(place, words)
		t.line(s.paint(heat(h.Share), share), place, strings.TrimRight(cut(callees, max(words-columns(place), 0)), " "))
	} else {
		t.line("  no own code in its CPU profile")
	}
	return t.result()
}
