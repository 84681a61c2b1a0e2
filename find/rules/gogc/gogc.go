package gogc

import (
	_ "embed"
	"fmt"

	"github.com/whet-go/whet/find/rules"
)

//go:embed doc.go
var doc string

const (
	// least is the minimum share of the CPU time at which the setting is worth its memory.
	least = 0.10
	// Heaps up to these sizes, when a collection starts, are small for a server.
	small  = 256 << 20 // five times the live heap is at most 640 MiB
	medium = 2 << 30   // three times the live heap is at most 3 GiB
	// minHeap is the minimum heap size for a collection with GOGC=100; it is proportional to GOGC
	// (runtime.heapMinimum).
	minHeap = 4 << 20
)

// New returns the rule.
func New() *rules.Rule {
	return &rules.Rule{
		Analyzer: rules.OfProgram("gogc", "report small heaps that are collected too often"),
		Causes:   []rules.Cause{{Title: "garbage collector runs too often for a small heap", Needs: rules.Settings}},
		Judge:    judge,
		Doc:      rules.ParseDoc(doc),
	}
}

func judge(p *rules.Program) []rules.Verdict {
	if !p.Command || p.CPU == 0 {
		return nil
	}
	collecting := p.Collecting
	if collecting < least || p.Heap != nil && p.Heap.Goal > medium {
		return nil
	}
	percent := 200
	known := "the size of its heap was not recorded: check its memory first"
	if p.Heap != nil {
		if p.Heap.Goal <= small {
			percent = 400
		}
		known = fmt.Sprintf("the heap is collected when it reaches %s", size(p.Heap.Goal))
		if p.Heap.Collections > 0 {
			known += fmt.Sprintf(", %d times in this recording", p.Heap.Collections)
		}
		known += fmt.Sprintf(
			"; with this setting that would be at %s",
			size(max(p.Heap.Goal*int64(100+percent)/200, minHeap*int64(percent)/100)),
		)
	}
	return []rules.Verdict{{
		Message: fmt.Sprintf("collecting garbage takes %.0f percent of the CPU time; %s", 100*collecting, known),
		Share:   collecting,
		Saving:  collecting * (1 - 100/float64(percent)), // collections become rarer in proportion
		Setting: rules.Setting{Run: []string{fmt.Sprintf("GOGC=%d", percent)}}, Collector: true,
	}}
}

// size formats bytes in whole MiB.
func size(bytes int64) string { return fmt.Sprintf("%d MiB", (bytes+1<<19)>>20) }
