package gogc

import (
	_ "embed"
	"fmt"

	"github.com/whet-go/whet/find/rules"
)

//go:embed doc.go
var doc string

const (
	// least is the least share of the CPU time at which the setting is worth its memory.
	least = 0.10
	// Heaps up to these sizes, when they are collected, are small against a server's memory.
	small  = 256 << 20 // five times what lives is at most 640 MiB
	medium = 2 << 30   // three times what lives is at most 3 GiB
	// minHeap is the size below which nothing is collected with GOGC=100; it grows as GOGC does
	// (runtime.heapMinimum).
	minHeap = 4 << 20
)

// New returns the rule.
func New() *rules.Rule {
	return &rules.Rule{
		Analyzer: rules.OfProgram("gogc", "report small heaps that are collected often"),
		Causes:   []rules.Cause{{Title: "a small heap collected often", Needs: rules.Settings}},
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
	known := "how large its heap is was not recorded: look at its memory first"
	if p.Heap != nil {
		if p.Heap.Goal <= small {
			percent = 400
		}
		known = fmt.Sprintf("the heap is collected when it has %s", size(p.Heap.Goal))
		if p.Heap.Collections > 0 {
			known += fmt.Sprintf(", %d times in this recording", p.Heap.Collections)
		}
		known += fmt.Sprintf("; it would be at %s", size(max(p.Heap.Goal*int64(100+percent)/200, minHeap*int64(percent)/100)))
	}
	return []rules.Verdict{{
		Message: fmt.Sprintf("collecting garbage takes %.0f percent of the CPU time; %s", 100*collecting, known),
		Share:   collecting,
		Saving:  collecting * (1 - 100/float64(percent)), // so much more room, so many fewer collections
		Setting: rules.Setting{Run: []string{fmt.Sprintf("GOGC=%d", percent)}}, Collector: true,
	}}
}

// size writes bytes in whole units of 2 to the power of 20.
func size(bytes int64) string { return fmt.Sprintf("%d MiB", (bytes+1<<19)>>20) }
