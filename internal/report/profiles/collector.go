package profiles

import (
	"github.com/whet-go/whet/internal/input/documents"
	"github.com/whet-go/whet/internal/report/layout"
)

// CollectorText describes how much of a profile's CPU time is garbage collection, and how much of
// that runs in the program's goroutines.
func CollectorText(c documents.Collector) string {
	text := "garbage collection " + layout.SharePercent(c.Share) + " of the CPU time"
	if c.InProgram > 0 {
		text += ", including " + layout.SharePercent(c.InProgram) + " in goroutines that allocate"
	}
	return text
}
