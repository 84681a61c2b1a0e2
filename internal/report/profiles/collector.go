package profiles

import (
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/unit"
)

// A Collector is the share of garbage collection in a profile's CPU time, as profile.Collection
// defines it.
type Collector struct {
	Share     float64 `json:"share"`      // of all CPU time in the profile
	InProgram float64 `json:"in_program"` // in the program's goroutines, of the same total
}

// NewCollector returns the collector's share of a CPU profile; nil if it has no samples.
func NewCollector(c profile.Collection) *Collector {
	if c.All <= 0 {
		return nil
	}
	return &Collector{unit.Share(c.Total(), c.All), unit.Share(c.InProgram, c.All)}
}

// CollectorText describes how much of a profile's CPU time is garbage collection, and how much of
// that runs in the program's goroutines.
func CollectorText(c Collector) string {
	text := "garbage collection " + layout.SharePercent(c.Share) + " of the CPU time"
	if c.InProgram > 0 {
		text += ", including " + layout.SharePercent(c.InProgram) + " in goroutines that allocate"
	}
	return text
}
